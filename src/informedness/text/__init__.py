"""How numbers, names, tables and what was read are written as text."""
