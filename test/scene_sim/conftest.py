import signal

import pytest


@pytest.fixture
def listener(request):
    """A node that hears the simulator, in the test module's DOMAIN."""
    from node_graph import Listener

    made = Listener(request.module.DOMAIN)
    yield made
    made.close()


@pytest.fixture
def simulator(request):
    """The simulator as a process of its own, with the module's OPTIONS."""
    from node_graph import PATIENCE, start

    process = start(request.module.DOMAIN, *request.module.OPTIONS)
    yield process
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)
