"""The browser page of a metric: score predictions, simulate classifiers, compare two of them.

The tab that scores is here, the others have files of their own.

Both Spaces share this source. It runs in a folder staged by `spaces/build.py`, next to the metric's
script, the helpers and the card, and serves the metric whose script it finds there. All numbers
come from the helpers.
"""

import base64
import json
import os
import re
import sys
from collections.abc import Mapping
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

import asking  # noqa: E402
import charts  # noqa: E402
import endpoints  # noqa: E402
from asking import PRIVATE, QUIET  # noqa: E402
from compare_tab import compare_tab  # noqa: E402
from data import ROLES, Answers, table_of_labels  # noqa: E402
from grid import Grid, grid_value, is_block, pasted_matrix, table_of_grid  # noqa: E402
from guess import guessed  # noqa: E402
from kinds import Page  # noqa: E402
from limits import LEVEL, MAX_FILE, MAX_GRID, METRIC, MOST_VISITORS, Guard, Refusal, examples_of  # noqa: E402
from links import matrix_of_link, settings_of_link  # noqa: E402
from uploads import take_folder  # noqa: E402

from informedness.inference.registry import score_named  # noqa: E402
from informedness.warnings import collected  # noqa: E402

TITLE = score_named(METRIC).title
CARD = (HERE / "README.md").read_text("utf-8")

EXAMPLES = {one["name"]: one for one in examples_of("score")}
WAYS = ("matrix", "paste", "lists", "file")  # to give what is scored
TABS = ("score", "guess", "simulate", "compare", "use")
# Without the server, whose answer could come after another tab was opened
OPEN_TAB = f"""() => {json.dumps([TABS, WAYS])}.map((names) => {{
  const selected = new URLSearchParams(location.search).get("tab");
  return {{ __type__: "update", ...(names.includes(selected) && {{ selected }}) }};
}})"""
CODE_OF = """(details) => new DOMParser().parseFromString(details, "text/html")
  .querySelector(".python")?.outerHTML ?? "" """


def score_answers(answers: Answers, **settings: Any) -> tuple[str, str]:
    """Score two columns, and say which ones were taken for what."""
    references, predictions = answers.columns
    table = table_of_labels(references, predictions, **answers.of_task)
    return charts.draw_score(table, taken=answers.account, warned=answers.notes, **settings)


def score_grid(
    grid: Grid, average: str = "default", level: float = LEVEL, story: str = ""
) -> tuple[str, str]:
    """Score the matrix on the page; `story` explains an example."""
    with collected() as notes:
        table = table_of_grid(grid)
    settings = {"average": average, "level": level, "axes": grid["axes"]}
    return charts.draw_score(table, story, warned=notes, **settings)


def open_matrix(text: str) -> tuple[Any, Any]:
    """Put a matrix that was pasted as a table into the grid."""
    if not is_block(text):
        return gr.skip(), gr.skip()
    return pasted_matrix(text, [])[0], gr.Tabs(selected="matrix")


