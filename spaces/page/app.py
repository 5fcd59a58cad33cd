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
from markdown_it import MarkdownIt
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

# The package comes before this folder, whose `informedness.py` may be the metric's script.
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "package"), str(HERE)]

import charts  # noqa: E402
import endpoints  # noqa: E402
from data import ROLES, Answers, Grid, grid_value, table_of_grid  # noqa: E402
from form import NOTHING, PRIVATE, QUIET, SHOWN_ONLY, Door, add_form, html, scripted  # noqa: E402
from kinds import Page  # noqa: E402
from limits import EXAMPLES, LEVEL, MAX_FILE, METRIC, MOST_VISITORS, WORDS, Guard, Refusal  # noqa: E402
from links import columns_of_link, matrix_of_link, settings_of_link  # noqa: E402
from lists import as_rows  # noqa: E402
from uploads import take_folder  # noqa: E402

from informedness.inference.registry import score_named  # noqa: E402
from informedness.warnings import collected  # noqa: E402

TITLE = score_named(METRIC).title
CARD = (HERE / "README.md").read_text("utf-8")

SCORED = {one["name"]: one for one in EXAMPLES["score"]}
HEADER = ("label", "model A", "model B")  # of the rows in its box


def score_answers(answers: Answers, **settings: Any) -> tuple[str, str]:
    """Score the table that was read."""
    return charts.draw_score(answers.table, warned=answers.notes, **settings)


def score_grid(
    grid: Grid, average: str = "default", level: float = LEVEL, story: str = ""
) -> tuple[str, str]:
    """Score the matrix on the page, or the matrix of an example, which `story` explains."""
    with collected() as notes:
        table = table_of_grid(grid)
    how = {"average": average, "level": level, "axes": grid["axes"], "is_grid": not story}
    return charts.draw_score(table, story, warned=notes, **how)


def rows_of_examples(tab: str, *header: str) -> str:
    """Format the examples of a tab as rows below these names."""
    rows = [row for *row, times in EXAMPLES[tab] for _ in range(times)]
    return as_rows(dict(zip(header, zip(*rows, strict=True), strict=True)))


ROWS, PAIRS = rows_of_examples("rows", "label", "prediction"), rows_of_examples("compare", *HEADER)
DOORS = {
    "mine": Door("mine", "Score", ROLES, ROWS, score_answers, score_grid),
    "compare": Door("compare", "Compare", charts.MODEL_ROLES, PAIRS, charts.draw_comparison),
}


def open_example(name: str) -> str:
    """Show the result of an example."""
    labels, matrix, story = (SCORED[name][part] for part in ("labels", "matrix", "story"))
    average = SCORED[name].get("average", "default")
    average = average if score_named(METRIC).averages else "default"
    grid = grid_value(labels, matrix, False if "is_observed" in SCORED[name] else None)
    drawn, details = score_grid(grid, average, story=story)
    return f'<div id="why" class="story">{drawn}</div><div id="why-details">{details}</div>'


def open_link(request: gr.Request) -> dict[str, Any]:
    """Read from a link the values of parts of the page, by their door and name."""
    query = request.query_params
    if "example" in query:
        if query["example"] not in map(str, range(1, len(SCORED) + 1)):
            raise Refusal(f"There are {len(SCORED)} examples, and the link asks for another.")
        name = list(SCORED)[int(query["example"]) - 1]
        return {"example": name, "story": open_example(name)}
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


def card_as_html() -> str:
    """Render the card with the formula, its sections after the second one folded."""
    text = MarkdownIt().enable("table").render(re.sub(r"\A---\n.*?\n---\n", "", CARD, flags=re.S))
    picture = HERE / "picture.svg"
    if picture.is_file():  # inlined, as the page has no address for it
        url = f"data:image/svg+xml;base64,{base64.b64encode(picture.read_bytes()).decode()}"
        text = text.replace('src="picture.svg"', f'src="{url}"')
    title, *sections = re.split("<h[2-4]>(.*)</h[2-4]>", text)
    folds = [f"{title}<p>{TITLE} {said_by_the_card()['formula']}</p>"]
    for number, (heading, below) in enumerate(zip(sections[::2], sections[1::2], strict=True)):
        state = "open" if number < 2 else ""  # what it is, and how to use it
        folds.append(f"<details {state}><summary><h2>{heading}</h2></summary>{below}</details>")
    return f'<div class="viz folds">{"".join(folds)}</div>'


def _load(demo: gr.Blocks, tabs: list[Any], why: dict[str, Any], forms: Any) -> None:
    """Fill the page from its address, or with its content before a reload."""
    linked_inputs = ("box", "form", "key", "grid", "average", "level")
    parts = dict(why)
    for name, form in forms.items():
        parts |= {f"{name} {x}": form[x] for x in linked_inputs if x in form}

    def opened(request: gr.Request) -> list[Any]:
        try:
            found = open_link(request)
        except ValueError as error:
            refusal = charts.draw("refusal", message=charts.sentence(error), buttons=[])
            found = {"story": f'<div id="why-refusal">{refusal}</div>'}
        return [found.get(name, NOTHING) for name in parts]

    linked = demo.load(opened, None, [*parts.values()], **QUIET)
    linked.then(None, js="() => results.linked()", **PRIVATE)
    sent = {x: [y for y in form if y not in SHOWN_ONLY] for x, form in forms.items()}
    kept = [forms[name][x] for name, inputs in sent.items() for x in inputs]
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
                    names = [*SCORED]
                    chips: dict[str, Any] = {"container": False, "elem_id": "examples"}
                    example = gr.Radio(names, value=names[0], label="Examples", **chips)
                    why = {"example": example, "story": html(open_example(names[0]))}
                    shows: dict[str, Any] = {"trigger_mode": "always_last", **QUIET}
                    example.input(open_example, example, why["story"], **shows)
                with gr.Tab("Guess", id="guess"):
                    # each message with its class
                    scripted("guess", EXAMPLES["guess"])
                with gr.Tab("Simulate", id="simulate"):
                    scripted("simulation")
            with gr.Tab("Score mine", id="mine"):
                forms["mine"] = add_form(DOORS["mine"])
            with gr.Tab("Compare two", id="compare"):
                forms["compare"] = add_form(DOORS["compare"])
            with gr.Tab("Use it", id="use"):
                html(card_as_html(), elem_id="card")
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
        head=f"<script>{(HERE / 'page.js').read_text('utf-8')}</script>",
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
