"""Scores of contingency tables, with intervals, the test of independence, and comparisons."""
