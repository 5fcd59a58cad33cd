"""Calls from the page: results turn grey when inputs change, refusals appear below the button.

What the browser does of it is in page.js. A table is asked for in three tabs, with menus that say
which column is which.
"""

import functools
import json
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import gradio as gr
from charts import draw, sentence
from grid import is_block
from kinds import checked
from limits import HERE, LEVEL, LEVELS, MAX_FILE, MEANT, METRIC, WORDS, Refusal
from reading import PART, Sent, opened

from informedness.files.opening import FORMATS
from informedness.inference.registry import score_named
from informedness.text.render import shown

# It takes `Answers`, with the average and the level, and returns a story and its details.
Scoring: TypeAlias = Callable[..., tuple[str, str]]
PASTED = "label\tprediction\nham\tham\nham\tspam\nspam\tspam"
PRIVATE: dict[str, Any] = {"api_visibility": "private"}
QUIET: dict[str, Any] = {"bring": False, "show_progress": "hidden"}


class Asked(NamedTuple):
    """An event that asks for a result, where it is refused, and if the answer scrolls into view."""

    event: Any
    refusal: gr.HTML
    bring: bool


class Result(NamedTuple):
    """Where a result is shown: the story, and further down the details.

    Beside it are the hidden refusal of the last answer, which page.js shows unless the inputs have
    changed since, the events that ask for a result, and the inputs that page.js keeps over a
    reload, by a name for them.
    """

    story: gr.HTML
    details: gr.HTML
    refused: gr.HTML
    asked: list[Asked]
    kept: dict[str, list[Any]]


def html(value: Any, **options: Any) -> gr.HTML:
    """Return a part of the page that the templates draw."""
    return gr.HTML(value, apply_default_css=False, **options)


def scripted(
    name: str, value: Any = None, calls: Sequence[Callable[[Any], Any]] = (), **options: Any
) -> gr.HTML:
    """Return a part of the page that the template and the script of this name draw.

    `calls` are the functions of Python that the script calls.
    """
    template, script = draw(name, value=value), (HERE / f"{name}.js").read_text("utf-8")
    options |= {"html_template": template, "js_on_load": script, "elem_id": name}
    options["server_functions"] = list(map(checked, calls))
    return html(value, **options)


def result_of(drawn: tuple[str, str], name: str) -> Result:
    """Return a result before it is put into the page."""
    story, details = drawn
    return Result(
        html(story, elem_id=name, elem_classes="story", render=False),
        html(details, elem_id=f"{name}-details", elem_classes="details", render=False),
        html("", visible=False),
        [],
        {},
    )


def refusal_below(name: str) -> gr.HTML:
    """Return the empty space below what is typed or chosen, where refusals are shown."""
    return html("", elem_id=f"refusal-{name}", elem_classes="if-filled")


def grey(result: gr.HTML, *events: Callable[..., Any]) -> None:
    """Turn a result grey when these events fire; page.js does so when someone types beside it."""
    for event in events:
        event(None, js=f"() => results.changed({json.dumps(result.elem_id)})", **PRIVATE)


def ask(
    event: Callable[..., Any],
    function: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    result: Result,
    refusal: gr.HTML,
    bring: bool = True,
    worded: Callable[[Any], str] = sentence,
    **options: Any,
) -> Any:
    """Call a function when an event fires; if it raises a ValueError, show that as a refusal.

    `outputs` are what it returns before both parts of `result`, which are scrolled into view if
    `bring`.
    """
    filled = [*outputs, result.story, result.details, result.refused]

    @functools.wraps(function)
    def handler(*args: Any) -> list[Any]:
        try:
            return [*function(*args), ""]
        except ValueError as error:
            return [*[gr.skip()] * len(filled[1:]), draw("refusal", message=worded(error))]

    name, number = json.dumps(result.story.elem_id), len(result.asked)
    js = f"(...inputs) => results.asked({name}, {number}, {json.dumps(bring)}, inputs)"
    options = {"js": js, "show_progress_on": result.story, **PRIVATE, **options}
    asked = event(handler, inputs, filled, **options)
    result.asked.append(Asked(asked, refusal, bring))
    return asked


def press(event: Any, read: Any, button: gr.Button) -> None:
    """Score after an event, if something was read and the result is not of it."""
    js = f"(read) => read && results.press({json.dumps(button.elem_id)})"
    event.then(None, read, js=js, **PRIVATE)


