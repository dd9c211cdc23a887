"""`kanon-tui hierarchy`: build, validate and convert."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.commands.command_line import kanon, said


def test_hierarchies_are_built_checked_and_converted(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = kanon(
        *("hierarchy", "build", "people.csv", "--attribute", "age", "--builder", "intervals"),
        *("--set", "widths=5,10", "--out", "age.csv"),
        folder=folder,
    )
    assert done.returncode == 0
    assert "wrote age.csv: 8 values, height 3" in done.stdout
    assert (folder / "age.csv").read_text().splitlines()[0] == "21;20-24;20-29;*"
    done = kanon("hierarchy", "validate", "age.csv", "--data", "p.yaml", folder=folder)
    assert "age.csv is valid: 8 values" in done.stdout
    assert "it covers every value of age" in done.stdout
    assert kanon("hierarchy", "convert", "age.csv", "age.yaml", folder=folder).returncode == 0
    monkeypatch.chdir(folder)
    assert "wrote" in said("hierarchy", "convert", "age.yaml", "age.xml", capsys=capsys, code=0)
    assert "\n  21: [20-24, 20-29, '*']\n" in (folder / "age.yaml").read_text()
    back = ("hierarchy", "convert", "age.xml", "back.csv", "--attribute", "age")
    assert "wrote" in said(*back, "--data", "people.csv", capsys=capsys, code=0)
    assert (folder / "back.csv").read_text() == (folder / "age.csv").read_text()


def test_hierarchies_from_the_other_builders(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = str(folder / "people.csv")
    for number, (attribute, builder, *keys) in enumerate(
        (
            ("zip", "mask", "from=left", "levels=2"),
            ("age", "breaks", "levels=[[40, 65], [65]]"),
            ("age", "quantiles", "bins=2"),
            ("sex", "groups", "levels=[{Person: [F, M]}]"),
            ("sex", "flat"),
            ("age", "mask"),
        )
    ):
        out = str(folder / f"{number}.csv")
        sets = [word for key in keys for word in ("--set", key)]
        built = ("hierarchy", "build", data, "--attribute", attribute, "--builder", builder)
        assert "wrote" in said(*built, *sets, "--out", out, capsys=capsys, code=0)
        assert "is valid" in said("hierarchy", "validate", out, capsys=capsys, code=0)
    assert (folder / "1.csv").read_text().splitlines()[0] == "21;<40;<65;*"
    assert (folder / "3.csv").read_text() == "F;Person\nM;Person\n"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--attribute", "agee", "--builder", "flat"), "there is no column 'agee'; did you mean"),
        (("--attribute", "age", "--builder", "interval"), "did you mean 'intervals'?"),
        (
            ("--attribute", "age", "--builder", "intervals", "--set", "widths=wide"),
            "write a list of numbers above 0",
        ),
        (("--attribute", "sex", "--builder", "intervals"), "is for numeric and date attributes"),
        (
            ("--attribute", "age", "--builder", "breaks", "--set", "levels=[[1"),
            "--set levels: line 2, column 1: not valid YAML",
        ),
    ],
)
def test_hierarchies_that_cannot_be_built(
    args: Sequence[str], expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "h.csv"
    build = ("hierarchy", "build", str(folder / "people.csv"), "--out", str(out))
    assert expected in said(*build, *args, capsys=capsys)
    assert not out.exists()
