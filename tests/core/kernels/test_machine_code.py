"""Machine code is shared by copies of Kanon, fits its sources, and is nobody else's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kanon_tui.core.kernels import machine_code
from tests.paths import ROOT

pytestmark = pytest.mark.slow

ADDING = """\
from kanon_tui.core.kernels import kernel
from kanon_tui.core.kernels.constants import STEP

@kernel
def add(number):
    return number + STEP
"""
CALL = """\
import sys
from kanon_tui.core.kernels.adding import add
number = {"int": int, "float": float, "complex": complex}[sys.argv[1]](1)
print(add(number), int("numba" not in sys.modules), add.files.is_filled())
"""
FOR_ALL = """\
from kanon_tui.core.kernels.machine_code import keep_for_all_users
assert keep_for_all_users()
"""
PARTS = (
    "__init__.py", "argument_kinds.py", "compiling.py", "linking.py", "loading.py", "lowering.py",
    "machine_code.py",
)  # fmt: skip
HALVING = """\
import sys
import numpy as np
from kanon_tui.core.kernels import kernel

@kernel
def halve(numbers, halves):
    if len(numbers) == 0:
        raise ValueError("nothing to halve")
    made = np.empty(len(numbers))
    for i in range(len(numbers)):
        made[i] = numbers[i] / 2
    halves[:] = made
    return len(numbers), made[-1]

@kernel
def doubles(numbers):
    return 2 * numbers

numbers, halves = np.arange(1000.0), np.zeros(1000)
print(halve(numbers, halves), (halves == numbers / 2).all(), "numba" in sys.modules)
made = [doubles(numbers) for _ in range(3)]
print(all((each == 2 * numbers).all() for each in made))
try:
    halve(numbers[:0], halves)
except ValueError as error:
    print(error)
print(halve(np.arange(4, dtype=np.int32), halves[:4]), halves[:5], made[0][-1])
"""
BESIDE_AN_IMPORT = (
    HALVING.partition("numbers, halves =")[0]
    + """\
from importlib import import_module
from threading import Thread

beside = Thread(target=import_module, args=["numba"])
if sys.argv[1:]:
    beside.start()
    while "numba" not in sys.modules:
        pass
