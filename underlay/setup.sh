#!/usr/bin/env bash
# Set this checkout up: what the system lacks, the virtual environment `.venv`, the underlay (only
# on a machine without ROS 2) and the package itself, built with colcon into build/ and install/.
#
# Each of the three steps leaves a stamp of what it was made from and does nothing when the stamp
# still fits, so a second run takes a second or two.
#
#   PYTHON=...        the interpreter to use, instead of the first one that fits
#   TRUTHBED_ROS=...  folder of a ROS 2 distribution to use, or `none` for the wheels
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
. underlay/find_ros.sh
. underlay/system_needs.sh
venv=$root/.venv
# Raise it when `.venv` is to be made anew everywhere because this script makes it differently.
readonly WAY_OF_MAKING=1

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

fingerprint() { # of the files named, and of the words on standard input
    { cat; find "$@" -type f ! -path '*/__pycache__/*' ! -path '*/.*' \
        ! -path '*/page/node_modules/*' ! -path '*/page/build/*' -print0 |
        LC_ALL=C sort -z | xargs -0 cksum; } | cksum
}

make_environment() {
    local wanted
    wanted=$(fingerprint requirements.txt underlay/requirements.txt underlay/point_wheels_here.py \
        <<<"$WAY_OF_MAKING $venv $python $("$python" -VV) $TRUTHBED_ROS_FOLDER")
    if [ "$(cat "$venv/.ready" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    say "making .venv with $("$python" -V) ($python); its packages, up to 1.5 GB, take minutes"
    rm -rf "$venv" build install log
    if [ -n "$TRUTHBED_ROS_FOLDER" ]; then
        make_environment_beside_ros
    else
        make_environment_of_wheels
    fi
    write_local_setup
    say "trying the renderer"
    choose_renderer
    printf '%s\n' "$wanted" >"$venv/.ready"
}

make_environment_of_wheels() {
    "$python" -m venv "$venv"
    "$venv/bin/pip" install -qq --no-compile --disable-pip-version-check \
        -r underlay/requirements.txt -r requirements.txt
    "$venv/bin/python" underlay/point_wheels_here.py
}

make_environment_beside_ros() {
    # The distribution's compiled messages fit the distribution's NumPy and no other.
    "$python" -m venv --system-site-packages "$venv"
    write_local_setup
    in_environment python -c 'import numpy; print(f"numpy=={numpy.__version__}")' \
        >"$venv/constraints.txt"
    in_environment python -m pip install -qq --no-compile --disable-pip-version-check \
        -c "$venv/constraints.txt" -r requirements.txt
}

write_local_setup() {
    local packages libraries
    packages=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    {
        echo "# Made by underlay/setup.sh; env.sh and install/setup.bash read it."
        echo "export VIRTUAL_ENV='$venv'"
        echo "case :\$PATH: in *':$venv/bin:'*) ;; *) export PATH='$venv/bin':\"\$PATH\" ;; esac"
        if [ -n "$TRUTHBED_ROS_FOLDER" ]; then
            prepend_line PYTHONPATH "$packages"
        else
            libraries=$venv/lib$(printf ':%s' "$packages"/ros_*.libs)
            prepend_line LD_LIBRARY_PATH "$libraries"
            prepend_line AMENT_PREFIX_PATH "$venv"
            # With the library path set, the wheels need not start each program a second time.
            echo "export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1"
        fi
        echo "if [ -e '$venv/renderer.sh' ]; then . '$venv/renderer.sh'; fi"
    } >"$venv/local_setup.sh"
    for shell in bash zsh; do
        echo ". '$venv/local_setup.sh'" >"$venv/local_setup.$shell"
    done
}

prepend_line() { # shell code that puts folders before a path variable, once
    echo "case :\${$1:-}: in *':$2:'*) ;; *) export $1='$2'\"\${$1:+:\$$1}\" ;; esac"
}

choose_renderer() {
    local renderer
    for renderer in ${MUJOCO_GL:-egl osmesa}; do
        if in_environment env MUJOCO_GL="$renderer" python -c '
import mujoco
mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>"), 8, 8).render()
' >"$venv/renderer.log" 2>&1; then
            echo "export MUJOCO_GL=\"\${MUJOCO_GL:-$renderer}\"" >"$venv/renderer.sh"
            return
        fi
    done
    say "warning: MuJoCo can draw no camera image here (see .venv/renderer.log);" \
        "with Debian's libegl1 and libgl1-mesa-dri, or libosmesa6, it can without a GPU"
    echo 'export MUJOCO_GL="${MUJOCO_GL:-egl}"' >"$venv/renderer.sh"
}

in_environment() { # run a command with ROS and .venv, and install/ where it exists
    (
        set +u
        if [ -n "$TRUTHBED_ROS_FOLDER" ] && [ -z "${ROS_DISTRO:-}" ]; then
            . "$TRUTHBED_ROS_FOLDER/setup.bash"
        fi
        . "$venv/local_setup.sh"
        if [ -e install/local_setup.bash ]; then
            . install/local_setup.bash
        fi
        "$@"
    )
}

colcon_build() {
    mkdir -p log
    # colcon is run by the environment's interpreter so that the installed programs use it too.
    if ! CMAKE_PREFIX_PATH=$venv${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH} in_environment \
        python -c 'import sys; from colcon_core.command import main; sys.exit(main())' \
        build --event-handlers console_cohesion- console_direct- "$@" >log/setup.txt 2>&1; then
        cat log/setup.txt >&2
        fail "colcon build failed"
    fi
}

build() { # build(name, what to tell, files of which it is made, -- colcon arguments)
    local name=$1 stamp=build/.$1 what=$2 sources=() wanted
    shift 2
    while [ "$1" != -- ]; do
        if [ -e "$1" ]; then sources+=("$1"); fi
        shift
    done
    shift
    wanted=$(fingerprint "${sources[@]}" <"$venv/.ready")
    if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
        say "building $what"
        # From nothing: an installed module whose source is gone would still be imported.
        rm -rf "build/$name" "install/$name"
        colcon_build "$@"
        printf '%s\n' "$wanted" >"$stamp"
    fi
}

main() {
    truthbed_find_ros
    need_system
    make_environment
    if [ -z "$TRUTHBED_ROS_FOLDER" ]; then
        build underlay "the underlay" underlay -- --paths underlay/*/
    fi
    rooms=$(find . -mindepth 2 -maxdepth 2 -name __init__.py ! -path './.*' ! -path './build/*' \
        ! -path './install/*' -printf '%h ')
    # shellcheck disable=SC2086  # one word per folder is wanted
    build truthbed "truthbed" package.xml setup.py setup.cfg resource launch config worlds urdf \
        $rooms -- --paths .
    say "ready${TRUTHBED_ROS_FOLDER:+ with $TRUTHBED_ROS_FOLDER}; \`. ./env.sh\` for a shell"
}

main
