"""The parts of setting up that can be tried without setting up."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELLS = [shell for shell in ("bash", "zsh") if shutil.which(shell)]


def run(shell: str, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [shell, "-uc", code],
        env={"PATH": os.environ["PATH"], "HOME": "/", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def load_point_wheels_here():
    path = ROOT / "underlay" / "point_wheels_here.py"
    spec = importlib.util.spec_from_file_location("point_wheels_here", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("version", ["3.10", "3.11", "3.13"])
def test_wheels_are_pointed_here_whatever_their_builder(version):
    builder = f"/opt/python/cp{version.replace('.', '')}-cp{version.replace('.', '')}"
    text = (
        f'INCLUDES "${{_PREFIX}}/include;{builder}/include/python{version};'
        f'{builder}/lib/python{version}/site-packages/numpy/_core/include"\n'
        f'"{builder}/lib/python{version}/site-packages/numpy/core/include"'
    )
    assert load_point_wheels_here().rewrite(text, "/here/python", "/here/numpy") == (
        'INCLUDES "${_PREFIX}/include;/here/python;/here/numpy"\n"/here/numpy"'
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "underlay").mkdir()
    for name in ("env.sh", "underlay/find_ros.sh"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def pretend_set_up(checkout: Path) -> None:
    for folder in (".venv", "install"):
        (checkout / folder).mkdir()
    (checkout / ".venv" / ".ready").touch()
    (checkout / ".venv" / "local_setup.sh").write_text(
        'export MUJOCO_GL="${MUJOCO_GL:-egl}"\nexport FROM_VENV=$UNSET_BEFORE\n'
    )
    for shell in ("sh", "bash", "zsh"):
        (checkout / "install" / f"local_setup.{shell}").write_text("export FROM_INSTALL=yes\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_env_says_when_nothing_is_set_up(checkout, shell):
    done = run(shell, f". {checkout}/env.sh; echo status $?")
    assert "status 1" in done.stdout
    assert f"not set up in {checkout}; run `make setup`" in done.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_env_works_from_any_folder_and_restores_nounset(checkout, shell):
    pretend_set_up(checkout)
    code = (
        f"cd /; . {checkout}/env.sh; echo $? $FROM_INSTALL $MUJOCO_GL "
        "$FASTDDS_DEFAULT_PROFILES_FILE; echo $NEVER_SET; echo not reached"
    )
    done = run(shell, code, TRUTHBED_ROS="none")
    assert done.stdout == f"0 yes egl {checkout}/config/fastdds.xml\n"
    assert "NEVER_SET" in done.stderr


@pytest.mark.parametrize("shell", SHELLS)
def test_env_keeps_what_the_user_set(checkout, shell):
    pretend_set_up(checkout)
    done = run(
        shell,
        f". {checkout}/env.sh; echo $MUJOCO_GL $FASTDDS_DEFAULT_PROFILES_FILE",
        TRUTHBED_ROS="none",
        MUJOCO_GL="osmesa",
        FASTDDS_DEFAULT_PROFILES_FILE="/mine.xml",
    )
    assert done.stdout == "osmesa /mine.xml\n"


@pytest.mark.parametrize(("distribution", "named"), [("jazzy", True), ("kilted", False)])
def test_env_names_the_profile_as_the_release_of_fast_dds_wants(checkout, distribution, named):
    pretend_set_up(checkout)
    done = run(
        "bash",
        f". {checkout}/env.sh; echo ${{FASTRTPS_DEFAULT_PROFILES_FILE:-absent}}",
        TRUTHBED_ROS=str(checkout),
        ROS_DISTRO=distribution,
    )
    assert done.stdout == (f"{checkout}/config/fastdds.xml\n" if named else "absent\n")


def test_a_named_distribution_is_taken(tmp_path):
    code = f". {ROOT}/underlay/find_ros.sh; truthbed_find_ros; echo found $TRUTHBED_ROS_FOLDER"
    assert run("bash", code, TRUTHBED_ROS=str(tmp_path)).stdout == f"found {tmp_path}\n"
    assert run("bash", code, TRUTHBED_ROS="none").stdout == "found\n"


NEEDS = f"""
fail() {{ echo "FAIL $*"; exit 1; }}
say() {{ echo "SAY $*"; }}
TRUTHBED_ROS_FOLDER=
. {ROOT}/underlay/system_needs.sh
"""


def test_all_that_is_missing_is_named_in_one_line():
    code = (
        NEEDS
        + """
        id() { echo 1000; }
        apt-get() { echo "must not be called"; }
        choose_python() { python=/usr/bin/python3; }
        list_missing() { printf '%s\\n' python3-venv g++ libegl1; }
        need_system
        """
    )
    done = run("bash", code)
    assert done.returncode == 1
    assert (
        "sudo apt-get update && sudo apt-get install -y python3-venv g++ libegl1\n" in done.stdout
    )
    assert "must not be called" not in done.stdout


def test_root_gets_it_installed():
    code = (
        NEEDS
        + """
        id() { echo 0; }
        installed=
        apt-get() { if [ "$1" = install ]; then echo "apt $*" >&2; installed=yes; fi; }
        choose_python() { python=/usr/bin/python3; }
        list_missing() { [ -n "$installed" ] || printf '%s\\n' python3-venv g++; }
        need_system
        echo went on
        """
    )
    done = run("bash", code)
    assert done.stdout.endswith("went on\n")
    assert "python3-venv g++" in done.stderr


@pytest.mark.parametrize("minor", [9, 14])
def test_a_python_without_wheels_is_refused_by_name(tmp_path, minor):
    fake = tmp_path / "python3"
    fake.write_text(
        f'#!/bin/sh\ncase "$1" in -V) echo Python 3.{minor}.0 ;; *) echo {minor} ;; esac\n'
    )
    fake.chmod(0o755)
    done = run("bash", NEEDS + "choose_python", PYTHON=str(fake))
    assert done.returncode == 1
    assert f"PYTHON={fake} is not CPython 3.10 to 3.13: Python 3.{minor}.0" in done.stdout


def test_a_python_is_known_by_one_name(tmp_path):
    """Else the environment is made anew in the first shell that finds it by another."""
    own = os.path.realpath(sys._base_executable)
    link = tmp_path / "python3"
    link.symlink_to(own)
    done = run("bash", NEEDS + 'choose_python; echo "$python"', PYTHON=str(link))
    assert done.stdout.strip() == own
