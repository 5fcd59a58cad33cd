"""The browser page of a metric: score predictions, simulate classifiers, compare two of them.

One source for both Spaces. It runs from a folder that `spaces/build.py` stages, with the metric's
script, the helpers and the card beside it, and is for the metric whose script it finds there.
Every number comes from the helpers.
"""

import functools
import json
import os
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Before the import of gradio, which otherwise reports its use to its makers.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr
import numpy as np
from starlette.middleware import Middleware
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

# The package comes before this folder, whose `informedness.py` may be the metric's script.
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "package"), str(HERE)]

import charts  # noqa: E402
import endpoints  # noqa: E402
from columns import columns_by_role, read_upload, split_columns, split_samples, table_of_columns  # noqa: E402
from endpoints import METRIC, n_swaps  # noqa: E402
from limits import MAX_FILE, MAX_GRID, MAX_TEXT, MOST_VISITORS, Guard, Refusal, refusing  # noqa: E402
from simulation import (  # noqa: E402
    ABILITIES,
    GUESSES,
    SHARES,
    ability_curves,
    draw_again,
    expected_table,
    frozen,
    percentages,
    read_shares,
    share_curves,
    with_classes,
)
from tables import check_labels, link_of, table_of_labels, table_of_link, table_of_matrix  # noqa: E402

from informedness import Comparison, ContingencyTable, Report, compare  # noqa: E402
from informedness.core.labels import show  # noqa: E402
from informedness.scores.registry import score_named  # noqa: E402

TITLE = score_named(METRIC).title
CARD = (HERE / "README.md").read_text("utf-8")

MOST_SHARES = 6  # classes that the slider of a simulation offers
DRAWS = 10
CORNER = "reference"


EXAMPLES: dict[str, tuple[list[str], list[list[int]], str]] = {
    "Knows something": (
        ["ham", "spam"],
        [[84, 6], [2, 8]],
        "A spam filter that knows something. Beside it, a model that always answers ham: almost as "
        "often right, and it knows nothing.",
    ),
    "Looks good": (
        ["ham", "spam"],
        [[90, 0], [10, 0]],
        "A model that always answers ham. Nine answers in ten are right, and none is informed.",
    ),
    "The same model, classes balanced": (
        ["ham", "spam"],
        [[50, 0], [50, 0]],
        "The model that always answers ham, where spam is as common. Its accuracy has changed, "
        "though it knows no more and no less than before.",
    ),
    "Averages disagree": (
        ["a", "b", "c"],
        [[6, 0, 0], [0, 1, 2], [4, 2, 6]],
        "Three classes, of which one is known better than the others: now it matters how the "
        "classes are weighted, and which score is taken.",
    ),
    "Labels exchanged": (
        ["no", "yes"],
        [[0, 50], [50, 0]],
        "Every answer is wrong, yet each gives its reference away: Informedness is as low as it "
        "can be, and NIT, which sees only information, as high.",
    ),
}
SAMPLES = [["ham", "ham"], ["ham", "ham"], ["ham", "spam"], ["spam", "spam"], ["spam", "ham"]]
# Scripts and styles are left to Gradio, which compresses them better; streams of events stay open.
COMPRESSED = Middleware(
    GZipMiddleware,
    compresslevel=6,
    exclude_content_types=(
        *DEFAULT_EXCLUDED_CONTENT_TYPES,
        "application/javascript",
        "text/javascript",
        "text/css",
    ),
)
# On a phone the result is below the button that asked for it. In a frame as high as its content, as
# the Hub has it, only the page around can scroll: an observer tells what of the frame is seen, and
# the script that sized the frame scrolls when it is asked.
BRING_INTO_VIEW = """() => {
    const score = document.getElementById("score");
    new IntersectionObserver(([seen], observer) => {
        observer.disconnect();
        if (seen.intersectionRatio > 0.99) return;
        score.scrollIntoView();
        window.parentIFrame?.scrollToOffset(0, score.getBoundingClientRect().top + scrollY);
    }).observe(score);
}"""

SHOW_RESULT = "() => { document.documentElement.classList.remove('linked'); }"


def shown(table: ContingencyTable, story: str = "") -> str:
    """Return what a scored table puts on the page."""
    return charts.draw_score(table, METRIC, link_of(table), story)


def score_boxes(references: str, predictions: str) -> str:
    """Score two pasted columns."""
    names = ("References", "Predictions")
    return shown(table_of_labels(*split_samples((references, predictions), names)))


