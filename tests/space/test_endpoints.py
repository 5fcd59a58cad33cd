"""The endpoints that programs call, with `gradio_client` and as tools of an MCP server."""

import asyncio
import contextlib
import io
import itertools
import json
import threading
import urllib.request
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from golden import VECTORS, close
from informedness import ContingencyTable, compare, estimate, report

ENDPOINTS = ("score", "score_matrix", "simulate", "compare", "slices")
HUNDRED = ["ham"] * 90 + ["spam"] * 10
A = ["ham"] * 88 + ["spam"] * 2 + ["ham"] * 8 + ["spam"] * 2
B = ["ham"] * 86 + ["spam"] * 4 + ["ham"] * 1 + ["spam"] * 9


def run_alone(coroutine: Any) -> Any:
    """Run a coroutine in a thread of its own, for the browser's loop may run in this one."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


@pytest.fixture(scope="session")
def client(app: Callable[[str], str]) -> Client:
    return Client(app("informedness"), verbose=False)


# What they take


def info_of(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url}gradio_api/info") as answer:
        return json.load(answer)["named_endpoints"]


def test_the_endpoints_are_named_typed_and_documented(app):
    described = info_of(app("informedness"))
    assert list(described) == [f"/{name}" for name in ENDPOINTS]
    types = {
        name: {p["parameter_name"]: p["python_type"]["type"] for p in endpoint["parameters"]}
        for name, endpoint in described.items()
    }
    column, columns = "list[str | int]", "None | list[str | int]"
    assert types == {
        "/score": {
            "references": column,
            "predictions": column,
            "labels": columns,
            "confidence_level": "float",
        },
        "/score_matrix": {
            "matrix": "list[list[float]]",
            "labels": columns,
            "confidence_level": "float",
        },
        "/simulate": {"shares": "list[float]", "ability": "float", "guess": "None | list[float]"},
        "/compare": {
            "references": column,
            "predictions_a": column,
            "predictions_b": column,
            "labels": columns,
            "metric": "str",
            "confidence_level": "float",
        },
        "/slices": {"references": column, "predictions": column, "by": column, "labels": columns},
    }
    for endpoint in described.values():
        assert len(endpoint["description"]) > 80
        assert "Args" not in endpoint["description"]
        for parameter in endpoint["parameters"]:
            assert len(parameter["python_type"]["description"]) > 30, parameter


@pytest.mark.parametrize("metric", ["informedness", "nit"])
@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_the_snippet_on_the_page_runs_as_it_stands(app, metric, endpoint):
    snippet = info_of(app(metric))[f"/{endpoint}"]["code_snippets"]["python"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(snippet.replace("print(result)", "import json; print(json.dumps(result))"), {})
    result = json.loads(printed.getvalue().splitlines()[-1])
    assert result["sentence"]
    assert result.get("metric", metric) == metric


# What they return


@pytest.mark.parametrize("metric", ["informedness", "nit"])
def test_the_sentence_reads_the_score_of_the_page_that_was_asked(app, metric):
    result = Client(app(metric), verbose=False).predict(HUNDRED, B, api_name="/score")
    made = report(HUNDRED, B, confidence_level=0.95)
    wanted = {"informedness": made.sentence, "nit": made.sentence_of("nit")}
    assert result["sentence"] == wanted[metric]


def test_slices_are_those_of_the_package(client):
    by = ["short"] * 30 + ["long"] * 70
    result = client.predict(HUNDRED, B, by, api_name="/slices")
    wanted = report(HUNDRED, B, by=by).to_dict()
    assert {name: result[name] for name in wanted} == json.loads(json.dumps(wanted))
    assert "1 with fewer than 50 samples" in result["warnings"][0]


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_the_score_endpoint_returns_the_report_with_its_intervals(client, level):
    result = client.predict(HUNDRED, B, None, level, api_name="/score")
    wanted = report(HUNDRED, B, confidence_level=level).to_dict()
    assert wanted.items() <= result.items()
    made = estimate(ContingencyTable.from_labels(HUNDRED, B), confidence_level=level)
    assert result["informedness_confidence_interval"] == list(made.confidence_interval)
    assert result["warnings"] == []


def test_the_level_is_that_of_the_page_where_nobody_sets_it(client):
    result = client.predict(HUNDRED, B, api_name="/score")
    assert result["confidence_level"] == 0.95
    assert result["signature"].count("ci:0.95") == 1


def test_what_a_guesser_and_a_perfect_classifier_get_stands_beside_the_scores(client):
    result = client.predict(HUNDRED, A, api_name="/score")
    guesser, perfect = result["always_commonest"], result["all_right"]
    assert (guesser["accuracy"], guesser["informedness"], guesser["nit"]) == (0.9, 0.0, 0.5)
    entropy_of_a_tenth = 0.4689955935892812
    assert (perfect["accuracy"], perfect["informedness"]) == (1.0, 1.0)
    assert perfect["nit"] == close(2**entropy_of_a_tenth / 2)


def test_nit_has_the_p_value_of_chance(client):
    result = client.predict(HUNDRED, A, api_name="/score")
    made = estimate(ContingencyTable.from_labels(HUNDRED, A), "nit")
    assert result["nit_independence_p_value"] == made.independence_p_value


def test_the_warnings_come_with_the_result(client):
    result = client.predict(
        references=["a", "b", "a"], predictions=["a", "b", "c"], api_name="/score"
    )
    few = "may cover the truth less often than they say: 3 samples, where 50 are wanted"
    assert any(few in note for note in result["warnings"])
    assert (
        "among the predictions but not the references, so counted as 0 in Informedness: 'c'"
        in result["warnings"]
    )


def test_weights_have_no_interval_and_the_result_says_so(client):
    result = client.predict([[30.5, 20], [3, 40]], api_name="/score_matrix")
    assert not [name for name in result if "interval" in name]
    assert result["warnings"] == ["there is no interval: these are weights, not counts of samples"]


def test_one_class_alone_is_reported_with_its_warnings(client):
    result = client.predict(["a"] * 60, ["a"] * 60, api_name="/score")
    assert (result["accuracy"], result["informedness_confidence_interval"]) == (1.0, None)
    assert any("all references are 'a'" in note for note in result["warnings"])


@pytest.mark.parametrize("metric", ["informedness", "nit"])
def test_a_comparison_is_that_of_the_package_by_the_metric_of_the_page(app, metric):
    result = Client(app(metric), verbose=False).predict(HUNDRED, A, B, api_name="/compare")
    wanted = compare(HUNDRED, A, B, metric=metric).to_dict()
    assert wanted["p_value"] < 0.05
    assert wanted.items() <= result.items()
    assert (result["scores_a"][metric], result["scores_b"][metric]) == (wanted["a"], wanted["b"])
    assert result["scores_b"] == {
        name: report(HUNDRED, B).to_dict()[name] for name in result["scores_b"]
    }
    assert result["warnings"] == []


def test_a_comparison_warns_where_samples_are_few(client):
    result = client.predict(HUNDRED[85:], A[85:], B[85:], api_name="/compare")
    assert any("15 samples, where 50 are wanted" in note for note in result["warnings"])


def test_a_comparison_takes_a_metric_classes_and_a_level(client):
    result = client.predict(
        references=HUNDRED,
        predictions_a=A,
        predictions_b=B,
        labels=["ham", "spam", "eggs"],
        metric="accuracy",
        confidence_level=0.8,
        api_name="/compare",
    )
    wanted = compare(
        HUNDRED, A, B, metric="accuracy", labels=["ham", "spam", "eggs"], confidence_level=0.8
    )
    assert wanted.to_dict().items() <= result.items()


def test_numbers_with_decimals_are_labels_where_the_references_are_such_numbers_too(client):
    result = client.predict(["0.5", "1.0", "1.0"], ["0.5", "1.0", "1.5"], api_name="/score")
    assert result["accuracy"] == pytest.approx(2 / 3)


def test_integers_are_labels_too_and_labels_declares_the_classes(client):
    result = client.predict([1, 2, 1], [1, 2, 2], [1, 2, 10], api_name="/score")
    assert [row["label"] for row in result["per_class"]] == [1, 2, 10]
    assert result["nit"] == report([1, 2, 1], [1, 2, 2], labels=[1, 2, 10]).scores["nit"]


@pytest.mark.parametrize("declared", [False, True])
def test_matrices_give_the_golden_values(client, declared):
    for vector in VECTORS:
        matrix = [[int(n) if n.denominator == 1 else float(n) for n in row] for row in vector.table]
        labels = list("abcdefghij"[: vector.k]) if declared else None
        result = client.predict(matrix, labels, api_name="/score_matrix")
        assert result["informedness"] == close(vector.exact["informedness"] or 0), vector.id
        assert result["nit"] == close(vector.info["NIT_k_table" if declared else "NIT_k_ref"])
        assert result["ema"] == close(vector.info["EMA"])
        assert result["accuracy"] == close(vector.exact["accuracy"])
        assert result["matthews_corrcoef"] == close(vector.decimal["mcc"] or 0)


def test_a_simulation_is_exact_and_informedness_is_the_ability(client):
    shares, ability, guess = [0.5, 0.3, 0.2], 0.25, [0.2, 0.2, 0.6]
    result = client.predict(shares, ability, guess, api_name="/simulate")
    for i, j in itertools.product(range(3), repeat=2):
        wanted = shares[i] * (ability * (i == j) + (1 - ability) * guess[j])
        assert result["table"][i][j] == pytest.approx(wanted, abs=1e-15)
    assert result["informedness"] == pytest.approx(ability, abs=1e-12)
    curves = result["curves"]
    assert curves["informedness"] == pytest.approx(curves["ability"], abs=1e-12)
    wanted = report(
        *zip(*[(i, j) for i in range(3) for j in range(3)], strict=True),
        sample_weight=[n for row in result["table"] for n in row],
    )
    assert result["nit"] == pytest.approx(wanted.scores["nit"], abs=1e-12)
    likely = client.predict([9, 1], 0, api_name="/simulate")  # guesses like the classes
    assert likely["table"] == [pytest.approx([0.81, 0.09]), pytest.approx([0.09, 0.01])]


def test_fifty_callers_at_once_all_get_their_own_answer_and_their_own_warnings(app):
    clients = [
        Client(app("informedness"), verbose=False, httpx_kwargs={"timeout": 60}) for _ in range(50)
    ]
    answers: list[Any] = [None] * 50
    start = threading.Barrier(50)

    def arguments(i: int) -> tuple[list[str], list[str]]:
        references = ["ham"] * (50 + i) + ["spam"] * 20
        odd = [f"odd {i}"] if i % 2 else ["spam"]  # every second caller has its own warning
        return references, ["ham"] * 50 + ["spam"] * (i + 19) + odd

    def call(i: int) -> None:
        start.wait()
        answers[i] = clients[i].predict(*arguments(i), api_name="/score")

    threads = [threading.Thread(target=call, args=(i,)) for i in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, answer in enumerate(answers):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            wanted = report(*arguments(i), confidence_level=0.95).to_dict()
        notes = [str(warning.message).removeprefix("informedness: ") for warning in caught]
        assert answer["warnings"] == notes
        assert wanted.items() <= answer.items()


@pytest.mark.parametrize(
    ("endpoint", "arguments", "sentence"),
    [
        ("score", [["a"] * 100_001, ["a"] * 100_001], "At most 100,000 rows can be .* 100,001"),
        (
            "score",
            [["a" * 201, "b"], ["a", "b"]],
            "A label can have at most 200 characters, .* has 201",
        ),
        ("score", [list(map(str, range(1001)))] * 2, "At most 1,000 classes .* got 1,001"),
        ("score", [list(range(1001))] * 2, "At most 1,000 classes can be scored here, got 1,001"),
        ("score", [["a", "b"], ["a"]], "Mismatch in the number of predictions .1. and ref"),
        ("score", [[], []], "there must be a sample to score"),
        ("score", ["ab", "ab"], "`references` must be a sequence of labels"),
        ("score", [["a", None], ["a", "b"]], "`references` must hold labels .* a missing value"),
        ("score", [["a", 1], ["a", 1]], "`references` must hold labels of one type"),
        ("score", [["1", "0"], ["0.93", "1"]], "The predictions are .* decimals, such as '0.93'"),
        ("score", [["1.0", "0.0"], ["1", "0"]], "The references are numbers with decimals"),
        ("score", [["a"], ["b"], ["a"]], "`labels` must list every prediction, 'b' is missing"),
        ("score_matrix", [[[0] * 1001] * 1001], "At most 1,000 classes .* got 1,001"),
        ("score_matrix", [[[1, 2], [3]]], "must be square: row 2 must have 2 counts, got 1"),
        ("score_matrix", [[[1, -2], [3, 4]]], "`matrix` must be finite and not negative, got -2"),
        ("score_matrix", [[["x", 2], [3, 4]]], "`matrix` must hold numbers"),
        ("score", [[["a"]], [["a"]]], "`references` must hold labels"),
        ("score", [{"a": 1}, {"a": 1}], "`references` must be a sequence of labels"),
        ("score_matrix", [{"a": 1}], "must be a list of rows"),
        ("score_matrix", [[[None]]], "`matrix` must hold numbers"),
        ("score_matrix", [[[1]], ["a", "b"]], "`labels` must name the 1 rows of `matrix`, got 2"),
        ("score_matrix", [[[0]]], "must sum to more than 0"),
        ("score", [["a", "b"], ["a", "b"], None, 1.5], "must lie between 0 and 1, .* got 1.5"),
        ("compare", [["a", "b"], ["a", "b"], ["a"]], "predictions_b: Mismatch in the number"),
        ("compare", [["a", "b"], ["a", 1], ["a", "b"]], "predictions_a: .* labels of one type"),
        ("compare", [["a"], ["a"], ["b"]], "must have at least two classes"),
        ("compare", [["a", "b"], ["a", "b"], ["b", "a"], None, "bleu"], "`metric` must be"),
        (
            "slices",
            [["a", "b"], ["a", "b"], ["x"]],
            "`by` must have a value for each sample, got 1",
        ),
        ("simulate", [[1] * 51, 0.5], "A simulation needs 2 to 50 classes"),
        ("simulate", [[1, 1], 1.5], "The ability must be between 0 and 1, got 1.5"),
        ("simulate", [[1, 0], 0.5], "The share of each class must be at least 1e-06"),
        ("simulate", [[1, -1], 0.5], "The shares must be a list of numbers, none below 0"),
        ("simulate", [[1, 1], 0.5, [1, 1, 1]], "got 2 and 3"),
        ("simulate", ["ab", "c"], "The shares must be a list of numbers"),
        ("simulate", [[10**400, 1], 0.5], "The shares must be a list of numbers"),
        ("simulate", [[1, 1], 0.5, [10**400, 1]], "The guess shares must be a list of numbers"),
    ],
)
def test_an_endpoint_refuses_in_a_sentence_that_says_the_limit(
    client, endpoint, arguments, sentence
):
    with pytest.raises(AppError, match=sentence):
        client.predict(*arguments, api_name=f"/{endpoint}")


# As tools


async def with_tools(url: str, use: Callable[[Any], Any]) -> Any:
    """Connect a client of the Model Context Protocol, as an assistant does, and use it."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with (
        streamablehttp_client(f"{url}gradio_api/mcp/") as (read, write, _),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        return await use(session)


