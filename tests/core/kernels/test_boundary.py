"""The boundary to C: declarations are current, and nothing but what they say reaches a kernel."""

from __future__ import annotations

import pickle
import subprocess
import sys
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

from kanon_tui.core.kernels import boundary, library
from kanon_tui.core.kernels.boundary import Struct, reads, writes
from kanon_tui.core.kernels.merging import power
from kanon_tui.core.kernels.mondrian import Axes, Parts, PartScratch, measure, propose
from kanon_tui.core.numeric import Floats, Int32s
from tests.paths import ROOT


def axes(**changes: Any) -> Axes:
    given: dict[str, Any] = {
        "offsets": np.array([0, 2]),
        "ordered": np.array([True]),
        "places": np.array([0.0, 1.0]),
        "weights": np.array([1.0]),
        "levels": np.full((2, 1), -1, dtype=np.int32),
        "covers": np.zeros((2, 1)),
    }
    return Axes(**given | changes)


def test_the_committed_header_is_current() -> None:
    made = subprocess.run(
        [sys.executable, "packaging/make_header.py"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (library.SOURCES / "declarations.h").read_text() == made.stdout, "make header"


def test_a_call_returns_what_c_computes() -> None:
    assert power(2.0, 0.5) == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"places": np.array([0, 1])}, "int64"),
        ({"places": np.array([0.0, 1.0, 2.0])}, "ranks"),
        ({"places": np.zeros((2, 2))}, "(2, 2)"),
        ({"places": np.zeros(4)[::2]}, "not contiguous"),
        ({"places": [0.0, 1.0]}, "a list"),
        ({"places": None}, "NoneType"),
        ({"levels": np.full((2, 2), -1, dtype=np.int32)}, "levels"),
    ],
)
def test_a_struct_refuses_an_array_that_does_not_fit(change: dict[str, Any], named: str) -> None:
    with pytest.raises(TypeError, match="Axes: ") as raised:
        axes(**change)
    assert named in str(raised.value)


def test_an_array_that_c_writes_to_must_be_writable() -> None:
    frozen = np.zeros((1, 1), dtype=np.int32)
    frozen.flags.writeable = False
    with pytest.raises(TypeError, match=r"Parts: table .*read-only"):
        Parts(frozen, *[np.zeros(1)] * 9)  # type: ignore[arg-type]


def test_a_call_refuses_what_is_not_declared() -> None:
    levels = np.zeros(1, dtype=np.int64)
    parts = one_row()
    wrong: list[tuple[tuple[Any, ...], str]] = [
        ((axes(), parts, np.zeros(1)), "levels"),
        ((None, parts, levels), "axes"),
        ((parts, parts, levels), "axes"),
        ((axes(), parts), "levels"),
        ((axes(), parts, levels, 1), "too many"),
    ]
    for arguments, named in wrong:
        with pytest.raises(TypeError, match=named):
            measure(*arguments)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 1.5, "1"])
def test_whole_numbers_are_whole_and_fit_in_64_bits(number: Any) -> None:
    scratch = PartScratch.allocate(rows=1, attributes=1, ranks=2)
    with pytest.raises(TypeError, match="first"):
        propose(one_row(), scratch, number, 1, 1, 0)


def one_row() -> Parts:
    copies = np.ones(1, dtype=np.int64)
    parts = Parts.allocate(copies=copies, attributes=1, open=2, numbers=6, ranks=3)
    parts.stack[0, 1] = 1
    return parts


def test_arrays_that_are_not_given_are_zeros_of_the_declared_sizes() -> None:
    parts = one_row()
    assert parts.table.shape == (1, 1)  # rows are those of the copies
    assert parts.stack.shape == (2, 6)
    assert parts.seen.dtype == np.int32
    assert not parts.seen.any()
    assert axes().offsets.shape == (2,)
    with pytest.raises(KeyError, match="open"):
        Parts.allocate(copies=parts.copies, attributes=1, numbers=6, ranks=3)
    with pytest.raises(TypeError, match="rows"):
        Parts.allocate(copies=parts.copies, rows=np.zeros(2, dtype=np.int32), attributes=1)


def test_c_writes_into_the_arrays_it_was_given() -> None:
    parts = one_row()
    measure(axes(), parts, np.zeros(1, dtype=np.int64))
    assert parts.stack[0].tolist() == [0, 1, 0, 0, 1, 1]


@pytest.mark.parametrize("copied", [deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_of_a_struct_has_arrays_of_its_own(copied: Any) -> None:
    original = one_row()
    other = copied(original)
    measure(axes(), other, np.zeros(1, dtype=np.int64))
    assert other.stack[0, -1] == 1
    assert original.stack[0, -1] == 0
    assert replace(original, tried=np.ones(1, dtype=np.int64)).address != original.address


@dataclass(frozen=True, eq=False)
class Inner(Struct):
    numbers: Annotated[Floats, writes("rows", 2)]


@dataclass(frozen=True, eq=False)
class Outer(Struct):
    inner: Inner
    count: int
    share: float
    codes: Annotated[Int32s, reads("_")]


def test_a_struct_can_hold_numbers_and_other_structs() -> None:
    layout = boundary.struct_layout(Outer)
    assert [name for name, _ in layout.c_type._fields_] == [
        "inner", "count", "share", "codes", "codes_shape0",
    ]  # fmt: skip
    inner = Inner(np.zeros((3, 2)))
    assert Outer(inner, 2, 0.5, np.zeros(4, dtype=np.int32)).inner is inner
    with pytest.raises(TypeError, match="inner must be a Inner"):
        Outer(np.zeros(2), 2, 0.5, np.zeros(4, dtype=np.int32))  # type: ignore[arg-type]


class Opaque:
    """An array type that tells nothing about its elements, as NumPy's alias since NumPy 2.5."""


def test_what_an_array_holds_does_not_depend_on_how_numpy_spells_its_types() -> None:
    @dataclass(frozen=True, eq=False)
    class Marks(Struct):
        marks: Annotated[Annotated[Opaque, np.uint8], reads("rows")]

    (marks,) = boundary.struct_layout(Marks).fields
    assert marks.kind == boundary.ArraySpec(np.dtype(np.uint8), reads("rows"))


def test_an_array_without_its_element_is_refused() -> None:
    @dataclass(frozen=True, eq=False)
    class Marks(Struct):
        marks: Annotated[Opaque, reads("rows")]

    with pytest.raises(TypeError, match=r"marks: .* use a type of kanon_tui\.core\.numeric"):
        boundary.struct_layout(Marks)


def test_a_library_made_from_other_sources_is_refused(tmp_path: Path) -> None:
    stale = tmp_path / "libkanon.so"
    digest = library.sources_digest().encode()
    stale.write_bytes(library.library_path().read_bytes().replace(digest, b"0" * len(digest)))
    for path, fault in ((stale, "other sources"), (tmp_path / "none.so", "cannot be loaded")):
        code = (
            "from pathlib import Path\n"
            "from kanon_tui.core.kernels import library\n"
            f"library.use_library(Path({str(path)!r}))\n"
            "try:\n"
            "    library.function('kn_mondrian_measure')\n"
            "except library.KernelLibraryError as error:\n"
            "    print(error)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert fault in done.stdout
        assert "make" in done.stdout