def settle(demo: gr.Blocks, result: Result) -> None:
    """Let a new result end all refusals, and let page.js keep it and its inputs over a reload."""
    refusals = list(dict.fromkeys(asked.refusal for asked in result.asked))
    name = str(result.story.elem_id)
    for number, (asked, refusal, bring) in enumerate(result.asked):
        shown_in = [one is refusal for one in refusals]
        about = ", ".join(map(json.dumps, (name, number, bring, shown_in)))
        js = f"(refused) => results.answered({about}, refused)"
        asked.then(None, result.refused, refusals, js=js, **PRIVATE)
    kept = {name: [result.story, result.details], **result.kept}
    for key, parts in kept.items():
        js = f"(...values) => results.keep({json.dumps(key)}, values)"
        gr.on([part.change for part in parts], None, parts, js=js, **PRIVATE)
    sizes = json.dumps({key: len(parts) for key, parts in kept.items()})
    js = f"() => results.restored({json.dumps(name)}, {sizes})"
    all_parts = [part for parts in kept.values() for part in parts]
    demo.load(None, None, all_parts, js=js, show_progress="hidden", **PRIVATE)


# Tables


def look(
    roles: Sequence[str],
    sent: Sent,
    encoding: str | None = None,
    part: str | None = None,
    is_numbered: bool | None = None,
    *given: Any,
) -> list[Any]:
    """Return what the controls show of a table, what was read of it, or why it is refused.

    The controls are the menu of its parts, whether columns have numbers, a menu for each role and
    one for counts, the button that offers counts, and the options. `given` are the columns that
    were chosen, and the other arguments of `read`. Unless it is known whether columns have numbers,
    the table is new: then only what it has stays chosen.
    """
    names, options = [*given[: len(roles)]] or [None] * len(roles), [*given[len(roles) :]]
    is_new = is_numbered is None
    header, parts, counts = list[str](), list[str](), None
    block, refusal, opens = "", "", False
    try:
        with opened(roles, sent, encoding, part, is_numbered) as table:
            is_numbered, header = table.is_numbered, table.header
            parts, part = table.parts, table.part
            if is_new:
                names, options[:1] = kept_of(names, header), kept_of(options[:1], header)
            chosen = table.chosen(roles, names)
            names = chosen or names
            account = f"columns: {', '.join(map(shown, header))}"
            if all(chosen):
                _, account, _, _, counts = table.read(roles, chosen, *options)
            top = table.first_lines if isinstance(sent, dict) else ""
            block = draw("block", account=account, is_numbered=is_numbered, top=top)
    except Refusal as error:
        is_sent = all(sent) if isinstance(sent, tuple) else bool(sent)
        refusal = draw("refusal", message=sentence(error)) if is_sent else ""
        opens = is_sent and sentence(error) != sentence(error, WORDS["sides"])
        names = kept_of(names, header) if is_new else names
    if len(roles) == 2 and isinstance(sent, str) and is_block(sent):
        block = refusal = ""  # it opens as a matrix, and is scored there
    has_menus = not (isinstance(sent, tuple) or (parts and not header))  # as lists and logs do
    return [
        gr.update(choices=parts, value=part, visible=len(parts) > 1),
        bool(is_numbered),
        *(gr.update(choices=header, value=name, visible=has_menus) for name in names),
        gr.update(choices=header, value=options[0] if options else None),
        gr.update(value=f"Use column '{counts}' as counts", visible=counts is not None),
        counts,
        gr.update(open=True) if opens and refusal else gr.skip(),
        block,
        refusal,
    ]


def kept_of(names: Sequence[str | None], header: Sequence[str]) -> list[str | None]:
    """Return the columns that were chosen before, if a new table has all of them."""
    return [*names] if all(name in header for name in names) else [None] * len(names)


def settings() -> list[Any]:
    """Return the controls of the average over classes, if the score has some, and of the level."""
    score = score_named(METRIC)
    averages, label = ["default", *filter(None, score.averages)], "Average over classes"
    levels, has_interval = [(f"{level:.0%}", level) for level in LEVELS], hasattr(score, "interval")
    return [
        gr.Dropdown(averages, value="default", label=label, visible=len(averages) > 1),
        gr.Dropdown(levels, value=LEVEL, label="Interval", visible=has_interval),
    ]


def fields_of(kind: str, roles: Sequence[str], value: str) -> list[Any]:
    """Return the fields into which a table is put: a file, a box of rows, or one for each list."""
    if kind == "file":
        label = f"Table (CSV, Excel, Parquet ...) or log, at most {MAX_FILE // 10**6} MB"
        kinds = [*FORMATS, ".txt", ".gz", ".bz2", ".zst", ".eval"]
        return [gr.File(label=label, file_types=kinds, height=170)]
    # without `max_length`, by which browsers cut what is pasted
    size: dict[str, Any] = {"lines": 5, "max_lines": 8}
    if kind == "lists":
        info = "One a line, between commas, or as Python, R or pandas print a list"
        with gr.Row():
            return [gr.Textbox(label=role.capitalize(), info=info, **size) for role in roles]
    label = "Rows of a table, as copied from a spreadsheet or a file, with its header"
    of_rows: dict[str, Any] = {"elem_classes": "takes-rows", "placeholder": PASTED}  # for paste.js
    return [gr.Textbox(value, label=label, **of_rows, **size)]


def changed_by(control: Any) -> Any:
    """Return the event of a change by a person; a text box has none for what is pasted."""
    return control.change if isinstance(control, gr.Textbox) else control.input


