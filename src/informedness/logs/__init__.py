"""Read the answers of language models from the logs of evaluation harnesses."""
