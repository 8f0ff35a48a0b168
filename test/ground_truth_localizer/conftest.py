import pytest


@pytest.fixture
def bench(tmp_path):
    """Makes laser_localizer nodes with a feeder each, and ends them."""
    from laser_bench import Bench  # needs ROS, which the tests of the algorithms do without

    made = []

    def make(**overrides):
        made.append(Bench(tmp_path, **overrides))
        return made[-1]

    yield make
    for one in made:
        one.close()
