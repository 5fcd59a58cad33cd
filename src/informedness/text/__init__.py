"""Format numbers, names, tables and accounts of what was read as text."""