def read_block(pasted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the matrix that was pasted, or why it was refused."""
    try:
        grid, note = pasted_matrix(pasted["text"], pasted["labels"])
    except ValueError as error:
        return {"refused": charts.of_pasted(error)}
    return {**grid, "said": note}


def example_of(name: str) -> tuple[tuple[Grid, str, float], tuple[str, str]]:
    """Return the matrix of an example with its average and level, and its result."""
    labels, matrix, story = (EXAMPLES[name][part] for part in ("labels", "matrix", "story"))
    average = EXAMPLES[name].get("average", "default")
    average = average if score_named(METRIC).averages else "default"
    grid = grid_value(labels, matrix, False if "is_observed" in EXAMPLES[name] else None)
    return (grid, average, LEVEL), score_grid(grid, average, story=story)


def open_example(name: str) -> tuple[Any, ...]:
    """Put an example into the matrix and score it."""
    inputs, result = example_of(name)
    return *inputs, gr.Tabs(selected="matrix"), *result


def open_link(request: gr.Request) -> tuple[Any, ...]:
    """Score the table of a shared link, or open its example."""
    query = request.query_params
    if "example" in query:
        if query["example"] not in map(str, range(1, len(EXAMPLES) + 1)):
            raise Refusal(f"There are {len(EXAMPLES)} examples, and the link asks for another.")
        name = list(EXAMPLES)[int(query["example"]) - 1]
        return name, *open_example(name)
    found = matrix_of_link(query)
    if found is None:
        return (gr.skip(),) * 7
    grid, settings = grid_value(*found), settings_of_link(query)
    drawn = score_grid(grid, **settings)
    return None, grid, *settings.values(), gr.Tabs(selected="matrix"), *drawn


def said_by_the_card() -> dict[str, Any]:
    """Return its line on the metric, the formula in a line, and links to other Spaces, if any."""
    line = re.search(r"^short_description: *(.+)$", CARD, re.M)
    formula = re.search(r"^```text\n\w+ (= .+)$", CARD, re.M)
    links = re.search(r"^Spaces: (.+?) ·", CARD, re.M)  # of a card that is published
    others = re.findall(r"\[([^]]+)\]\(([^)]+)\)", links[1] if links else "")
    return {
        "line": line[1].strip("\"'") if line else "",
        "formula": " ".join(formula[1].split()) if formula else "",
        "others": [(title, url) for title, url in others if title != TITLE],
    }


def sections_of_card() -> list[list[str]]:
    """Return each heading of the card with the text below it, without the front matter."""
    text = re.sub(r"\A---\n.*?\n---\n", "", CARD, flags=re.S)
    picture = HERE / "picture.svg"
    if picture.is_file():  # the page has no address for it
        url = f"data:image/svg+xml;base64,{base64.b64encode(picture.read_bytes()).decode()}"
        text = text.replace("](picture.svg)", f"]({url})")
    # lines of code can start with # too
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    parts[::2] = [re.sub(r"^#+ ", "\0", part, flags=re.M) for part in parts[::2]]
    _, *sections = "".join(parts).split("\0")
    return [section.split("\n", 1) for section in sections]


def _score_tab(demo: gr.Blocks) -> tuple[asking.Result, gr.Tabs]:
    first = next(iter(EXAMPLES))
    (matrix, *_), scored = example_of(first)
    result = asking.result_of(scored, "result")
    with gr.Row(elem_id="steps"):
        steps = [(f"{i} {name}", name) for i, name in enumerate(EXAMPLES, start=1)]
        examples = gr.Radio(
            steps, value=first, label="Examples", container=False, elem_id="examples"
        )
        gr.Button("Next", size="sm", scale=0, elem_id="next")  # which page.js presses
    refused_link = asking.refusal_below("link")
    with gr.Row(elem_classes="workbench"):
        result.story.render()  # type: ignore[no-untyped-call]
        column = gr.Column(elem_id="asked", elem_classes="inputs")
        with column, gr.Tabs(selected="matrix") as ways:
            with gr.Tab("Matrix", id="matrix"):
                grid = asking.scripted("grid", matrix, calls=[read_block], most=MAX_GRID)
                refused_grid = asking.refusal_below("matrix")
                with gr.Accordion("Options", open=False):
                    shown_as = asking.settings()
                from_grid = gr.Button("Score", variant="primary", elem_id="score-matrix")
            pasted = asking.ask_in_tabs("Score", ROLES, score_answers, result)
        result.details.render()  # type: ignore[no-untyped-call]
    asking.grey(result.story, grid.edit)
    # A result of other inputs is no example; of an example, somebody may have chosen the next.
    js = "(story) => story.includes('note told') ? { __type__: 'update' } : null"
    result.story.change(None, result.story, examples, js=js, **PRIVATE)
    raw: dict[str, Any] = {"preprocess": False, "worded": charts.of_matrix}
    by_grid: Any = score_grid, [grid, *shown_as], [], result, refused_grid
    asking.ask(from_grid.click, *by_grid, **raw)
    typed = {**QUIET, "trigger_mode": "always_last", **raw}
    for changes in (grid.input, *(control.input for control in shown_as)):
        asking.ask(changes, *by_grid, **typed)
    parts = [grid, *shown_as, ways]
    asking.ask(examples.input, open_example, [examples], parts, result, refused_link, **typed)
    opened = pasted.change(open_matrix, pasted, [grid, ways], show_progress="hidden", **PRIVATE)
    asking.press(opened, pasted, from_grid)
    linked = asking.ask(demo.load, open_link, [], [examples, *parts], result, refused_link, **QUIET)
    result.kept["score-matrix"] = [grid, *shown_as]
    asking.settle(demo, result)
    linked.then(None, js="() => document.documentElement.classList.remove('linked')", **PRIVATE)
    return result, ways


def _use_tab(result: asking.Result) -> None:
    code = re.search(r'<div class="python">.*?</div>', str(result.details.value), re.S)
    with gr.Column(elem_classes="viz"):
        gr.Markdown("## The result under Score, in Python")
        lines = asking.html(code[0] if code else "", elem_id="code")
    result.details.change(None, result.details, lines, js=CODE_OF, **PRIVATE)
    (title, _), *sections = sections_of_card()
    with gr.Column(elem_id="card"):
        gr.Markdown(f"## {title}")
        for number, (heading, text) in enumerate(sections):
            with gr.Accordion(heading, open=number < 2):  # what it is, and how to use it
                gr.Markdown(text)


def build() -> gr.Blocks:
    """Return the page with its endpoints."""
    # Uploads may be scored several times, so they are kept for half an hour.
    demo = Page(title=TITLE, analytics_enabled=False, delete_cache=(600, 1800))
    with demo:
        asking.html(charts.draw("heading", title=TITLE, **said_by_the_card()))
        with gr.Tabs(overflow_behavior="wrap") as tabs:  # so that a phone shows all tabs
            with gr.Tab("Score", id="score"):
                result, ways = _score_tab(demo)
            with gr.Tab("Guess", id="guess"):
                # what each message is about, and what it is
                asking.scripted("guess", examples_of("guess"), calls=[guessed])
            with gr.Tab("Simulate", id="simulate"):
                asking.scripted("simulation")
            with gr.Tab("Compare", id="compare"):
                compare_tab(demo)
            with gr.Tab("Use it", id="use"):
                _use_tab(result)
        demo.load(None, None, [tabs, ways], js=OPEN_TAB, show_progress="hidden", **PRIVATE)
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
    # Python computes one thing at a time. The queue holds 2 calls each from 50 people.
    demo.queue(max_size=100, default_concurrency_limit=4)
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
