"""Containers of labels, and the contingency tables counted from them."""