def upload_columns(path: str | None) -> list[Any]:
    """Offer an upload's columns to choose from; chosen are those whose names say what they are."""
    header = read_upload(path)[0] if path else []
    return [gr.Dropdown(choices=header, value=name) for name in columns_by_role(header)]


def score_upload(
    upload: Mapping[str, Any] | None, reference: str | None, prediction: str | None
) -> str:
    """Score two columns of an upload."""
    if not upload or reference is None or prediction is None:
        raise Refusal("Send a CSV or TSV file, then choose its two columns.")
    header, rows = read_upload(upload["path"])
    return shown_columns(header, rows, (reference, prediction))


def score_samples(table: Mapping[str, Any]) -> str:
    """Score the rows typed into the small table; rows with nothing in them are left out.

    A file dropped on it, and columns added, bring headers of their own: they say what is what.
    """
    header, *rows = (
        ["" if cell is None else str(cell) for cell in row]
        for row in (table["headers"], *table["data"])
    )
    reference, prediction = columns_by_role(header)
    if reference is None or prediction is None:
        raise Refusal(
            "One header must say that its column holds references, and one predictions, as "
            f"reference and prediction do; they are {', '.join(map(show, header))}."
        )
    numbered = {f"Row {number}": row for number, row in enumerate(rows, start=1) if any(row)}
    return shown_columns(header, numbered, (reference, prediction))


def shown_columns(
    header: Sequence[str], rows: Mapping[str, Sequence[str]], names: Sequence[str]
) -> str:
    """Score two columns by their names, and say which they are."""
    reference, prediction = map(show, names)
    if reference == prediction:
        raise Refusal(f"The column {reference} cannot be both: choose one for the predictions.")
    table = table_of_columns(header, rows, names)
    return shown(table, f"References: column {reference}. Predictions: column {prediction}.")


def count_of(cell: Any, row: str, column: str) -> float:
    """Return a cell of the matrix on the page as a number; empty is 0."""
    text = "" if cell is None else str(cell).strip()
    try:
        return int(text) if re.fullmatch("[0-9]{1,18}", text) else float(text or 0)
    except ValueError:
        raise Refusal(f"{text[:40]} (row {row}, column {column}) is not a count.") from None


def read_classes(text: str | None) -> list[str]:
    """Return the classes in the box above the grid, each once."""
    (labels,) = split_columns([text], ["Classes"])
    labels = list(dict.fromkeys(labels))
    if len(labels) > MAX_GRID:
        raise Refusal(f"The grid holds {MAX_GRID} classes, got {len(labels):,d}: paste columns.")
    check_labels(labels, "classes")
    return labels


