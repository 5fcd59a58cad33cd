"""Read labels, count them in a table, and score it. Metric scripts have copies of these files."""
