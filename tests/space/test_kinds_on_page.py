"""No doubtful label passes the page or its endpoints in silence: `kinds` says which are."""

from types import SimpleNamespace

import pytest
from drawn import parsed

from golden import close
from kinds import DOUBT, KINDS, MISSING, RIGHT


def test_the_page_scores_what_is_right_and_refuses_the_rest(page: SimpleNamespace) -> None:
    for title, kind in KINDS.items():
        boxes = ["\n".join("" if x is None else str(x) for x in side) for side in kind.sides()]
        calls = {False: lambda pair: page.endpoints.score(*pair)["informedness"]}
        if not any(
            x in text for text in boxes for x in '\r\ufeff"\xa0'
        ):  # which separate pasted text
            calls[True] = lambda pair: parsed(page.app.score_boxes(*pair)).id("score").text
        for is_text, call in calls.items():
            expected, given = (kind.text, boxes) if is_text else (kind.typed, kind.sides())
            if expected == RIGHT:
                wanted = kind.wanted(is_text)
                found = call(given)
                assert found == close(wanted) if not is_text else f"{wanted:.2f}" in found, title
                continue
            with pytest.raises((ValueError, TypeError)) as refused:
                call(given)
            if expected in (DOUBT, MISSING) and not is_text:
                assert kind.said in str(refused.value), title
