"""The zstd of this Python, for tests that write such files themselves."""

from kanon_tui.core.optional import zstd_module

zstd = zstd_module("a test", "a .zst file")