def read_grid(grid: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """Return the classes and the cells of the matrix, whose menus add and delete what they like."""
    labels = ["" if not row or row[0] is None else str(row[0]) for row in grid["data"]]
    if list(map(str, grid["headers"])) != [CORNER, *labels]:
        columns = map(str, grid["headers"][1:])
        raise Refusal(
            "The grid must have a row and a column for each class, in one order. Its rows are "
            f"{', '.join(map(show, labels))}, its columns {', '.join(map(show, columns))}: make "
            "them the same, or open an example."
        )
    return labels, [list(row[1:]) for row in grid["data"]]


def score_grid(text: str | None, grid: Mapping[str, Any]) -> str:
    """Score the matrix on the page."""
    classes, labels = read_classes(text), read_grid(grid)[0]
    if len(classes) != len(labels):
        raise Refusal(
            f"The classes in the box are {', '.join(map(show, classes))}, those of the grid "
            f"{', '.join(map(show, labels))}: write in the box those that are meant."
        )
    labels, cells = read_grid(resize_grid(text, grid))  # with names changed a moment ago
    matrix = [
        [count_of(cell, row, column) for cell, column in zip(cells[i], labels, strict=True)]
        for i, row in enumerate(labels)
    ]
    return shown(table_of_matrix(matrix, labels))


def grid_value(labels: Sequence[Any], matrix: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return a matrix as the grid on the page holds it."""
    rows = [[label, *row] for label, row in zip(labels, matrix, strict=True)]
    return {"headers": [CORNER, *labels], "data": rows}


def resize_grid(text: str | None, grid: Mapping[str, Any]) -> dict[str, Any]:
    """Return the grid for other classes.

    Counts between classes that stay are kept, and a class takes its counts along to a new name.
    """
    labels = read_classes(text)
    old, cells = read_grid(grid)
    gone = [label for label in old if label not in labels]
    new = [label for label in labels if label not in old]
    if gone and new and len(gone) != len(new) and len(gone) < len(old):
        raise Refusal(
            f"Rename classes first, then add or remove some: {', '.join(map(show, gone))} would "
            f"become {', '.join(map(show, new))}."
        )
    renamed = dict(zip(gone, new, strict=True)) if len(gone) == len(new) else {}
    names = [renamed.get(label, label) for label in old]
    kept = {
        (i, j): count
        for i, row in zip(names, cells, strict=True)
        for j, count in zip(names, row, strict=True)
    }
    return grid_value(labels, [[kept.get((i, j), 0) for j in labels] for i in labels])


def open_example(name: str) -> tuple[Any, ...]:
    """Put an example into the matrix, and score it."""
    labels, matrix, story = EXAMPLES[name]
    result = shown(table_of_matrix(matrix, labels), story)
    return "\n".join(labels), grid_value(labels, matrix), gr.Tabs(selected="matrix"), result


def open_link(request: gr.Request) -> tuple[Any, ...]:
    """Put the table of a shared link into the matrix, and score it."""
    table = table_of_link(request.query_params)
    if table is None:
        return (gr.skip(),) * 4
    labels = [str(label) for label in table.labels]
    grid = grid_value(labels, table.to_dense().tolist())
    return "\n".join(labels), grid, gr.Tabs(selected="matrix"), shown(table)


def compare_boxes(references: str, first: str, second: str) -> str:
    """Compare two pasted columns of predictions."""
    names = ("References", "Predictions A", "Predictions B")
    columns = split_samples((references, first, second), names)
    a, b = (table_of_labels(columns[0], column) for column in columns[1:])
    with charts.noting() as notes:
        made = paired(columns, a, b)
    return charts.draw_comparison(a, b, METRIC, made, notes)


def paired(
    columns: Sequence[Sequence[str]], first: ContingencyTable, second: ContingencyTable
) -> Comparison | None:
    """Return the comparison on the same samples; None where there is nothing to tell apart."""
    if np.count_nonzero(first.reference_totals) < 2:
        return None
    return compare(*columns, metric=METRIC, n_resamples=n_swaps(columns, first, second))


def simulated(ability: float, guess: str, written: str) -> tuple[str, str]:
    """Simulate what the controls say."""
    shares = read_shares(written)
    guesses = GUESSES[guess](shares)
    table = expected_table(shares, ability, guesses)
    by_ability = ability_curves(tuple(shares), frozen(guesses))
    by_share = share_curves(tuple(shares), ability, guess)
    first = shares[0] / sum(shares)
    return charts.draw_simulation(
        table, METRIC, (ability, ABILITIES, by_ability), (first, SHARES, by_share)
    )


def resized(written: str, k: float) -> tuple[str, str]:
    """Return the shares of another number of classes, and their bar."""
    shares = with_classes(read_shares(written), int(k))
    return ", ".join(f"{share:g}" for share in shares), charts.draw_shares(shares)


def share_bar(written: str) -> str:
    """Return the bar of the shares in the box."""
    return charts.draw_shares(percentages(read_shares(written)))


def drawn_samples(n: str, ability: float, guess: str, written: str) -> str:
    """Draw samples of the simulated classifier, several times."""
    shares = read_shares(written)
    table = expected_table(shares, ability, GUESSES[guess](shares))
    truth = Report.from_table(table).scores[METRIC]
    return charts.draw_samples(truth, draw_again(table, int(n), DRAWS), METRIC, int(n))


def code_lines() -> str:
    """Return the lines of Python that give this score; in a Space they name the Space."""
    in_card = re.search(r'evaluate\.load\("([\w./-]+)"', CARD)
    name = os.environ.get("SPACE_ID") or (in_card[1] if in_card else METRIC)
    return (
        f"import evaluate\n{METRIC} = evaluate.load({json.dumps(name)})\n"
        f'{METRIC}.compute(references=["a", "b", "a"], predictions=["a", "b", "b"])'
    )


def card_below_a_title() -> str:
    """Return the card without its front matter, its headings a level lower."""
    text = re.sub(r"\A---\n.*?\n---\n", "", CARD, flags=re.S)
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)  # code has lines with a # too
    parts[::2] = [re.sub(r"^#", "##", part, flags=re.M) for part in parts[::2]]
    return "".join(parts)


def _header() -> str:
    """Return the head of the page; its line is the card's `short_description`."""
    line = re.search(r"^short_description: *(.+)$", CARD, re.M)
    return charts.draw_heading(TITLE, line[1].strip("\"'") if line else "")


def _labels_box(label: str, placeholder: str) -> gr.Textbox:
    return gr.Textbox(
        label=label, placeholder=placeholder, lines=7, max_lines=7, max_length=MAX_TEXT
    )


def _score_tab(demo: gr.Blocks) -> None:
    labels, matrix, story = EXAMPLES["Knows something"]
    with gr.Row():
        with gr.Column(scale=2, min_width=300):
            with gr.Tabs(selected="matrix") as ways:
                with gr.Tab("Paste", id="paste"):
                    references = _labels_box("References, one a line", "ham\nham\nspam")
                    predictions = _labels_box("Predictions, one a line", "ham\nspam\nspam")
                    from_boxes = gr.Button("Score", variant="primary", elem_id="score-columns")
                with gr.Tab("File", id="file"):
                    upload = gr.File(
                        label=f"CSV or TSV with a header, at most {MAX_FILE // 10**6} MB",
                        file_types=[".csv", ".tsv"],
                        type="filepath",
                        height=120,
                    )
                    reference = gr.Dropdown(label="Column of references", choices=[])
                    prediction = gr.Dropdown(label="Column of predictions", choices=[])
                    from_file = gr.Button("Score", variant="primary", elem_id="score-file")
                with gr.Tab("Table", id="samples"):
                    samples = gr.Dataframe(
                        SAMPLES,
                        headers=["reference", "prediction"],
                        datatype="str",
                        type="array",
                        label="One row a sample",
                        elem_id="samples",
                    )
                    from_samples = gr.Button("Score", variant="primary", elem_id="score-samples")
                with gr.Tab("Matrix", id="matrix"):
                    classes = gr.Textbox(
                        "\n".join(labels), label="Classes, one a line", lines=3, max_lines=8
                    )
                    grid = gr.Dataframe(
                        grid_value(labels, matrix),
                        type="array",
                        static_columns=[0],
                        label="Counts: rows are references, columns are predictions",
                        elem_id="grid",
                    )
                    from_grid = gr.Button("Score", variant="primary", elem_id="score-matrix")
            gr.HTML(charts.draw_heading("Examples", level=2))
            with gr.Row():
                examples = [gr.Button(name, size="sm", min_width=120) for name in EXAMPLES]
        with gr.Column(scale=3, min_width=300):
            drawing = shown(table_of_matrix(matrix, labels), story)
            result = gr.HTML(drawing, apply_default_css=False, elem_id="result")
    private: dict[str, Any] = {"api_visibility": "private"}
    upload.change(refusing(upload_columns), upload, [reference, prediction], **private)
    # As the browser sends it: tables with their headers, and columns that are looked for in the
    # file itself, not among the choices that the server keeps for each visitor.
    raw: dict[str, Any] = {"preprocess": False, **private}
    classes.blur(refusing(resize_grid), [classes, grid], grid, show_progress="hidden", **raw)
    for button, score_input, inputs in (
        (from_boxes, score_boxes, [references, predictions]),
        (from_file, score_upload, [upload, reference, prediction]),
        (from_samples, score_samples, [samples]),
        (from_grid, score_grid, [classes, grid]),
    ):
        clicked = button.click(refusing(score_input), inputs, result, **raw)
        clicked.success(None, js=BRING_INTO_VIEW, **private)
    filled = [classes, grid, ways, result]
    for button, name in zip(examples, EXAMPLES, strict=True):
        opened = refusing(functools.partial(open_example, name))
        clicked = button.click(opened, None, filled, **private)
        clicked.success(None, js=BRING_INTO_VIEW, **private)
    opened = demo.load(refusing(open_link), None, filled, **private)
    opened.then(None, js=SHOW_RESULT, **private)


def _simulate_tab() -> None:
    start = (0.4, "like the classes", "90, 10")
    by_ability, by_share = simulated(*start)
    gr.Markdown(
        "A classifier knows some of the answers and guesses the others. How often does it know, "
        "and what does each score make of it? Drag the point on the chart, or the border between "
        "the classes. The curves are exact: nothing in them is drawn at random."
    )
    with gr.Row():
        with gr.Column(scale=2, min_width=300, elem_classes="controls"):
            ability = gr.Slider(
                0,
                1,
                start[0],
                step=0.01,
                label="Ability: share of answers known",
                elem_id="ability",
            )
            guess = gr.Radio(list(GUESSES), value=start[1], label="Otherwise it guesses")
            bar = gr.HTML(share_bar(start[2]), apply_default_css=False, elem_id="share-bar")
            shares = gr.Textbox(start[2], label="Class shares in percent", elem_id="shares")
            classes = gr.Slider(2, MOST_SHARES, 2, step=1, label="Number of classes")
            size = gr.Radio(["20", "50", "200", "1000"], value="50", label="Samples in a draw")
            button = gr.Button(f"Draw {DRAWS} times", elem_id="draw")
            sampled = gr.HTML("", apply_default_css=False, elem_id="sampled")
        with gr.Column(scale=3, min_width=300):
            drawn = gr.HTML(by_ability, apply_default_css=False, elem_id="simulation")
    moved = gr.HTML(by_share, apply_default_css=False, elem_id="simulation-shares")
    private: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    classes.input(refusing(resized), [shares, classes], [shares, bar], **private)
    gr.on([shares.blur, shares.submit], refusing(share_bar), shares, bar, **private)
    # A moving slider asks again only when the last answer has come.
    controls: list[Any] = [ability, guess, shares]
    gr.on(
        [control.change for control in controls],
        refusing(simulated),
        controls,
        [drawn, moved],
        trigger_mode="always_last",
        **private,
    )
    button.click(refusing(drawn_samples), [size, *controls], sampled, **private)


def compared_models() -> list[list[str]]:
    """Return references and two models' answers to them: a hundred, in which one is better."""
    answers = {  # reference, answer of A, answer of B
        ("ham", "ham", "ham"): 62,
        ("ham", "ham", "spam"): 3,
        ("ham", "spam", "ham"): 4,
        ("ham", "spam", "spam"): 1,
        ("spam", "spam", "spam"): 12,
        ("spam", "spam", "ham"): 1,
        ("spam", "ham", "spam"): 11,
        ("spam", "ham", "ham"): 6,
    }
    rows = [row for row, times in answers.items() for _ in range(times)]
    return [list(column) for column in zip(*rows, strict=True)]


def _compare_tab() -> None:
    gr.Markdown(
        "Two models on the same samples: which is better, and by how much? Three columns of a "
        "spreadsheet can be pasted into the first box, if the others are empty."
    )
    pasted = compared_models()
    with gr.Row():
        boxes = [
            gr.Textbox("\n".join(column), label=label, lines=10, max_lines=10, max_length=MAX_TEXT)
            for column, label in zip(
                pasted, ("References, one a line", "Predictions A", "Predictions B"), strict=True
            )
        ]
    button = gr.Button("Compare", variant="primary", elem_id="compare-columns")
    start = compare_boxes(*("\n".join(column) for column in pasted))
    result = gr.HTML(start, apply_default_css=False, elem_id="comparison")
    button.click(refusing(compare_boxes), boxes, result, api_visibility="private")


def build() -> gr.Blocks:
    """Return the page with its endpoints."""
    # An upload is needed from its arrival to its last scoring: it goes after half an hour.
    demo = gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=(600, 1800))
    with demo:
        gr.HTML(_header(), apply_default_css=False)
        with gr.Tabs(overflow_behavior="wrap"):  # a phone shows all of them
            with gr.Tab("Score"):
                _score_tab(demo)
            with gr.Tab("Simulate"):
                _simulate_tab()
            with gr.Tab("Compare"):
                _compare_tab()
            with gr.Tab("Use it"):
                gr.Code(code_lines(), language="python", label="Python", interactive=False)
                gr.Markdown(card_below_a_title())
        endpoints.register(demo)
    return demo


def main() -> None:
    """Serve the page."""
    warnings.warn = charts.take_note  # type: ignore[assignment]
    demo = build()
    # Fonts of the reader's own system, and a button whose white words stand out from it.
    theme = gr.themes.Default(
        primary_hue="blue",
        font=["system-ui", "sans-serif"],
        font_mono=["ui-monospace", "monospace"],
    ).set(button_primary_background_fill="*primary_600")
    # Measured with 50 clients at once on 2 busy cores: all were answered, in 3.3 s for 1,000 rows
    # each and 11 s for 100,000. Limits of 1, 4, 16 and 40 calls at a time made no difference, as
    # Python computes one thing at a time; the queue is as long as 50 people with 2 calls each.
    demo.queue(max_size=100, default_concurrency_limit=4)
    demo.launch(
        theme=theme,
        css_paths=HERE / "page.css",
        head=f"<script>{(HERE / 'page.js').read_text('utf-8')}</script>",
        show_error=False,  # the text of a bug stays on the server; refusals are shown anyway
        max_file_size=MAX_FILE,
        state_session_capacity=MOST_VISITORS,
        ssr_mode=False,
        footer_links=["api", "settings"],
        mcp_server=endpoints.serve_tools(),
        app_kwargs={"middleware": [Middleware(Guard), COMPRESSED]},
    )


if __name__ == "__main__":
    main()
