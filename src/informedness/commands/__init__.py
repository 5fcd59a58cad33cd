"""Commands of `cli`: their requests, the data they read and the results they print."""
