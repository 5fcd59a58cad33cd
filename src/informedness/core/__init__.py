"""Read labels, count them in a table, and score it. Metric folders have copies of these files."""
