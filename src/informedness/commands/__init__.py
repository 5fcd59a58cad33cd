"""The command line, behind `cli`: requests, what they read, score and print."""
