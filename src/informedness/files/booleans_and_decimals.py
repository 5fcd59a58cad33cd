"""Text of files in which one label has several spellings: True and 1, 2.0 and 2."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from ..core.labels import Label
from ..tables.label_warnings import DECIMAL

_WHOLE = r"-?(0|[1-9]\d*)"
_TRUTHS = ({"True": "1", "False": "0"}, {"true": "1", "false": "0"}, {"TRUE": "1", "FALSE": "0"})
TRUTHS = [text for words in _TRUTHS for text in words]


def labels_of_text(groups: Sequence[Collection[str]]) -> dict[str, Label]:
    """Return what text stands for if a label has several spellings, in one group or in several.

    A group is what a column of a file holds, or what an option lists. True is 1 and 2.0 is 2: the
    first only where a group has no other text, the second where there is no other decimal. If all
    is then whole, it becomes integers. Else nothing changes, and the result is empty.
    """
    texts = set().union(*groups)
    decimals = {text for text in texts if re.fullmatch(DECIMAL, text)}
    wholes = {x: x.partition(".")[0] for x in decimals if re.fullmatch(rf"{_WHOLE}\.0+", x)}
    truths = _truths_in(groups)
    if len(wholes) < len(decimals):
        wholes = {}

    spellings: dict[str, str] = {}
    for labels in (wholes, truths, {**wholes, **truths}):
        if _are_joined(texts, labels):
            spellings |= labels
    if spellings and all(re.fullmatch(_WHOLE, spellings.get(text, text)) for text in texts):
        return {text: int(spellings.get(text, text)) for text in texts}
    return dict(spellings)


def _truths_in(groups: Sequence[Collection[str]]) -> dict[str, str]:
    """Return the digits of truth values, by text; none if a group has one beside other text."""
    texts = set().union(*groups)
    truths = {text: digit for words in _TRUTHS for text, digit in words.items() if text in texts}
    boolean_groups = [group for group in groups if not truths.keys().isdisjoint(group)]
    are_alone = all(any({*group} <= words.keys() for words in _TRUTHS) for group in boolean_groups)
    return truths if are_alone else {}


def _are_joined(texts: Collection[str], labels: Mapping[str, str]) -> bool:
    """Return whether two of the texts stand for one of the labels, by text."""
    texts_of_label: defaultdict[str, set[str]] = defaultdict(set)
    for text, label in labels.items():
        texts_of_label[label] |= {text, label} & {*texts}
    return any(len(spellings) > 1 for spellings in texts_of_label.values())
