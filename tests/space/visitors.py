"""Visitors of a running app who send what they like, and how long others wait for an answer."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

N = 100_000  # characters of a text
LIMIT = 300.0  # seconds until the first byte of an answer, on a busy machine


def filled(before: str, part: str, after: str = "") -> str:
    return before + part * ((N - len(before + after)) // len(part)) + after


HARMLESS = [filled("label\tprediction\n", "a\tb\n"), filled("x = [", "1, ", "1]")] * 5
HOSTILE = [  # of which a pattern that matches in many ways takes minutes
    filled("a", " ", "b,c"),
    filled("", "["),
    filled("", " ", "b,c"),
    filled("x = [", "1 ", "("),
    filled("", '{"a":'),
    filled("a\t", "1", "x\n1\t2"),
    filled("a=", " ", "x"),
    filled("[[1, 2], [3, 4]]", " ", "x"),
    filled("\t", "A B ", "\tx\ny\t1\t2\nz\t3\t4"),
    filled("|", "- ", "x|\n:-|:-"),
]


def post(
    url: str, body: Any, content_type: str = "application/json", limit: float = LIMIT
) -> tuple[int, str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return asked(urllib.request.Request(url, data, {"Content-Type": content_type}), limit)


def asked(request: Any, limit: float = LIMIT) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(request, timeout=limit) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Visitor:
    """Someone who posts to the running app what its own configuration says it takes."""

    def __init__(self, url: str, name: str, limit: float = LIMIT) -> None:
        self.url, self.name, self.limit = url, name, limit
        config = json.loads(asked(f"{url}config")[1])
        self.components = {x["id"]: x for x in config["components"]}
        self.events = [x for x in config["dependencies"] if x["backend_fn"]]

    def values(self, event: dict[str, Any]) -> list[Any]:
        """Return what the page itself would send before anybody has done anything."""
        return [self.components[x]["props"].get("value") for x in event["inputs"]]

    def answers(self, event: dict[str, Any], *calls: list[Any]) -> list[dict[str, Any]]:
        """Return what comes back of some calls of an event, all on their way at once."""
        for data in calls:
            self.send(event, data)
        return self.received(len(calls))

    def send(self, event: dict[str, Any], data: list[Any]) -> None:
        call = {"data": data, "fn_index": event["id"], "session_hash": self.name}
        assert post(f"{self.url}gradio_api/queue/join", call, limit=self.limit)[0] == 200

    def received(self, n_answers: int) -> list[dict[str, Any]]:
        stream = f"{self.url}gradio_api/queue/data?session_hash={self.name}"
        lines = asked(stream, self.limit)[1].splitlines()
        told = [json.loads(line.removeprefix("data: ")) for line in lines if line]
        answers = [x for x in told if x["msg"] == "process_completed"]
        assert len(answers) == n_answers
        return answers

    def door(self, name: str) -> dict[str, Any]:
        """Return the event that reads and scores what a door is given."""
        (button,) = (i for i, x in self.components.items() if x["props"].get("elem_id") == name)
        return next(x for x in self.events if [button, "click"] in x["targets"])

    def given(self, event: dict[str, Any], **values: Any) -> list[Any]:
        """Return what is sent to a door where inputs whose labels begin so have these values."""
        sent = self.values(event)
        for start, value in values.items():
            labels = [str(self.components[x]["props"].get("label")) for x in event["inputs"]]
            (place,) = (i for i, x in enumerate(labels) if x.startswith(start.replace("_", " ")))
            sent[place] = value
        return sent


def longest_wait(url: str, texts: Sequence[str], limit: float = LIMIT) -> float:
    """Return how many seconds a visitor waits for any answer while texts of others are read.

    They are put into all boxes of both doors.

    Raises
    ------
    TimeoutError
        After more seconds than `limit`.
    """
    second = Visitor(url, "second", limit)
    (score,) = (x for x in second.events if x["api_name"] == "score")
    asked_of = [["a", "b"], ["a", "a"], *second.values(score)[2:]]
    boxes = [i for i, x in second.components.items() if x["props"].get("lines") == 4]
    events = [second.door("mine-button"), second.door("compare-button")]

    def visit(visitor: Visitor, text: str) -> None:
        for event in events:
            sent = zip(event["inputs"], visitor.values(event), strict=True)
            visitor.send(event, [text if box in boxes else value for box, value in sent])
        visitor.received(len(events))

    others = [Visitor(url, f"other-{number}") for number in range(len(texts))]
    threads, longest = ThreadPoolExecutor(len(texts)), 0.0
    visits = [*map(threads.submit, [visit] * len(texts), others, texts)]
    while not all(visit.done() for visit in visits):
        start = time.perf_counter()
        (answer,) = second.answers(score, asked_of)
        assert answer["success"], answer
        longest = max(longest, time.perf_counter() - start)
    for done in visits:
        done.result()
    return longest
