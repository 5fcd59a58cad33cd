"""Find the columns of references and predictions in a table that was sent, by their names."""

import re
from collections.abc import Sequence

from data import ROLES
from limits import Refusal

from informedness.core.labels import show
from informedness.tables.label_warnings import role_in, words_of

NEITHER = r"ids?|idx|index|scores?|prob\w*|logits?|conf\w*|loss|correct"
MODEL = r"outputs?|answers?|responses?|model|system"


def says_neither(name: str) -> bool:
    """Say whether the name shows that a column does not hold labels."""
    return any(re.fullmatch(NEITHER, word) for word in words_of(name))


def role_of(name: str) -> str | None:
    """Guess which of `ROLES` a column has from its name; None if the name does not say it."""
    words = words_of(name)
    is_model = any(re.fullmatch(MODEL, word) for word in words)
    return None if says_neither(name) else role_in(name) or ("predictions" if is_model else None)


def says_something(name: str) -> bool:
    """Say whether the name of a column describes its content."""
    return bool(role_of(name) or says_neither(name))


def guessed_columns(header: Sequence[str], models: int = 1) -> list[str | None]:
    """Guess the columns of the references and of each model; None for unknown ones.

    If names do not tell, and the number of columns is exactly the number needed, the references
    come first. Columns named like identifiers or probabilities are never chosen.
    """
    usable = [x for x in header if header.count(x) == 1 and not says_neither(x)]
    references, predictions = ([x for x in usable if role_of(x) == role] for role in ROLES)
    if not references and len(usable) == models + 1:
        references = [x for x in usable if x not in predictions][:1]
    reference = references[0] if len(references) == 1 else None
    if len(predictions) != models:
        others = [x for x in usable if x != reference]
        predictions = others if reference and len(others) == models else []
    models_or_none: list[str | None] = [*predictions] or [None] * models
    return [reference, *models_or_none]


def by_argument(names: Sequence[str]) -> dict[str, str]:
    """Map the argument names of the package to these names."""
    models = ["predictions"] if len(names) < 3 else ["predictions_a", "predictions_b"]
    return dict(zip(["references", *models], names, strict=True))


def check_choices(
    names: Sequence[str | None], header: Sequence[str], roles: Sequence[str]
) -> list[str]:
    """Refuse choices in which a role has no column; return the names of the columns."""
    if len(header) < len(roles):
        raise Refusal(
            f"A table needs a column each for {', '.join(roles[:-1])} and {roles[-1]}, and this "
            f"one has {', '.join(map(show, header)) or 'none'}: put them side by side, parted by "
            "tabs or commas."
        )
    for name, role in zip(names, roles, strict=True):
        if not name:
            raise Refusal(f"Choose the column of {role}: the header does not say which one it is.")
    return [name for name in names if name]
