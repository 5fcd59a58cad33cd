"""The endpoints that programs call: what they return and refuse, over HTTP and as tools (MCP)."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from drawn import METRICS
from gradio_client import Client
from gradio_client.exceptions import AppError
from visitors import asked

from informedness import compare, report
from oracles.golden import close

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:informedness. ")]

HUNDRED = ["ham"] * 90 + ["spam"] * 10
A = ["ham"] * 88 + ["spam"] * 2 + ["ham"] * 8 + ["spam"] * 2
B = ["ham"] * 86 + ["spam"] * 4 + ["ham"] * 1 + ["spam"] * 9

ARGUMENTS = {  # of each tool, those that it must be given
    "score": ["references", "predictions"],
    "score_matrix": ["matrix"],
    "compare": ["references", "predictions_a", "predictions_b"],
}
CALLS = [
    ("score", {"references": HUNDRED, "predictions": [*B[:99], "eggs"], "confidence_level": 0.5}),
    ("score_matrix", {"matrix": [[30.5, 20], [3, 40]], "labels": ["a", "b"]}),
    ("compare", {"references": HUNDRED, "predictions_a": A, "predictions_b": B}),
    ("score", {"references": [True, False], "predictions": [True, True]}),
    (
        "score",
        {"references": [*"abc", "-"], "predictions": [*"ab", None, "a"], "unknown": "wrong"}
        | {"average": "prevalence", "ignore_index": "-", "labels": [*"abc"]},
    ),
    *(("score", {"references": ["a", "b"], "predictions": ["a", f"odd {i}"]}) for i in range(8)),
]
MISMATCH = "Mismatch in the number of predictions (1) and references (2)"


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_a_client_gets_results_and_refusals(app, page_of):
    client = Client(app("nit"), verbose=False, httpx_kwargs={"timeout": 600})
    for name, arguments in CALLS[:5]:
        wanted = getattr(page_of("nit").endpoints, name)(**arguments)
        assert client.predict(**arguments, api_name=f"/{name}") == as_json(wanted), name
    columns = [json.dumps(column) for column in ([1, 2, 1], [1, 2, 2], [1, 2, 10])]  # as text
    labels = [row["label"] for row in client.predict(*columns, api_name="/score")["per_class"]]
    assert labels == [1, 2, 10]
    for columns, said in (
        (["ham, spam"] * 2, "references must be a list, or text with a list as JSON"),
        ([["a", "b"], ["a"]], re.escape(MISMATCH)),
    ):
        with pytest.raises(AppError, match=said):
            client.predict(*columns, api_name="/score")


@pytest.mark.parametrize("metric", METRICS)
def test_the_configuration_of_the_page_stays_small(app, metric):
    _, text = asked(f"{app(metric)}config")
    config = json.loads(text)
    assert len(config["components"]) <= 140
    assert len(config["dependencies"]) <= 110
    assert len(text.encode()) <= 260_000


@pytest.mark.parametrize("metric", METRICS)
def test_a_score_equals_the_report_of_the_package(page_of, metric):
    score = page_of(metric).endpoints.score
    for options, level in (((), 0.95), ((None, 0.5), 0.5)):
        result = score(HUNDRED, B, *options)
        made = report(HUNDRED, B, confidence_level=level)
        sentence = {"informedness": made.summary, "nit": made.summary_of("nit")}[metric]
        assert (made.to_dict() | {"summary": sentence}).items() <= result.items()
        assert (result["confidence_level"], result["warnings"]) == (level, [])
    guesser, perfect = result["always_commonest"], result["all_right"]
    assert (guesser["accuracy"], guesser["informedness"], guesser["nit"]) == (0.9, 0.0, 0.5)
    assert (perfect["informedness"], perfect["nit"]) == (1.0, close(2**0.4689955935892812 / 2))


def test_warnings_come_with_the_result(page):
    score, matrix = page.endpoints.score, page.endpoints.score_matrix
    weighted = matrix([[30.5, 20], [3, 40]])
    assert not [name for name in weighted if "interval" in name]
    for result, *sentences in (
        (weighted, "there is no interval: these are weights, not counts of samples"),
        (score(["a"] * 60, ["a"] * 60), "all references are 'a'"),
        (
            score([*"aba"], [*"abc"]),
            "has labels that are not classes of `references`: 'c'",
            "1 reference outside",
        ),
        (page.endpoints.compare(HUNDRED[88:], A[88:], B[88:]), "2 references outside the largest"),
    ):
        for said in sentences:
            assert any(said in note for note in result["warnings"]), said


@pytest.mark.parametrize("metric", METRICS)
def test_a_comparison_equals_that_of_the_package(page_of, metric):
    endpoints, scores = page_of(metric).endpoints, report(HUNDRED, B).to_dict()
    asked = {"metric": "nit", "labels": ["ham", "spam", "eggs"], "confidence_level": 0.8}
    for options in ({}, asked):
        result = endpoints.compare(HUNDRED, A, B, **options)
        wanted = compare(HUNDRED, A, B, **{"metric": metric, **options}).to_dict()
        assert wanted.items() <= result.items()
        name = options.get("metric", metric)
        assert (result["scores_a"][name], result["scores_b"][name]) == (wanted["a"], wanted["b"])
    result = endpoints.compare(HUNDRED, A, B)
    assert result["scores_b"] == {name: scores[name] for name in result["scores_b"]}
    (note,) = result["warnings"]
    assert "only 9 predictions differ" in note


def test_tools_equal_their_endpoints(app, page_of):
    """To a client of the Model Context Protocol, as assistants have; each with its warnings."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async def asked() -> Any:
        async with (
            streamable_http_client(f"{app('nit')}gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            calls = *CALLS, ("score", {"references": ["a", "b"], "predictions": ["a"]})
            answers = asyncio.gather(*(session.call_tool(*call) for call in calls))
            return (await session.list_tools()).tools, await answers

    with ThreadPoolExecutor() as thread:  # the browser's loop may run in this one
        tools, (*answers, refused) = thread.submit(asyncio.run, asked()).result()
    schemas = {tool.name: tool.inputSchema for tool in tools}
    assert {name: schema["required"] for name, schema in schemas.items()} == ARGUMENTS
    for name, schema in schemas.items():
        given = schema["properties"]
        rest = ["labels", "confidence_level", "average", *["metric"] * (name == "compare")]
        rest += ["unknown", "ignore_index"] * (name != "score_matrix")
        assert given.keys() == {*ARGUMENTS[name], *rest}
        assert all(argument["description"] for argument in given.values())
        assert given["confidence_level"]["default"] == 0.95
    results = [json.loads(content.text) for answer in answers for content in answer.content]
    for (name, arguments), result in zip(CALLS, results, strict=True):
        assert result == as_json(getattr(page_of("nit").endpoints, name)(**arguments))
    assert refused.isError
    assert MISMATCH in refused.content[0].text
