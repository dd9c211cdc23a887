"""An application that an exception ends says so without values of the data."""

from __future__ import annotations

import io

from rich.console import Console
from textual.worker import Worker, WorkerFailed

from kanon_tui.services.unexpected_end import UnexpectedEnd


def printed(*errors: BaseException | None, times: int = 1) -> str:
    console = Console(file=io.StringIO(), width=200)
    end = UnexpectedEnd(console)
    for error in errors:
        end.note(error)
    for _ in range(times):
        console.print("a traceback with the value Alice")
    return console.file.getvalue()


def raised() -> ValueError:
    try:
        raise ValueError("Alice is 34")
    except ValueError as error:
        return error


def test_the_sentence_names_type_and_place_and_no_values() -> None:
    said = printed(None, raised())
    assert "ValueError in test_unexpected_end.py:" in said
    assert "Alice" not in said


def test_the_first_exception_counts_and_is_printed_once() -> None:
    said = printed(raised(), KeyError("later"), times=2)
    assert said.count("unexpected ValueError") == 1
    assert "KeyError" not in said


def test_the_exception_of_a_worker_is_named() -> None:
    failed = WorkerFailed(raised())
    assert "unexpected ValueError" in printed(failed)
    assert Worker.__name__ not in printed(failed)


def test_without_an_exception_the_sentence_still_comes() -> None:
    assert "unexpected error" in printed()
