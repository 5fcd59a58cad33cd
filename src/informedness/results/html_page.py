"""A result as one HTML file to send: what a notebook shows, in a frame with its style."""

from __future__ import annotations

import re

_FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>informedness: {title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --line: #c8c8c8; --bar: #1f6fb2 }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ink: #e8e8e8; --paper: #161616; --line: #4a4a4a; --bar: #74b3ea }}
}}
@media print {{ :root {{ --ink: #000; --paper: #fff; --line: #999; --bar: #333 }} }}
body {{ margin: 0 auto; max-width: 62rem; padding: 1rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }}
pre {{ white-space: pre-wrap; border-left: .2rem solid var(--line); padding-left: .8rem }}
.table {{ overflow-x: auto; margin: 1rem 0 }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
th, td {{ padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right;
  overflow-wrap: normal; white-space: nowrap }}
th:first-child, td:first-child {{ text-align: left }}
i {{ display: block; height: .3rem; min-width: 1px; background: var(--bar) }}
@media print {{ i {{ print-color-adjust: exact }} .table {{ overflow: visible }} }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>"""
_INTERVAL = re.compile(r"<td>\((-?[\d.]+) to (-?[\d.]+)\)</td>")


def html_page(title: str, body: str) -> str:
    """Return a file of HTML without scripts or addresses; a bar shows where each interval lies."""
    lowest = -1.0 if any(float(low) < 0 for low, _ in _INTERVAL.findall(body)) else 0.0

    def with_bar(cell: re.Match[str]) -> str:
        start, end = (
            100 * (min(max(float(bound), lowest), 1.0) - lowest) / (1 - lowest)
            for bound in cell.groups()
        )
        style = f"margin-left:{start:.1f}%;width:{end - start:.1f}%"
        return cell[0].replace("</td>", f'<i aria-hidden="true" style="{style}"></i></td>')

    drawn, n_drawn = _INTERVAL.subn(with_bar, body)
    frame = '<div class="table" role="region" tabindex="0" aria-label="Table {}">'
    parts = drawn.split("<table>")
    tables = (f"{frame.format(i)}<table>{part}" for i, part in enumerate(parts[1:], start=1))
    drawn = "".join([parts[0], *tables]).replace("</table>", "</table></div>")
    legend = f"\n<p>Bars show intervals, from {lowest:.0f} to 1.</p>" if n_drawn else ""
    return _FRAME.format(title=title, body=f"{drawn}{legend}")