print(doubles(np.arange(3.0)))
"""
)


def copy_of_kanon(folder: Path, step: int = 1) -> Path:
    """As much of the package as a kernel needs, and one small kernel."""
    for name in ("kanon_tui", "kanon_tui/core", "kanon_tui/core/kernels"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
    kernels = folder / "kanon_tui" / "core" / "kernels"
    for name in PARTS:
        shutil.copy(ROOT / "kanon_tui" / "core" / "kernels" / name, kernels)
    (kernels / "adding.py").write_text(ADDING)
    (kernels / "constants.py").write_text(f"STEP = {step}\n")
    return folder


def call(copy: Path, home: Path, type_: str = "int", more: str = "") -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(copy), "HOME": str(home)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # it would outlive a change in the same second
    environment.pop("NUMBA_CACHE_DIR", None)
    return subprocess.Popen(
        [sys.executable, "-c", more + CALL, type_],
        env={**environment, "XDG_CACHE_HOME": str(home / "cache")},
        cwd=copy,
        stdout=subprocess.PIPE,
        text=True,
    )


def called(copy: Path, home: Path, type_: str = "int", more: str = "") -> str:
    """What a kernel answers in a new process, whether it was on disk, and whether it is kept."""
    with call(copy, home, type_, more) as process:
        return process.communicate()[0].strip()


def test_machine_code_from_disk_makes_arrays_and_raises_without_numba(tmp_path: Path) -> None:
    """And what was linked without numba goes on when something else has to be compiled."""
    (tmp_path / "halving.py").write_text(HALVING)

    def run() -> list[str]:
        done = subprocess.run(
            [sys.executable, "halving.py"],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    answers = ["True", "nothing to halve", "(4, 1.5) [0.  0.5 1.  1.5 2. ] 1998.0"]
    assert run() == ["(1000, 499.5) True True", *answers]
    kept = sorted((tmp_path / "cache").rglob("*.kernel"), key=lambda path: path.stat().st_mtime_ns)
    assert len(kept) == 3
    kept[-1].unlink()  # the last one is compiled again, the first ones are found
    assert run() == ["(1000, 499.5) True False", *answers]


def test_machine_code_is_linked_while_another_thread_imports_numba(tmp_path: Path) -> None:
    (tmp_path / "doubling.py").write_text(BESIDE_AN_IMPORT)
    for beside in ([], ["beside an import"]):
        done = subprocess.run(
            [sys.executable, "doubling.py", *beside],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("[0. 2. 4.]\n", "")


def test_copies_in_other_folders_share(tmp_path: Path) -> None:
    assert called(copy_of_kanon(tmp_path / "one"), tmp_path) == "2 0 True"
    assert called(copy_of_kanon(tmp_path / "other"), tmp_path) == "2 1 True"


def test_a_changed_source_is_compiled_again(tmp_path: Path) -> None:
    copy = copy_of_kanon(tmp_path / "one")
    assert called(copy, tmp_path) == "2 0 True"
    (copy / "kanon_tui" / "core" / "kernels" / "constants.py").write_text("STEP = 2\n")
    assert called(copy, tmp_path) == "3 0 True"
    assert called(copy_of_kanon(tmp_path / "back"), tmp_path) == "2 1 True"


def test_processes_that_compile_at_once_keep_apart_what_they_compile(tmp_path: Path) -> None:
    """numba alone numbers its files: two processes could give theirs the same number."""
    copy = copy_of_kanon(tmp_path / "one")
    answers = {"int": "2", "float": "2.0", "complex": "(2+0j)"}
    for process in [call(copy, tmp_path, type_) for type_ in answers]:
        process.communicate()
    for type_, answer in answers.items():
        assert called(copy, tmp_path, type_) == f"{answer} 1 True"


def test_only_the_owner_can_look_into_the_folder(tmp_path: Path) -> None:
    called(copy_of_kanon(tmp_path / "one"), tmp_path)
    folder = tmp_path / "cache" / "kanon-tui" / "kernels"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.suffix for path in folder.rglob("*") if path.is_file()] == [".kernel"]


@pytest.mark.parametrize("fault", ["others can write", "a link", "a file"])
def test_a_folder_that_others_could_fill_is_not_used(tmp_path: Path, fault: str) -> None:
    """Then machine code lies beside the package, as where no folder can be made."""
    copy, folder = copy_of_kanon(tmp_path / "one"), tmp_path / "cache" / "kanon-tui" / "kernels"
    folder.parent.mkdir(parents=True)
    if fault == "others can write":
        folder.mkdir()
        folder.chmod(0o777)
    elif fault == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.touch()
    assert called(copy, tmp_path) == "2 0 True"
    assert called(copy, tmp_path) == "2 1 True"
    assert list(folder.parent.rglob("*.kernel")) == []
    beside = copy / "kanon_tui" / "core" / "kernels" / "__pycache__" / "kernels"
    assert len(list(beside.rglob("*.kernel"))) == 1


def test_what_is_compiled_for_all_users_is_found_by_another(tmp_path: Path) -> None:
    copy = copy_of_kanon(tmp_path / "one")
    assert called(copy, tmp_path / "root", more=FOR_ALL) == "2 0 True"
    assert called(copy, tmp_path / "somebody") == "2 1 True"
    [kept] = (copy / "kanon_tui").rglob("*.kernel")
    assert kept.stat().st_mode & 0o777 == 0o644
    kept.parent.parent.chmod(0o777)
    assert called(copy, tmp_path / "careful") == "2 0 True"


def test_a_folder_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert machine_code._is_own(tmp_path / "mine")
    monkeypatch.setattr(os, "geteuid", lambda: (tmp_path / "mine").stat().st_uid + 1)
    assert not machine_code._is_own(tmp_path / "mine")


def test_a_damaged_file_counts_as_none(tmp_path: Path) -> None:
    copy = copy_of_kanon(tmp_path / "one")
    called(copy, tmp_path)
    [kept] = (tmp_path / "cache").rglob("*.kernel")
    kept.write_bytes(kept.read_bytes()[:1000])
    assert called(copy, tmp_path) == "2 0 True"
    assert called(copy, tmp_path) == "2 1 True"


def test_what_was_not_used_for_longest_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "_LARGEST", 250)
    for age, name in enumerate(("new", "older", "oldest")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.kernel").write_bytes(b"x" * 100)
        os.utime(tmp_path / name, (10_000 - age, 10_000 - age))
    machine_code._prune(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "older"]
