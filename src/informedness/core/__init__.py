"""What travels with a metric script: labels, table, scores, intervals, protocol, in this order."""
