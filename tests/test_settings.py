"""Settings: presets of keys, the mouse, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanon_tui import app, settings
from kanon_tui.core.errors import InputError
from kanon_tui.settings import PRESETS


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def write(text: str) -> settings.Settings:
        (tmp_path / "settings.yaml").write_text(text)
        return settings.load_settings({})

    monkeypatch.setattr(settings, "user_config_path", lambda name: tmp_path)
    return write


def test_a_preset_single_keys_and_both(written) -> None:
    assert written("keys: vim").keys == PRESETS["vim"]
    assert written("keys: {save: ctrl+w}").keys == {"save": "ctrl+w"}
    both = written("keys: {preset: vim, move.up: e}").keys
    assert both == {**PRESETS["vim"], "move.up": "e"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("keys: emacs", "there are no keys named 'emacs'"),
        ("keys: [a]", "write keys: vim"),
        ("mouse: sometimes", "mouse is on or off"),
        ("theme: 3", "the name of a theme"),
        ("them: kanon-dark", "unknown setting 'them'"),
        ("- theme", "one setting a line"),
    ],
)
def test_what_does_not_fit_is_refused(written, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        written(text)


@pytest.mark.parametrize(
    ("text", "asked", "mouse"),
    [("", True, True), ("mouse: off", True, False), ("mouse: on", False, False)],
)
def test_the_mouse_can_be_left_to_the_terminal(
    written, monkeypatch: pytest.MonkeyPatch, text: str, asked: bool, mouse: bool
) -> None:
    written(text)
    ran: list[bool] = []
    monkeypatch.setattr(app.KanonApp, "run", lambda self, mouse: ran.append(mouse))
    app.launch(None, mouse=asked)
    assert ran == [mouse]


def test_a_key_for_something_that_does_not_exist_is_refused(written, monkeypatch) -> None:
    written("keys: {rum.start: f5}")
    monkeypatch.setattr(app.KanonApp, "run", lambda self, mouse: None)
    with pytest.raises(InputError, match=r"nothing named 'rum.start'; did you mean 'run.start'"):
        app.launch(None)
