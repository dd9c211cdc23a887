"""Jobs in this process: several at a time, answers in order, an end when nobody listens."""

from __future__ import annotations

import threading

import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.processes import workers
from kanon_tui.core.processes.workers import LocalWorkers


@pytest.fixture(params=[1, 3])
def cores(request, monkeypatch):
    monkeypatch.setattr(workers, "cores", lambda: request.param)
    return request.param


def test_answers_come_in_order_and_errors_as_they_are(cores):
    def job(shared, number):
        if number == shared:
            raise InputError("that one")
        return number

    arguments = [(number,) for number in range(20)]
    assert list(LocalWorkers().map(job, None, arguments)) == list(range(20))
    answers = LocalWorkers().map(job, 7, arguments)
    assert [next(answers) for _ in range(7)] == list(range(7))
    with pytest.raises(InputError, match="that one"):
        next(answers)


def test_whoever_stops_listening_stops_the_work(cores):
    begun: list[int] = []

    def job(shared, number):
        begun.append(number)

    answers = LocalWorkers().map(job, None, [(number,) for number in range(50)])
    next(answers)
    answers.close()
    assert len(begun) <= 1 + cores
    assert not [one for one in threading.enumerate() if one.name.startswith("kanon-piece")]
