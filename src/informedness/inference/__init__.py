"""Compute scores of contingency tables, their intervals, and tests."""
