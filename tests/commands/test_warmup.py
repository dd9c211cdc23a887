"""`kanon-tui warmup` says what it did, and that nothing is left to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kanon_tui.core.kernels import machine_code
from kanon_tui.core.run import warm_up
from tests.commands.command_line import said


def test_a_second_call_has_nothing_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    warm_up.warm_up()
    every = len(warm_up.kernels_by_name())
    answer = said("warmup", capsys=capsys, code=0)
    assert answer.startswith(f"nothing to do: {every} kernels are compiled, in ")


def test_it_says_how_many_and_where(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = ["boxes.one", "boxes.other"]

    def compile_all(all_users: bool) -> Iterator[int]:
        while missing:
            missing.pop()
            yield len(missing)

    monkeypatch.setattr(warm_up, "uncompiled", lambda: iter(missing))
    monkeypatch.setattr(warm_up, "compile_all", compile_all)
    answer = said("warmup", capsys=capsys, code=0)
    assert answer.startswith("compiled 2 kernels in ")
    assert f"kept in {warm_up.kernel_folder()}" in answer


def test_what_could_not_be_kept_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_up, "uncompiled", lambda: iter(["boxes.one"]))
    monkeypatch.setattr(warm_up, "compile_all", lambda all_users: iter([1]))
    assert "1 kernel of 1 could not be kept" in said("warmup", capsys=capsys, code=1)


def test_beside_a_package_that_cannot_be_written_nothing_is_kept(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(machine_code, "BESIDE_PACKAGE", tmp_path / "file" / "kernels")
    monkeypatch.setattr(machine_code, "_for_all_users", False)
    try:
        assert "leave --all-users out" in said("warmup", "--all-users", capsys=capsys)
    finally:
        machine_code.places.cache_clear()
