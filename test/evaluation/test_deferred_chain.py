"""Images measured in other processes: the same figures, and the same trouble told."""

import os
import signal

import numpy as np
import pytest
from test_evaluate_bag import run

from evaluation.deferred_chain import BATCH, DeferredChain
from evaluation.errors import EvaluationError
from evaluation.estimator_chain import EstimatorChain
from evaluation.evaluate_bag import main
from evaluation.trial import Variant
from ground_truth_localizer.target_state import TargetState
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.transforms import Transform

FUSED = Variant("replayed", "fused", None, {})
LOOKS_ALONG_Y = Transform(np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]]), np.zeros(3))


def camera(width=320):
    matrix = np.array([[386.0, 0, 159.5], [0, 386.0, 119.5], [0, 0, 1]])
    return CameraModel(width, 240, matrix)


def frame(stamp):
    return CameraFrame(stamp, "camera_optical_frame", np.zeros((240, 320, 3), np.uint8))


def watching(chain):
    """Let a chain know of a target, as scans would."""
    chain._target = TargetState(0, np.array([0.0, 2.0]), np.zeros(2), np.eye(4) * 1e-4)
    return chain


@pytest.fixture
def deferred():
    chain = watching(DeferredChain(FUSED, "model", None, 2))
    yield chain
    chain.close()


def test_the_number_of_processes_changes_no_figure(recorded, tmp_path):
    _, bag = recorded
    alone, shared = (run(tmp_path, bag, "--jobs", jobs)[1] for jobs in (1, 3))
    for figures in (alone, shared):
        del figures["run"]
    assert alone == shared


def test_images_that_are_refused_are_told_as_ever(deferred):
    alone = watching(EstimatorChain(FUSED, "model"))
    for k in range(BATCH + 3):
        deferred.on_image(frame(k), camera(321 if k == 2 else 320), LOOKS_ALONG_Y)
    with pytest.raises(ValueError, match="320x240") as told:
        alone.on_image(frame(2), camera(321), LOOKS_ALONG_Y)
    deferred.track()
    assert [str(error) for error in deferred.failures] == [str(told.value)]
    assert sum(deferred.unusable.values()) == BATCH + 2


def test_a_process_that_is_ended_is_told(deferred):
    deferred.on_image(frame(0), camera(), LOOKS_ALONG_Y)
    deferred._hand_out()
    for process in list(deferred._pool._processes):
        os.kill(process, signal.SIGKILL)
    deferred.on_image(frame(1), camera(), LOOKS_ALONG_Y)
    with pytest.raises(EvaluationError, match="was ended"):
        deferred.track()


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_an_impossible_number_of_processes_is_refused(tmp_path, capsys, jobs):
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--jobs", jobs])
    assert "--jobs" in capsys.readouterr().err