def call_tool(url: str, name: str, **arguments: Any) -> Any:
    return run_alone(with_tools(url, lambda session: session.call_tool(name, arguments)))


LABELS = {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}
NUMBERS = {"type": "array", "items": {"type": "number"}}
CLASSES = {"oneOf": [{"type": "null"}, LABELS]}
LEVEL = {"type": "number", "default": 0.95}
ARGUMENTS = {
    "score": {
        "references": LABELS,
        "predictions": LABELS,
        "labels": CLASSES,
        "confidence_level": LEVEL,
    },
    "score_matrix": {
        "matrix": {"type": "array", "items": NUMBERS},
        "labels": CLASSES,
        "confidence_level": LEVEL,
    },
    "simulate": {
        "shares": NUMBERS,
        "ability": {"type": "number"},
        "guess": {"oneOf": [{"type": "null"}, NUMBERS]},
    },
    "compare": {
        "references": LABELS,
        "predictions_a": LABELS,
        "predictions_b": LABELS,
        "labels": CLASSES,
        "metric": {"type": "string", "default": "nit"},
        "confidence_level": LEVEL,
    },
    "slices": {"references": LABELS, "predictions": LABELS, "by": LABELS, "labels": CLASSES},
}
REQUIRED = {
    "score": ["references", "predictions"],
    "score_matrix": ["matrix"],
    "simulate": ["shares", "ability"],
    "compare": ["references", "predictions_a", "predictions_b"],
    "slices": ["references", "predictions", "by"],
}


