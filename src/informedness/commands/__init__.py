"""What the commands of the command line do: those about files take a request.

What only some of them need is imported where it is used, so that the others start sooner.
"""

from .output import Outcome


def register() -> Outcome:
    """Register both metrics with evaluate, and say which folders they load from."""
    from ..registration import register

    registered = register().items()
    lines = (f'evaluate.load("{name}") loads {folder}' for name, folder in registered)
    return Outcome("\n".join(lines))


def unregister() -> Outcome:
    """Undo register, and say what was removed."""
    from ..registration import unregister

    lines = (f"removed {folder}" for folder in unregister())
    return Outcome("\n".join(lines) or "nothing was registered")
