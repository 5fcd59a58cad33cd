"""What a score is, the usual scores, intervals, the test of chance, comparisons: of tables."""
