"""Write a result as one HTML file to send: the notebook output in a page with a style."""

import re
from pathlib import Path
from string import Template

_FRAME = Path(__file__).with_name("page.html")
_INTERVAL = re.compile(r"<td>\((-?[\d.]+) to (-?[\d.]+)\)</td>")


def html_page(title: str, body: str) -> str:
    """Build an HTML page without scripts or addresses; a bar shows each interval."""
    lowest = -1.0 if any(float(low) < 0 for low, _ in _INTERVAL.findall(body)) else 0.0

    def with_bar(cell: re.Match[str]) -> str:
        start, end = (
            100 * (min(max(float(bound), lowest), 1.0) - lowest) / (1 - lowest)
            for bound in cell.groups()
        )
        style = f"margin-left:{start:.1f}%;width:{end - start:.1f}%"
        return cell[0].replace("</td>", f'<i aria-hidden="true" style="{style}"></i></td>')

    drawn, n_drawn = _INTERVAL.subn(with_bar, body)
    region = '<div class="table" role="region" tabindex="0" aria-label="Table {}">'
    parts = drawn.split("<table>")
    tables = (f"{region.format(i)}<table>{part}" for i, part in enumerate(parts[1:], start=1))
    drawn = "".join([parts[0], *tables]).replace("</table>", "</table></div>")
    legend = f"\n<p>Bars show intervals, from {lowest:.0f} to 1.</p>" if n_drawn else ""
    frame = Template(_FRAME.read_text(encoding="utf-8"))
    return frame.substitute(title=title, body=f"{drawn}{legend}").rstrip()
