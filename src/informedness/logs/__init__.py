"""Logs of evaluation harnesses: which answer a language model gave to each sample."""
