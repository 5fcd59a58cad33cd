"""The commands of the command line; those about files take a request.

Modules that only some of them need are imported where used, so that the others start sooner.
"""

from .output import Outcome


def register() -> Outcome:
    """Register both metrics with evaluate, and say which folders they load from."""
    from ..registration import register

    registered = register().items()
    lines = (f'evaluate.load("{name}") loads {folder}' for name, folder in registered)
    return Outcome("\n".join(lines))


def unregister() -> Outcome:
    """Undo `register`, and list the removed folders."""
    from ..registration import unregister

    lines = (f"removed {folder}" for folder in unregister())
    return Outcome("\n".join(lines) or "nothing was registered")
