"""What the commands of the command line do: each takes the options and returns the text to print.

What only some of them need is imported where it is used, so that the others start sooner.
"""

from argparse import Namespace

from .compare import compare as compare
from .report import report as report


def register(options: Namespace) -> str:
    """Register both metrics with evaluate, and say which folders they load from."""
    from ..registration import register

    registered = register().items()
    return "\n".join(f'evaluate.load("{name}") loads {folder}' for name, folder in registered)


def unregister(options: Namespace) -> str:
    """Undo register, and say what was removed."""
    from ..registration import unregister

    return "\n".join(f"removed {folder}" for folder in unregister()) or "nothing was registered"
