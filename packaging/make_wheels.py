"""Wheels for every target, compiled on this machine by zig: `make wheels`.

    python packaging/make_wheels.py [TARGET ...] [--into FOLDER]

Each wheel is opened again: its library must be one for the system and the processor of its tag.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from hatch_build import TARGETS, library_name, sources_digest  # noqa: E402

MACHINES = {
    "linux-x86_64": (b"\x7fELF", 18, b"\x3e\0"),
    "linux-arm64": (b"\x7fELF", 18, b"\xb7\0"),
    "musl-x86_64": (b"\x7fELF", 18, b"\x3e\0"),
    "musl-arm64": (b"\x7fELF", 18, b"\xb7\0"),
    "macos-x86_64": (b"\xcf\xfa\xed\xfe", 4, b"\x07\0\0\x01"),
    "macos-arm64": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\0\0\x01"),
    "windows-x86_64": (b"MZ", 4, b"\x64\x86"),
}
"""First bytes of a library, and where its header names which processor."""


def make(name: str, folder: Path) -> Path:
    """Build the wheel of a target and return its file."""
    target = TARGETS[name]
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "KANON_TARGET": name},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    (wheel,) = folder.glob(f"*-py3-none-{target.tag}.whl")
    return wheel


def check(name: str, wheel: Path) -> None:
    """End if a wheel holds no library, or one of other sources, another system or processor."""
    inside = f"kanon_tui/core/kernels/c/{library_name(TARGETS[name].platform)}"
    with zipfile.ZipFile(wheel) as archive:
        libraries = [file for file in archive.namelist() if "libkanon." in file]
        if libraries != [inside]:
            raise SystemExit(f"{wheel.name}: expected {inside} and found {libraries}")
        content = archive.read(inside)
    if sources_digest().encode() not in content:
        raise SystemExit(f"{wheel.name}: {inside} was made from other sources")
    first, place, machine = MACHINES[name]
    header = content
    if first == b"MZ":  # the header of Windows stands behind one of DOS, which says where
        start = int.from_bytes(content[60:64], "little")
        header = content[start:]
    if not content.startswith(first) or header[place : place + len(machine)] != machine:
        raise SystemExit(f"{wheel.name}: {inside} is not a library for {name}")


def main() -> None:
    """Build and check the wheels of the targets that are named, or of all."""
    parser = argparse.ArgumentParser(description="Wheels for every target.")
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", metavar="FOLDER")
    args = parser.parse_args()
    if unknown := set(args.targets) - TARGETS.keys():
        parser.error(f"no target is called {', '.join(sorted(unknown))}; {', '.join(TARGETS)} are")
    for name in args.targets or TARGETS:
        wheel = make(name, args.into)
        check(name, wheel)
        sys.stdout.write(f"{name}: {wheel.name}\n")


if __name__ == "__main__":
    main()
