"""Read files and data frames of predictions, and count them into contingency tables."""