def test_the_tools_keep_their_names_and_their_schema_and_say_what_a_score_means(app):
    tools = run_alone(with_tools(app("nit"), lambda session: session.list_tools())).tools
    schemas = {tool.name: tool.inputSchema for tool in tools}
    descriptions = [
        argument.pop("description")
        for schema in schemas.values()
        for argument in schema["properties"].values()
    ]
    assert {name: schema["properties"] for name, schema in schemas.items()} == ARGUMENTS
    assert {name: schema["required"] for name, schema in schemas.items()} == REQUIRED
    assert min(map(len, descriptions)) > 30
    said = {tool.name: tool.description for tool in tools}
    for words in ("share of decisions that are informed", "chance is 1/k", "Returns: "):
        assert words in said["score"]
    assert "contains 0, no difference is shown" in said["compare"]


def test_a_tool_answers_with_the_json_of_its_endpoint(app):
    url = app("nit")
    for name, arguments in (
        ("score", {"references": [0, 1, 1, 2], "predictions": [0, 1, 2, 2]}),
        ("compare", {"references": HUNDRED, "predictions_a": A, "predictions_b": B}),
        ("simulate", {"shares": [9, 1], "ability": 0.25}),
    ):
        answer = call_tool(url, name, **arguments)
        assert not answer.isError
        (content,) = answer.content
        wanted = Client(url, verbose=False).predict(**arguments, api_name=f"/{name}")
        assert json.loads(content.text) == wanted


