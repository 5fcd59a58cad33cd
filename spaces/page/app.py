"""Serve the browser page of a metric: tabs to see why, to score, and to compare two models.

Both Spaces share this source. It runs in a folder staged by `spaces/build.py`, next to the metric's
script, the helpers and the card, and serves the metric whose script it finds there. All numbers
come from the helpers.
"""

import base64
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

# Set before importing gradio, which otherwise sends usage data to its makers.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

# The package comes before this folder, whose `informedness.py` may be the metric's script.
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "package"), str(HERE)]

import charts  # noqa: E402
import endpoints  # noqa: E402
from data import ROLES, Answers, table_of_labels, tables_of_models  # noqa: E402
from form import NOTHING, PRIVATE, QUIET, Door, Form, add_form, html, scripted  # noqa: E402
from grid import Grid, grid_value, table_of_grid  # noqa: E402
from kinds import Page  # noqa: E402
from limits import LEVEL, MAX_FILE, METRIC, MOST_VISITORS, WORDS, Guard, Refusal, examples_of  # noqa: E402
from links import columns_of_link, matrix_of_link, settings_of_link  # noqa: E402
from lists import as_rows  # noqa: E402
from uploads import take_folder  # noqa: E402

from informedness import compare  # noqa: E402
from informedness.inference.registry import score_named  # noqa: E402
from informedness.warnings import collected  # noqa: E402

TITLE = score_named(METRIC).title
CARD = (HERE / "README.md").read_text("utf-8")

EXAMPLES = {one["name"]: one for one in examples_of("score")}
MODELS = ("references", "predictions A", "predictions B")  # the roles of columns in a comparison
HEADER = ("label", "model A", "model B")  # of the rows in its box


def score_answers(answers: Answers, **settings: Any) -> tuple[str, str]:
    """Score two columns."""
    table = answers.table
    if table is None:
        references, predictions = answers.columns
        table = table_of_labels(references, predictions, **answers.of_task)
    return charts.draw_score(table, warned=answers.notes, **settings)


def score_grid(
    grid: Grid, average: str = "default", level: float = LEVEL, story: str = ""
) -> tuple[str, str]:
    """Score the matrix on the page, or the matrix of an example, which `story` explains."""
    with collected() as notes:
        table = table_of_grid(grid)
    how = {"average": average, "level": level, "axes": grid["axes"], "is_grid": not story}
    return charts.draw_score(table, story, warned=notes, **how)


def compared(answers: Answers, average: Any = "default", level: float = LEVEL) -> tuple[str, str]:
    """Compare two columns of predictions, which follow the column of references."""
    references, *predictions = answers.columns
    models = dict(zip(MODELS[1:], predictions, strict=True))
    a, b = tables_of_models(references, models, **answers.of_task)
    comparison = None  # with one class there is nothing to compare
    with collected() as notes:
        if len(set(references)) > 1:
            options = {"average": average, "confidence_level": level, **answers.of_task}
            comparison = compare(*answers.columns, metric=METRIC, **options)
    settings = {"average": average, "level": level}
    return charts.draw_comparison(answers, {"A": a, "B": b}, comparison, notes, **settings)


def rows_of_examples(tab: str, *header: str) -> str:
    """Format the examples of a tab as rows below these names."""
    rows = [row for *row, times in examples_of(tab) for _ in range(times)]
    return as_rows(dict(zip(header, zip(*rows, strict=True), strict=True)))


DOORS = {
    "mine": Door(
        "mine",
        "Score",
        ROLES,
        rows_of_examples("rows", "label", "prediction"),
        score_answers,
        score_grid,
    ),
    "compare": Door("compare", "Compare", MODELS, rows_of_examples("compare", *HEADER), compared),
}


def open_example(name: str) -> tuple[str, str]:
    """Show the result of an example."""
    labels, matrix, story = (EXAMPLES[name][part] for part in ("labels", "matrix", "story"))
    average = EXAMPLES[name].get("average", "default")
    average = average if score_named(METRIC).averages else "default"
    grid = grid_value(labels, matrix, False if "is_observed" in EXAMPLES[name] else None)
    return score_grid(grid, average, story=story)


def open_link(request: gr.Request) -> dict[str, Any]:
    """Read from a link the values of parts of the page, by their door and name."""
    query = request.query_params
    if "example" in query:
        if query["example"] not in map(str, range(1, len(EXAMPLES) + 1)):
            raise Refusal(f"There are {len(EXAMPLES)} examples, and the link asks for another.")
        name = list(EXAMPLES)[int(query["example"]) - 1]
        return dict(zip(("example", "story", "details"), (name, *open_example(name)), strict=True))
    given: dict[str, Any]
    if (columns := columns_of_link(query)) is not None:
        door, given = "compare", {"box": as_rows(dict(zip(HEADER, columns, strict=True)))}
    elif (found := matrix_of_link(query)) is not None:
        door, given = "mine", {"form": "matrix", "key": " matrix"}
        given["grid"] = gr.update(value=grid_value(*found), visible=True)
    else:
        return {}
    return {f"{door} {x}": y for x, y in {**given, **settings_of_link(query)}.items()}


def said_by_the_card() -> dict[str, Any]:
    """Read the formula and any links to other Spaces from the card."""
    formula = re.search(r"^```text\n\w+ (= .+)$", CARD, re.M)
    links = re.search(r"^Spaces: (.+?) ·", CARD, re.M)  # only published cards have them
    others = re.findall(r"\[([^]]+)\]\(([^)]+)\)", links[1] if links else "")
    return {
        "formula": " ".join(formula[1].split()) if formula else "",
        "others": [(title, url) for title, url in others if title != TITLE],
    }


