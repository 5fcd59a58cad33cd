"""Simulate a classifier that knows some of the answers, and show what each score says of it."""

from typing import Any

import charts
import gradio as gr
import simulation
from endpoints import METRIC
from limits import refusing

from informedness.results.report import Report

MOST_SHARES = 6  # classes that the slider offers
DRAWS = 10


def simulated(ability: float, guess: str, written: str) -> tuple[str, str]:
    """Simulate the classifier that the controls describe."""
    shares = simulation.read_shares(written)
    guesses = simulation.GUESSES[guess](shares)
    table = simulation.expected_table(shares, ability, guesses)
    by_ability = simulation.ability_curves(tuple(shares), simulation.frozen(guesses))
    by_share = simulation.share_curves(tuple(shares), ability, guess)
    first = shares[0] / sum(shares)
    return charts.draw_simulation(
        table,
        METRIC,
        (ability, simulation.ABILITIES, by_ability),
        (first, simulation.SHARES, by_share),
    )


def resized(written: str, k: float) -> tuple[str, str]:
    """Return the shares for another number of classes, and their bar."""
    shares = simulation.with_classes(simulation.read_shares(written), int(k))
    return ", ".join(f"{share:g}" for share in shares), charts.draw_shares(shares)


def share_bar(written: str) -> str:
    """Return the bar of the shares in the box."""
    return charts.draw_shares(simulation.percentages(simulation.read_shares(written)))


def drawn_samples(n: str, ability: float, guess: str, written: str) -> str:
    """Draw samples of the simulated classifier, several times."""
    shares = simulation.read_shares(written)
    table = simulation.expected_table(shares, ability, simulation.GUESSES[guess](shares))
    truth = Report.from_table(table).scores[METRIC]
    return charts.draw_samples(truth, simulation.draw_again(table, int(n), DRAWS), METRIC, int(n))


def simulate_tab() -> None:
    """Fill the tab."""
    start = (0.4, "in proportion to the classes", "90, 10")
    by_ability, by_share = simulated(*start)
    gr.Markdown(
        "A classifier knows some of the answers and guesses the rest. How do the scores depend on "
        "how much it knows? Drag the point on the chart or the border between the classes. The "
        "curves are exact: nothing in them is drawn at random."
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
            guess = gr.Radio(
                list(simulation.GUESSES), value=start[1], label="Where it does not know, it guesses"
            )
            bar = gr.HTML(share_bar(start[2]), apply_default_css=False, elem_id="share-bar")
            shares = gr.Textbox(start[2], label="Class shares in percent", elem_id="shares")
            classes = gr.Slider(2, MOST_SHARES, 2, step=1, label="Number of classes")
            size = gr.Radio(["20", "50", "200", "1000"], value="50", label="Samples per draw")
            button = gr.Button(f"Draw {DRAWS} times", elem_id="draw")
            sampled = gr.HTML("", apply_default_css=False, elem_id="sampled")
        with gr.Column(scale=3, min_width=300):
            drawn = gr.HTML(by_ability, apply_default_css=False, elem_id="simulation")
    moved = gr.HTML(by_share, apply_default_css=False, elem_id="simulation-shares")
    private: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden"}
    classes.input(refusing(resized), [shares, classes], [shares, bar], **private)
    gr.on([shares.blur, shares.submit], refusing(share_bar), shares, bar, **private)
    # A moving slider asks again only after the last answer has arrived.
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