def test_tools_called_at_once_keep_their_warnings_and_those_of_everybody_else(app):
    """The MCP server catches warnings, of the whole process, while it answers."""

    async def call_all(session: Any) -> Any:
        odd = [{"references": ["a", "b"], "predictions": ["a", f"odd {i}"]} for i in range(8)]
        return await asyncio.gather(*(session.call_tool("score", sent) for sent in odd))

    url = app("informedness")
    answers = run_alone(with_tools(url, call_all))
    for i, answer in enumerate(answers):
        assert f"'odd {i}'" in json.loads(answer.content[0].text)["warnings"][-1]
    result = Client(url, verbose=False).predict(["a", "b"], ["a", "c"], api_name="/score")
    assert "'c'" in result["warnings"][-1]


def test_a_tool_refuses_in_the_sentence_of_its_endpoint(app):
    answer = call_tool(app("nit"), "score", references=["a", "b"], predictions=["a"])
    assert answer.isError
    assert "Mismatch in the number of predictions (1) and references (2)" in answer.content[0].text


def test_in_a_space_the_tools_carry_the_name_of_the_metric(monkeypatch):
    """An assistant may have the tools of both Spaces."""
    from screenshots import running

    monkeypatch.setenv("SYSTEM", "spaces")
    monkeypatch.setenv("SPACE_ID", "someone/informedness")
    with running("informedness") as (url, *_):
        tools = run_alone(with_tools(url, lambda session: session.list_tools())).tools
        assert [tool.name for tool in tools] == [f"informedness_{name}" for name in ENDPOINTS]
        arguments = {"references": HUNDRED, "predictions": B}
        answer = call_tool(url, "informedness_score", **arguments)
        assert json.loads(answer.content[0].text)["accuracy"] == 0.95