def sections_of_card() -> list[list[str]]:
    """Split the card into headings and the text below each, without the front matter."""
    text = re.sub(r"\A---\n.*?\n---\n", "", CARD, flags=re.S)
    picture = HERE / "picture.svg"
    if picture.is_file():  # inlined, as the page has no address for it
        url = f"data:image/svg+xml;base64,{base64.b64encode(picture.read_bytes()).decode()}"
        text = text.replace("](picture.svg)", f"]({url})")
    # lines of code can start with # too
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    parts[::2] = [re.sub(r"^#+ ", "\0", part, flags=re.M) for part in parts[::2]]
    _, *sections = "".join(parts).split("\0")
    return [section.split("\n", 1) for section in sections]


def _examples() -> dict[str, Any]:
    """Add the examples, and return their parts."""
    first = next(iter(EXAMPLES))
    story, details = open_example(first)
    parts: dict[str, Any] = {
        "example": gr.Radio(
            [*EXAMPLES], value=first, label="Examples", container=False, elem_id="examples"
        )
    }
    parts["refusal"] = html("", elem_id="why-refusal", elem_classes="if-filled")
    parts["story"] = html(story, elem_id="why", elem_classes="story")
    parts["details"] = html(details, elem_id="why-details", elem_classes="details")
    result = [parts["story"], parts["details"]]
    how: dict[str, Any] = {"trigger_mode": "always_last", **QUIET}
    parts["example"].input(open_example, parts["example"], result, **how)
    return parts


def _use() -> None:
    """Add the formula of the metric and its card, whose first two sections are open."""
    said = said_by_the_card()
    (title, _), *sections = sections_of_card()
    with gr.Column(elem_id="card"):
        gr.Markdown(f"## {title}\n\n{TITLE} {said['formula']}")
        for number, (heading, text) in enumerate(sections):
            with gr.Accordion(heading, open=number < 2):  # what it is, and how to use it
                gr.Markdown(text)


def _load(demo: gr.Blocks, tabs: list[Any], why: dict[str, Any], forms: dict[str, Form]) -> None:
    """Fill the page from its address, or with its content before a reload."""
    of_links = ("box", "form", "key", "grid", "average", "level")
    parts = dict(why)
    for name, form in forms.items():
        parts |= {f"{name} {x}": form.parts[x] for x in of_links if x in form.parts}

    def opened(request: gr.Request) -> list[Any]:
        try:
            found = {"refusal": "", **open_link(request)}
        except ValueError as error:
            found = {"refusal": charts.draw("refusal", message=charts.sentence(error), buttons=[])}
        return [found.get(name, NOTHING) for name in parts]

    linked = demo.load(opened, None, [*parts.values()], **QUIET)
    linked.then(None, js="() => results.linked()", **PRIVATE)
    sent = {name: form.sent for name, form in forms.items()}
    kept = [forms[name].parts[x] for name, inputs in sent.items() for x in inputs]
    js = f"() => results.restored({json.dumps(sent)})"
    demo.load(None, None, [*tabs, *kept], js=js, show_progress="hidden", **PRIVATE)


def build() -> gr.Blocks:
    """Build the page with its endpoints."""
    # Uploads may be scored several times, so they are kept for half an hour.
    demo = Page(title=TITLE, analytics_enabled=False, delete_cache=(600, 1800))
    with demo:
        said = {"about": WORDS["about"][METRIC], "others": said_by_the_card()["others"]}
        html(charts.draw("heading", title=TITLE, **said))
        forms = {}
        with gr.Tabs(overflow_behavior="wrap", elem_id="doors") as doors:
            with gr.Tab("See why", id="why"), gr.Tabs(elem_id="ways") as ways:
                with gr.Tab("Examples", id="examples"):
                    why = _examples()
                with gr.Tab("Guess", id="guess"):
                    # each message with its class
                    scripted("guess", examples_of("guess"))
                with gr.Tab("Simulate", id="simulate"):
                    scripted("simulation")
            with gr.Tab("Score mine", id="mine"):
                forms["mine"] = add_form(DOORS["mine"])
            with gr.Tab("Compare two", id="compare"):
                forms["compare"] = add_form(DOORS["compare"])
            with gr.Tab("Use it", id="use"):
                _use()
        _load(demo, [doors, ways], why, forms)
        endpoints.register()
    return demo


def main() -> None:
    """Serve the page."""
    take_folder()
    demo = build()
    # The reader's system fonts, and a colour near the accent of page.css.
    theme = gr.themes.Default(
        primary_hue="sky", font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
    )
    # Measured with 50 clients at once on 2 busy cores: all were answered, in 3.3 s for 1,000 rows
    # each and 11 s for 100,000. Limits of 1, 4, 16 and 40 calls at a time made no difference, as
    # Python computes one thing at a time. The queue holds 4 calls each from 50 people, and those
    # of 150 programs.
    demo.queue(max_size=200, default_concurrency_limit=4)
    demo.launch(
        theme=theme,
        css_paths=HERE / "page.css",
        head="".join(
            f"<script>{(HERE / name).read_text('utf-8')}</script>"
            for name in ("page.js", "paste.js")
        ),
        show_error=False,  # hides the text of unexpected errors; refusals are shown anyway
        max_file_size=MAX_FILE,
        state_session_capacity=MOST_VISITORS,
        ssr_mode=False,
        footer_links=["api"],
        mcp_server=True,
        app_kwargs={"middleware": [Middleware(Guard), Middleware(GZipMiddleware, compresslevel=6)]},
    )


if __name__ == "__main__":
    main()
