"""What `kanon-tui completion` prints works in the shell it is for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.commands.command_line import ENVIRONMENT, PATIENCE, kanon, said

ASK = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_LINE="{words}"
COMP_POINT=${{#COMP_LINE}}
_shtab_kanon_tui kanon-tui "${{COMP_WORDS[-1]}}" "${{COMP_WORDS[-2]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    done = kanon("completion", "bash", folder=folder)
    assert done.returncode == 0, done.stderr
    path = folder / "kanon-tui"
    path.write_text(done.stdout)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("kanon-tui sim", {"simulate"}),
        ("kanon-tui run --alg", {"--algorithm"}),
        ("kanon-tui run --algorithm k-", {"k-member"}),
        ("kanon-tui demo wa", {"ward"}),
        ("kanon-tui hierarchy v", {"validate"}),
    ],
)
def test_bash_completes(script: Path, typed: str, offered: set[str]) -> None:
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK.format(script=script, words=typed)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert set(done.stdout.split()) == offered, done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script_of_their_own(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    script = said("completion", shell, capsys=capsys, code=0)
    assert "rerelease" in script
    assert "k-member" in script


def test_an_unknown_shell_gets_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert "'bash', 'zsh', 'fish'" in said("completion", "csh", capsys=capsys)
