"""5 Run: choose an algorithm, set it up, watch it decide."""
