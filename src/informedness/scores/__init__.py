"""Every score of the package: its formula, its entry in the registry, its function of labels."""
