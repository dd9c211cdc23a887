"""The screens: one file each, thin, with all logic in `core`."""
