# Sourced by setup.sh: find what the system lacks, and install it or name it with one command.
#
# need_system sets `python` to the interpreter to use. Missing packages are installed when we are
# root on a machine with apt; otherwise all of them are named at once and set-up ends.

readonly OLDEST_PYTHON=10 NEWEST_PYTHON=13 # 3.x; the ROS wheels exist for these

minor_version() { # of an interpreter: 11 for 3.11; fails when it does not run
    "$1" -c 'import sys; assert sys.version_info.major == 3; print(sys.version_info.minor)' \
        2>/dev/null
}

interpreter_fits() {
    local minor
    minor=$(minor_version "$1") || return 1
    # Beside a distribution of ROS the interpreter is the distribution's, whatever its version.
    [ -n "$TRUTHBED_ROS_FOLDER" ] ||
        { [ "$minor" -ge "$OLDEST_PYTHON" ] && [ "$minor" -le "$NEWEST_PYTHON" ]; }
}

choose_python() { # sets `python`, to "" when no interpreter fits
    local candidate candidates=(python3 python3.13 python3.12 python3.11 python3.10 /usr/bin/python3)
    python=
    if [ -n "${PYTHON:-}" ]; then
        interpreter_fits "$PYTHON" || fail "PYTHON=$PYTHON is not CPython 3.$OLDEST_PYTHON to" \
            "3.$NEWEST_PYTHON: $("$PYTHON" -V 2>&1 | head -n 1)"
        candidates=("$PYTHON")
    elif [ -n "$TRUTHBED_ROS_FOLDER" ]; then
        candidates=(/usr/bin/python3 python3)
    fi
    for candidate in "${candidates[@]}"; do
        if interpreter_fits "$candidate"; then
            # In a shell where a virtual environment is active: the interpreter it was made with.
            # By its own name, as that environment may know it by another than the shell before.
            python=$("$candidate" -c 'import os, sys; print(os.path.realpath(sys._base_executable))')
            return
        fi
    done
}

system_interpreter() { [[ $1 = /usr/bin/* ]]; }

missing_for_python() {
    local package=python3
    if [ -z "$python" ]; then
        if [ -x /usr/bin/python3 ]; then
            fail "no CPython 3.$OLDEST_PYTHON to 3.$NEWEST_PYTHON found (python3 is" \
                "$(python3 -V 2>&1)); ROS 2's wheels exist for no other. Install one and run" \
                "again, or name it: make setup PYTHON=/path/to/python3.$NEWEST_PYTHON"
        fi
        echo python3 python3-venv python3-dev
        return
    fi
    if [ "$(minor_version /usr/bin/python3 || true)" != "$(minor_version "$python")" ]; then
        package=python3.$(minor_version "$python")
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        system_interpreter "$python" || fail "$python lacks the modules venv and ensurepip"
        echo "$package-venv"
    fi
    if ! "$python" -c 'import pathlib, sys, sysconfig
sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").exists())'; then
        system_interpreter "$python" || fail "$python has no headers (Python.h)"
        echo "$package-dev"
    fi
}

missing_programs() {
    local program
    for program in make git gcc g++; do
        command -v "$program" >/dev/null || echo "$program"
    done
}

missing_renderer() { # EGL with a driver, or OSMesa: either draws without a GPU or a display
    local libraries
    libraries=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null || true)
    if [[ $libraries = *libOSMesa.so* ]]; then
        return
    fi
    [[ $libraries = *libEGL.so.1* ]] || echo libegl1
    [[ $libraries = *libGL.so.1* ]] || echo libgl1
    if [ -z "$(find /usr/lib /usr/lib64 -maxdepth 3 \( -name swrast_dri.so -o \
        -name 'libgallium*.so' -o -name 'libEGL_nvidia.so*' \) -print -quit 2>/dev/null)" ]; then
        echo libgl1-mesa-dri
    fi
}

missing_beside_ros() { # Debian packages of what package.xml asks of the distribution
    local distribution module package
    distribution=$(basename "$TRUTHBED_ROS_FOLDER")
    while read -r module package; do
        # shellcheck disable=SC1091
        if ! (set +u; . "$TRUTHBED_ROS_FOLDER/setup.bash" && "$python" -c "import $module") \
            >/dev/null 2>&1; then
            echo "${package/DISTRO/$distribution}"
        fi
    done <<'MODULES'
colcon_core python3-colcon-common-extensions
numpy python3-numpy
scipy python3-scipy
cv2 python3-opencv
matplotlib python3-matplotlib
PIL python3-pil
jinja2 python3-jinja2
yaml python3-yaml
aiohttp python3-aiohttp
cryptography python3-cryptography
pytest python3-pytest
hypothesis python3-hypothesis
rclpy ros-DISTRO-rclpy
ros2launch ros-DISTRO-ros2launch
launch_xml ros-DISTRO-launch-xml
tf2_ros ros-DISTRO-tf2-ros-py
xacro ros-DISTRO-xacro
nav_msgs ros-DISTRO-nav-msgs
visualization_msgs ros-DISTRO-visualization-msgs
MODULES
    [ -d "$TRUTHBED_ROS_FOLDER/share/robot_state_publisher" ] ||
        echo "ros-$distribution-robot-state-publisher"
}

list_missing() {
    missing_for_python
    missing_programs
    missing_renderer
    if [ -n "$TRUTHBED_ROS_FOLDER" ] && [ -n "$python" ]; then
        missing_beside_ros
    fi
}

need_system() {
    local missing
    if [ -z "$TRUTHBED_ROS_FOLDER" ] && [ "$(uname -sm)" != "Linux x86_64" ]; then
        fail "without a ROS 2 distribution only Linux on x86-64 is possible (here: $(uname -sm))"
    fi
    choose_python
    missing=$(list_missing)
    if [ -z "$missing" ]; then
        return
    fi
    missing=$(tr '\n' ' ' <<<"$missing")
    missing=${missing% }
    if ! command -v apt-get >/dev/null; then
        fail "missing (names of Debian's packages): $missing"
    elif [ "$(id -u)" != 0 ]; then
        fail "the system lacks some packages; install them, then run again:
    sudo apt-get update && sudo apt-get install -y $missing"
    fi
    say "installing $missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null
    # shellcheck disable=SC2086  # one word per package is wanted
    apt-get install -qq -y --no-install-recommends $missing </dev/null >/dev/null
    choose_python
    missing=$(list_missing | tr '\n' ' ')
    [ -z "$missing" ] || fail "still missing after installing: $missing"
}
