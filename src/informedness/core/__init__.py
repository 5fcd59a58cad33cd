"""What travels with a metric script: labels, table, scores, protocol, in this order."""
