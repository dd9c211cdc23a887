"""6 Results: original and release side by side, figures, runs, why and export."""
