"""Containers of labels, and the contingency tables that they are counted into."""
