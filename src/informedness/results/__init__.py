"""Results and their text: estimates, comparisons, the report."""
