"""The life of the processes: output, death, respawn, shutdown, and nothing left behind."""

import os
import pty
import re
import signal
import sys

import pytest
from conftest import COMMAND, IS_REAL, finish, is_alive, ours_only, read_until, wait_for

STARTED = re.compile(r"\[([\w.]+-\d+)\]: process started with pid \[(\d+)\]")


def pids(lines):
    return {name: int(pid) for name, pid in STARTED.findall("\n".join(lines))}


def node(executable, more="", inside=""):
    return f'<node pkg="things" exec="{executable}" output="screen" {more}>{inside}</node>'


def read_until_ready(process, count):
    """Lines up to the moment that so many nodes have said that they are ready."""
    lines = []
    while sum("ready" in line for line in lines) < count:
        lines += read_until(process, "ready")
    return lines


def test_a_dead_node_is_named_with_the_reason(ros2):
    path = ros2.write(node("broken", 'name="lamp"'))
    code, output = ros2.run("launch", path)
    assert code == 0  # as the real one: only a mistake of launch itself counts
    died = (
        r"\[ERROR\] \[broken-1\]: process has died \[pid \d+, exit code 7, cmd '.*/broken .*'\]\."
    )
    assert re.search(died, output)
    assert "[broken-1] something is wrong with the lamp" in output


def test_the_processes_share_the_launchers_session(ros2):
    # Otherwise niceness would not count between them, where Linux groups by session.
    process = ros2.start("launch", ros2.write(node("sleeper") + node("sleeper")))
    started = pids(read_until_ready(process, 2))
    assert {os.getsid(pid) for pid in started.values()} == {os.getsid(process.pid)}
    process.send_signal(signal.SIGINT)
    finish(process)


@pytest.mark.parametrize("call", ["open('/dev/tty').read()", "termios.tcflush(0, 2)"])
def test_at_a_terminal_a_process_that_wants_it_is_told_and_not_stopped(ros2, call):
    code = f"import os, termios; os.dup2(os.open('/dev/tty', 2), 0); {call}"
    body = f'<executable cmd="{sys.executable} -c &quot;{code}&quot;" name="asker" output="both"/>'
    path = ros2.write(body + node("sleeper"))
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [*COMMAND, "launch", str(path)], ros2.environment)
    text = ""
    while "asker-1]: process has" not in text:  # died, or finished
        text += os.read(terminal, 4096).decode()
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0


def test_which_output_is_shown(ros2):
    command = 'sh -c "echo to-stdout; echo to-stderr &gt;&amp;2"'.replace('"', "&quot;")
    body = "".join(
        f'<executable cmd="{command}" name="{mode}" output="{mode}"/>'
        for mode in ("screen", "log", "both")
    )
    _, output = ros2.run("launch", ros2.write(body))
    shown = set(re.findall(r"^\[(\w+)-\d\] (to-\w+)$", output, re.MULTILINE))
    everything = {
        (mode, f"to-{kind}") for mode in ("screen", "both") for kind in ("stdout", "stderr")
    }
    assert shown == everything | {("log", "to-stderr")}


def test_ctrl_c_stops_everything(ros2):
    process = ros2.start("launch", ros2.write(node("sleeper") + node("sleeper")))
    started = pids(read_until_ready(process, 2))
    process.send_signal(signal.SIGINT)
    output = finish(process)
    assert process.returncode == 0
    assert "user interrupted with ctrl-c (SIGINT)" in output
    assert output.count("finished cleanly") == 2
    assert len(started) == 2
    assert not any(is_alive(pid) for pid in started.values())


def test_who_does_not_listen_is_killed(ros2):
    timeouts = 'sigterm_timeout="0.3" sigkill_timeout="0.3"'
    process = ros2.start("launch", ros2.write(node("stubborn", timeouts)))
    started = pids(read_until(process, "ready"))
    process.send_signal(signal.SIGINT)
    output = finish(process)
    assert process.returncode == 0
    assert "after receiving 'SIGINT', escalating to 'SIGTERM'" in output
    assert "after receiving 'SIGTERM', escalating to 'SIGKILL'" in output
    assert "exit code -9" in output
    assert not is_alive(started["stubborn-1"])