def ask_in_tabs(
    verb: str, roles: Sequence[str], score: Scoring, result: Result, rows: str = ""
) -> Any:
    """Add a tab for each way to send a table, and return the box for rows, which may have some."""
    boxes = []
    for kind in ("paste", "lists", "file"):
        with gr.Tab(kind.capitalize(), id=kind):
            value = rows if kind == "paste" else ""
            boxes.append(_ask_of_table(kind, verb, roles, score, result, value))
    return boxes[0]


def _ask_of_table(
    kind: str, verb: str, roles: Sequence[str], score: Scoring, result: Result, value: str
) -> Any:
    """Add fields for a table, a menu for the column of each role, what was read, and a button.

    The button scores the answers in the table. The roles are the references and each model.
    """
    fields, name = fields_of(kind, roles, value), f"{verb.lower()}-{kind}"
    refusal = refusal_below(name)
    _, first_is_data, *menus, counted, _, _, _, account, _ = look(roles, value)
    # such as doc.label
    custom: dict[str, Any] = {"allow_custom_value": True, "visible": kind != "lists"}
    part = gr.Dropdown([], label=PART, visible=False)
    choices = [
        gr.Dropdown(menu["choices"], value=menu["value"], label=f"Column of {role}", **custom)
        for role, menu in zip(roles, menus, strict=True)
    ]
    block = html(account, elem_classes="if-filled")
    offer = gr.Button(visible=False, size="sm"), html("", visible=False)  # with the column
    with gr.Accordion("Options", open=False) as options:
        first = gr.Checkbox(first_is_data, label="The first row is data: columns have numbers")
        about = "For a table in which a row stands for several samples"
        counts = gr.Dropdown(
            counted["choices"], value=None, label="Column of counts", info=about, **custom
        )
        meant = gr.CheckboxGroup([(y, x) for x, y in MEANT.items()], label="What is meant")
        about = "For scores instead of predictions"
        threshold = gr.Textbox(label="Threshold", info=about)
        about = "All of them, between commas; for a threshold that of low scores first"
        classes = gr.Textbox(label="Classes", info=about)
        of_text: dict[str, Any] = {"placeholder": "UTF-8", "visible": kind == "file"}
        encoding = gr.Textbox(label="Encoding of text", **of_text)
        shown_as = settings()
    button = gr.Button(verb, variant="primary", elem_id=name)
    controls: list[Any] = [encoding, part, first, *choices, counts, meant, threshold, classes]
    filled: list[Any] = [part, first, *choices, counts, *offer, options, block, refusal]
    inputs = [*fields, *controls, *shown_as]
    n_fields, sent_in = len(fields), itemgetter(*range(len(fields)))  # one, or a tuple of lists

    def looked(*values: Any, forgotten: Sequence[Any] = ()) -> list[Any]:
        given = [None if x in forgotten else y for x, y in zip(inputs, values, strict=True)]
        return look(roles, sent_in(given), *given[n_fields : -len(shown_as)])

    def asked(*values: Any) -> tuple[str, str]:
        encoding, part, is_numbered, *given, average, level = values[n_fields:]
        names, others = given[: len(roles)], given[len(roles) :]
        is_numbered = is_numbered if any(names) else None
        with opened(roles, sent_in(values), encoding, part, is_numbered) as table:
            answers = table.read(roles, names, *others)
        return score(answers, average=average, level=level)

    # Take what the browser sends: columns are looked up in the table itself, not among the choices
    # that the server keeps for each visitor.
    raw: dict[str, Any] = {"preprocess": False, "show_progress": "hidden", **PRIVATE}
    raw["trigger_mode"] = "always_last"
    changed = [field.change for field in fields]
    # the controls that are guessed anew, and after what
    # by one event each, so that a later answer is of later inputs
    looks: tuple[tuple[list[Any], list[Any]], ...] = (
        ([part, first], changed),
        ([first], [encoding.submit, encoding.blur, part.input]),
        ([*choices, counts], [first.input]),
        ([], list(map(changed_by, (*controls[3:], *shown_as)))),
    )
    for forgotten, events in looks:
        look_again = functools.partial(looked, forgotten=forgotten)
        press(gr.on(events, look_again, inputs, filled, **raw), block, button)
    # What is typed, pasted or ticked greys by page.js; a link that fills the field does not.
    menus_chosen = [x.input for x in inputs if isinstance(x, gr.Dropdown)]
    grey(result.story, *(changed if kind == "file" else []), *menus_chosen)
    used = offer[0].click(lambda name: name, offer[1], counts, **raw)
    newest: dict[str, Any] = {"preprocess": False, "trigger_mode": "always_last"}
    for event in (button.click, used.then):
        ask(event, asked, inputs, [], result, refusal, **newest)
    if kind != "file":  # uploads are deleted after a while
        result.kept[name] = inputs
    return fields[0]
