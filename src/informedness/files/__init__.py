"""Files and data frames of predictions, read and counted."""
