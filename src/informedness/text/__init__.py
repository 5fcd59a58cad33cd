"""Format numbers, names, tables and accounts as text."""
