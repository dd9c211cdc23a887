"""Where the repository and its samples are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "sample_data"
