"""The panels that the command palette opens: linking attack, feasibility, decision trees."""
