"""Print the messages of a running command."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..messages import Message, join, message, message_of, render
from ..warnings import collected

if TYPE_CHECKING:
    from ..results.comparison import Decision


class Console:
    """Print messages that name options in place of Python arguments.

    `flags` maps the names of arguments to the names of options. `has_failed` says whether a build
    fails; it is None without a requirement.
    """

    has_failed: bool | None = None
    has_left_out = False  # whether logs, runs or tasks were left out

    def __init__(self, write: Callable[[str], None], flags: dict[str, str]) -> None:
        self._write, self.flags = write, flags

    def name_of(self, argument: str, value: str | None) -> str | None:
        """Name the option of an argument, with a value if one is given; None without an option."""
        if value is not None:  # "" if named without a value, "True" for a flag
            flag = self.flags.get(argument)
            return f"{flag} {value}" if flag and value not in ("", "True") else flag
        first, *words = [argument] if argument in self.flags else argument.split(" ", 1)
        return f"`{' '.join([self.flags[first], *words])}`" if first in self.flags else None

    def print(self, *texts: object) -> None:
        """Print texts and accounts of data; messages name options."""
        for text in texts:
            self._write(render(text, self.name_of) if isinstance(text, Message) else str(text))

    def print_decision(self, decision: "Decision", gate: str) -> None:
        """Record whether a build passes or fails, and print the remark of the decision, if any.

        `gate` is the option that sets the requirement, without "--", and its value.
        """
        self.has_failed = decision.failed
        if decision.remark:
            text = f"{'failed' if decision.failed else 'passed'} ({{gate}}): {{remark}}"
            self.print(message(text, gate=f"--{gate}", remark=message_of(decision.remark)))

    @contextmanager
    def print_warnings(self, is_strict: bool) -> Iterator[None]:
        """Print the warnings of this block at its end, or raise them as an error if `is_strict`.

        Messages about logs, runs or tasks that were left out are never errors. They are printed
        even if the block fails.
        """
        with collected() as notes:
            try:
                yield
            finally:
                messages = {str(note): message_of(note) for note in notes}.values()
                left_out = [text for text in messages if text.code == "left out"]
                self.has_left_out = bool(left_out)
                self.print(*left_out)
        warnings = [text for text in messages if text.code != "left out"]
        if warnings and is_strict:
            raise ValueError(join(warnings))
        self.print(*("warning: " + warning for warning in warnings))
