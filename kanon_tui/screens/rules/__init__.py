"""4 Rules: what a group must not mix, and how much it matters."""
