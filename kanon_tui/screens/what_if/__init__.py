"""7 What-if: several algorithms and values of k in one picture."""
