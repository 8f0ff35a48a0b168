"""A punctual program keeps its memory, and garbage collection leaves alone what stays."""

import gc
import subprocess
import sys

import pytest

from ros_interface.process_memory import keep_freed_memory

PROGRAM = """
import resource
import sys
from ros_interface.process_memory import keep_freed_memory

assert len(sys.argv) == 1 or keep_freed_memory()


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def images():
    for _ in range(200):
        one, other = b"x" * 230_400, b"y" * 921_600


images()
before = faults()
images()
print(faults() - before)
"""


def faults_of(*arguments):
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


@pytest.mark.skipif(not keep_freed_memory(), reason="the C library is not glibc")
def test_images_of_a_stream_lie_where_the_ones_before_lay():
    assert faults_of("kept") < 100 < faults_of()


def test_what_stays_is_not_looked_through_again():
    code = (
        "import gc; from ros_interface.process_memory import spare_what_stays as s; s();"
        "print(gc.get_freeze_count() > 1000, len(gc.get_objects()) < 1000)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert shown.stdout.split() == ["True", "True"]
    assert gc.get_freeze_count() == 0
