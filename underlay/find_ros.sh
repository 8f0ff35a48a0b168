# Sourced by env.sh and setup.sh (any POSIX shell): where is a ROS 2 distribution, if any?
#
# truthbed_find_ros sets TRUTHBED_ROS_FOLDER to the folder whose setup files are to be sourced, or
# to "" when there is none. The variable TRUTHBED_ROS decides when it is set: a folder, or `none`.

truthbed_is_ros2() {
    [ -e "$1/local_setup.sh" ] && [ -d "$1/share/rclpy" ]
}

truthbed_find_ros() {
    TRUTHBED_ROS_FOLDER=
    if [ "${TRUTHBED_ROS:-}" = none ]; then
        return 0
    elif [ -n "${TRUTHBED_ROS:-}" ]; then
        TRUTHBED_ROS_FOLDER=$TRUTHBED_ROS
    elif [ -n "${ROS_DISTRO:-}" ] && truthbed_is_ros2 "/opt/ros/$ROS_DISTRO"; then
        TRUTHBED_ROS_FOLDER=/opt/ros/$ROS_DISTRO
    elif [ -d /opt/ros ]; then
        # Several: the last by name is the newest, since distributions are named alphabetically.
        while IFS= read -r truthbed_name; do
            if truthbed_is_ros2 "/opt/ros/$truthbed_name"; then
                TRUTHBED_ROS_FOLDER=/opt/ros/$truthbed_name
            fi
        done <<TRUTHBED_NAMES
$(ls /opt/ros)
TRUTHBED_NAMES
        unset truthbed_name
    fi
}