def test_on_exit_shutdown(ros2):
    path = ros2.write(node("sleeper") + node("broken", 'on_exit="shutdown"'))
    code, output = ros2.run("launch", path)
    assert code == (0 if IS_REAL else 1)  # the real one returns 0 whatever its processes return
    assert "sending signal 'SIGINT' to process[sleeper-1]" in output


def test_on_exit_shutdown_of_a_node_that_ends_well(ros2):
    ended = '<executable cmd="true" on_exit="shutdown"/>'
    code, output = ros2.run("launch", ros2.write(node("sleeper") + ended))
    assert code == 0
    assert "was required: shutting down" in output


@ours_only
def test_a_required_process_that_cannot_start_ends_the_launch(ros2):
    missing = '<executable cmd="no_such_program" on_exit="shutdown"/>'
    code, output = ros2.run("launch", ros2.write(node("sleeper") + missing))
    assert code == 1
    assert "exception occurred while executing process" in output


def test_respawn(ros2):
    path = ros2.write(node("broken", 'respawn="true" respawn_delay="0.05" respawn_max_retries="2"'))
    code, output = ros2.run("launch", path)
    assert code == 0
    assert output.count("process started with pid") == 3
    assert output.count("process has died") == 3


def test_ctrl_c_while_waiting_to_respawn(ros2):
    path = ros2.write(node("broken", 'respawn="true" respawn_delay="1000"') + node("sleeper"))
    process = ros2.start("launch", path)
    lines = []
    while not ({"ready", "died"} <= {w for line in lines for w in ("ready", "died") if w in line}):
        lines.append(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    finish(process)
    assert process.returncode == 0


def test_an_executable_that_does_not_exist(ros2):
    path = ros2.write(
        '<executable cmd="no_such_program"/><executable cmd="echo other" output="screen"/>'
    )
    code, output = ros2.run("launch", path)
    assert code == 0
    assert "exception occurred while executing process" in output
    assert "other" in output


@ours_only
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_termination_stops_everything_too(ros2, number):
    process = ros2.start("launch", ros2.write(node("sleeper") + node("sleeper")))
    started = pids(read_until_ready(process, 2))
    process.send_signal(number)
    finish(process)
    assert process.returncode == 1
    assert not any(is_alive(pid) for pid in started.values())


@ours_only
def test_nothing_is_left_when_the_runner_is_killed(ros2):
    body = node("sleeper", 'args="family"') + node("stubborn")
    process = ros2.start("launch", ros2.write(body))
    lines = read_until_ready(process, 2)
    family = family_of(pids(lines)["sleeper-1"])
    everyone = {*pids(lines).values(), *family}
    assert len(everyone) == 3
    process.send_signal(signal.SIGKILL)
    wait_for(lambda: not any(is_alive(pid) for pid in everyone))


@ours_only
def test_grandchildren_do_not_outlive_their_node(ros2):
    process = ros2.start("launch", ros2.write(node("sleeper", 'args="family"')))
    started = pids(read_until(process, "ready"))
    family = family_of(started["sleeper-1"])
    assert len(family) == 1
    process.send_signal(signal.SIGINT)
    finish(process)
    assert not any(is_alive(pid) for pid in family)


@ours_only
def test_the_reason_is_told_again_where_the_node_dies(ros2):
    body = node("broken").replace('output="screen"', 'output="own_log"')
    _, output = ros2.run("launch", ros2.write(body))
    assert "last lines of its stderr:\n    something is wrong with the lamp" in output


def family_of(pid):
    """Processes of a group beside its leader."""
    from ros2cli.launch_runner.child import group_members

    return wait_for(lambda: group_members(pid) - {pid})


@ours_only
def test_temporary_files_are_removed(ros2):
    temporary = ros2.folder / "temporary"
    temporary.mkdir()
    ros2.environment["TMPDIR"] = str(temporary)
    ros2.shown(node("show", inside='<param name="a" value="1"/>'))
    assert list(temporary.iterdir()) == []
