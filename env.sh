# `. ./env.sh` (bash or zsh, from any folder): a shell in which `ros2 launch truthbed ...`,
# `ros2 run truthbed ...` and Python's `import rclpy` work, on a machine with ROS 2 and without.
# Run `make setup` once before. What you set yourself (MUJOCO_GL, the Fast DDS profile) is kept.

if [ -n "${BASH_VERSION:-}" ]; then
    truthbed_root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
    truthbed_shell=bash
elif [ -n "${ZSH_VERSION:-}" ]; then
    # `eval` because other shells cannot parse zsh's way of naming the file being read.
    eval 'truthbed_root=${${(%):-%x}:A:h}'
    truthbed_shell=zsh
else
    truthbed_root=$PWD
    truthbed_shell=sh
fi

# The setup files of ROS and colcon read variables that may be unset.
case $- in
*u*)
    truthbed_nounset=yes
    set +u
    ;;
*) truthbed_nounset= ;;
esac

if [ -e "$truthbed_root/.venv/.ready" ] && [ -e "$truthbed_root/install/local_setup.sh" ]; then
    . "$truthbed_root/underlay/find_ros.sh"
    truthbed_find_ros
    if [ -n "$TRUTHBED_ROS_FOLDER" ] && [ -z "${ROS_DISTRO:-}" ]; then
        . "$TRUTHBED_ROS_FOLDER/setup.$truthbed_shell"
    fi
    . "$truthbed_root/.venv/local_setup.sh"
    . "$truthbed_root/install/local_setup.$truthbed_shell"

    export FASTDDS_DEFAULT_PROFILES_FILE="${FASTDDS_DEFAULT_PROFILES_FILE:-$truthbed_root/config/fastdds.xml}"
    case ${ROS_DISTRO:-} in
    humble | iron | jazzy) # Fast DDS 2 knows the variable by its older name; 3 warns of that.
        export FASTRTPS_DEFAULT_PROFILES_FILE="${FASTRTPS_DEFAULT_PROFILES_FILE:-$FASTDDS_DEFAULT_PROFILES_FILE}"
        ;;
    esac
    truthbed_status=0
else
    echo "env.sh: Truthbed is not set up in $truthbed_root; run \`make setup\` there first" >&2
    truthbed_status=1
fi

if [ -n "$truthbed_nounset" ]; then
    set -u
fi
unset truthbed_root truthbed_shell truthbed_nounset TRUTHBED_ROS_FOLDER
# The status of the last command is the status of `. ./env.sh`; the variable cannot outlive it.
if [ "$truthbed_status" = 0 ]; then
    unset truthbed_status
else
    unset truthbed_status
    false
fi
