"""Results: estimates, comparisons, reports, slices, leaderboards, figures."""
