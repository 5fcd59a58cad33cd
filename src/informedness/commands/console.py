"""Messages of a running command: progress and accounts at once, then warnings."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from ..messages import Message, join, message_of, render
from ..text.layout import Account
from ..warnings import collected


class Console:
    """Write messages for a person, with options in place of Python arguments.

    `flags` are the names of the options, by argument.
    """

    def __init__(self, write: Callable[[str], None], flags: dict[str, str]) -> None:
        self.has_left_out = False
        self._write, self._flags = write, flags

    def call_alike(self, argument: str, other: str) -> None:
        """Use the option of another argument for this one from now on."""
        self._flags[argument] = self._flags[other]

    def name_of(self, argument: str, value: str | None) -> str | None:
        """Name an argument as an option, with its value if it has one."""
        if value is not None:  # a switch needs none
            flag = self._flags.get(argument)
            return f"{flag} {value}" if flag and value not in ("", "True") else flag
        first, *others = [argument] if argument in self._flags else argument.split(" ", 1)
        return f"`{' '.join([self._flags[first], *others])}`" if first in self._flags else None

    def tell(self, said: str) -> None:
        """Tell a text, or a message about options."""
        self._write(render(said, self.name_of) if isinstance(said, Message) else said)

    def tell_read(self, accounts: Iterable[Account | str]) -> None:
        """Tell the accounts of data."""
        for account in accounts:
            self.tell(account if isinstance(account, str) else str(account))

    @contextmanager
    def telling_warnings(self, is_strict: bool) -> Iterator[None]:
        """Tell the warnings of this block at its end; raise them as an error if `is_strict`.

        Logs and runs that were left out are told even if the block fails.
        """
        with collected() as notes:
            try:
                yield
            finally:
                messages = [*{str(note): message_of(note) for note in notes}.values()]
                for message in messages:
                    if message.code == "left out":
                        self.has_left_out = True
                        self.tell(message)
        warnings = [message for message in messages if message.code != "left out"]
        if warnings and is_strict:
            raise ValueError(join(warnings))
        for warning in warnings:
            self._write(f"warning: {render(warning, self.name_of)}")
