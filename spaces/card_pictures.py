"""Draw the picture at the top of each metric card, an SVG beside the card.

python spaces/card_pictures.py
"""

import sys

from sync import ROOT, SOURCE

sys.path.insert(0, str(SOURCE.parent))
from informedness import ContingencyTable

MAILBOXES = ("90% ham, 10% spam", "50% ham, 50% spam")
MODELS = {  # for each mailbox a matrix of ham and spam, references in rows
    "always ham": ([[90, 0], [10, 0]], [[90, 0], [90, 0]]),
    "a spam filter": ([[84, 6], [2, 8]], [[84, 6], [18, 72]]),
    "always right": ([[90, 0], [0, 10]], [[90, 0], [0, 90]]),
    "always wrong": ([[0, 90], [10, 0]], [[0, 90], [90, 0]]),
}
ROWS = {  # width of the labels, then label, model and score of each row
    "informedness": (
        220,
        [(f"{x}: {y}", x, y.lower()) for x in [*MODELS][:2] for y in ("accuracy", "Informedness")],
    ),
    "nit": (120, [(model, model, "nit") for model in MODELS]),
}
TITLES = {
    "informedness": "Accuracy and Informedness of two models in two mailboxes",
    "nit": "NIT of four models in two mailboxes",
}
COLUMN, ROW, LENGTH = 200, 26, 140  # LENGTH is that of a bar of 1


def picture(metric: str) -> str:
    """Return the picture of a metric as SVG."""
    left, rows = ROWS[metric]
    width, height = left + COLUMN * len(MAILBOXES), 60 + ROW * len(rows)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" '
        'font-family="system-ui, sans-serif" font-size="14" fill="#1c2733">',
        f"<title>{TITLES[metric]}</title>",
        # its own background makes it readable on dark pages
        f'<rect width="{width}" height="{height}" rx="8" fill="#ffffff"/>',
    ]
    for column, mailbox in enumerate(MAILBOXES):
        lines.append(
            f'<text x="{left + COLUMN * column}" y="26" font-weight="600">{mailbox}</text>'
        )
    for row, (label, model, name) in enumerate(rows):
        y, color = 44 + ROW * row, "#9aa5b1" if name == "accuracy" else "#1f6fb2"
        lines.append(f'<text x="{left - 12}" y="{y + 14}" text-anchor="end">{label}</text>')
        for column, matrix in enumerate(MODELS[model]):
            value = float(ContingencyTable.from_matrix(matrix).score(name))
            x, size = left + COLUMN * column, LENGTH * value
            lines += [
                f'<rect x="{x}" y="{y}" width="{LENGTH}" height="18" fill="#eef1f4"/>',
                f'<rect x="{x}" y="{y}" width="{size:.0f}" height="18" fill="{color}"/>',
                f'<text x="{x + LENGTH + 8}" y="{y + 14}">{value:.2f}</text>',
            ]
    return "".join(f"{line}\n" for line in [*lines, "</svg>"])


if __name__ == "__main__":
    for metric in ROWS:
        (ROOT / "metrics" / metric / "picture.svg").write_text(picture(metric), "utf-8")
