"""The scenarios of todo-load, small: each proves at its end that the lists of all sessions are right."""

import json
import subprocess
from pathlib import Path

import pytest

from process import server_binary

LOAD = Path(server_binary()).parent / "todo-load"


def play(scenario, *flags):
    arguments = [str(LOAD), "--scenario", scenario, "--sessions", "12", "--projects", "3", "--rate", "20", "--seconds", "1", "--json", *flags]
    ended = subprocess.run(arguments, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    report = json.loads(ended.stdout)
    assert report["ok"] is True and report["failures"] == []
    return {step["name"]: step for step in report["steps"]}


def test_sessions_that_are_cut_off_at_once_are_right_again_for_less_than_whole_lists():
    steps = play("reconnect", "--rows", "300")
    assert steps["all sessions back"]["bytesReceived"] < steps["first lists of all sessions"]["bytesReceived"] / 2
    assert steps["writing, after"]["toReaders"]["p99"] > 0


def test_sessions_that_stop_reading_end_right_beside_others_that_do_not():
    steps = play("stalled")
    assert steps["writing, some stalled"]["toReaders"]["p50"] > 0
    assert steps["writing, some stalled"]["serverMemoryBytes"] > 0


def test_large_lists_come_while_others_write():
    steps = play("first-list", "--rows", "3000")
    assert steps["writing, with first lists"]["largeList"]["max"] > 0
    assert steps["writing, with first lists"]["writes"] > 0


@pytest.mark.parametrize(("flag", "value", "hint"), [("--scenario", "storm", "reconnect"), ("--rows", "0", "from 1")])
def test_a_scenario_that_can_not_be_played_is_refused_with_what_would_be_right(flag, value, hint):
    ended = subprocess.run([str(LOAD), flag, value], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and hint in ended.stderr
