"""Small pictures for notebooks: bars and tables, without scripts."""

from html import escape

_STYLE = ("font:13px system-ui,sans-serif;border-collapse:collapse")
_COLOURS = ("#3b6fb6", "#c8553d", "#4c9f70", "#8d6a9f", "#b08b2e", "#5a6472")


def number(x):
    return f"{x:,}" if isinstance(x, int) else f"{x:.4g}"


def table_html(rows):
    """Rows of (what, value)."""
    return f"<table style='{_STYLE}'>" + "".join(
        f"<tr><th style='text-align:left'>{escape(str(k))}</th>"
        f"<td style='text-align:right'>{escape(str(v))}</td></tr>"
        for k, v in rows) + "</table>"


def bars_html(rows, title="", width=260):
    """Rows of (name, share or value, text): a bar each, to both sides of 0."""
    if not rows:
        return ""
    most = max(abs(v) for _, v, _ in rows) or 1
    below = any(v < 0 for _, v, _ in rows)
    zero = width // 2 if below else 0
    scale = (width - zero) / most
    lines = []
    for i, (name, value, text) in enumerate(rows):
        y, length = 20 * i, abs(value) * scale
        x = 130 + zero - (length if value < 0 else 0)
        colour = _COLOURS[1] if value < 0 else _COLOURS[0]
        lines.append(
            f"<text x='124' y='{y + 14}' text-anchor='end'>{escape(str(name)[:18])}"
            f"</text><rect x='{x:.1f}' y='{y + 3}' width='{max(length, 1):.1f}' "
            f"height='14' fill='{colour}'/><text x='{136 + width}' y='{y + 14}'>"
            f"{escape(text)}</text>")
    head = f"<div style='font:600 13px system-ui'>{escape(title)}</div>" \
        if title else ""
    return (f"{head}<svg role='img' width='{width + 210}' "
            f"height='{20 * len(rows) + 4}' style='font:12px system-ui,sans-serif'"
            f" fill='currentColor'>{''.join(lines)}</svg>")


def facts_html(info):
    rows = [(k.replace("_", " "), number(v)) for k, v in info.items()
            if isinstance(v, (int, float)) and not isinstance(v, bool)]
    return table_html(rows)


def matrix_html(names, h):
    """The coupling: blue attracts, red repels."""
    most = abs(h).max() or 1
    head = "".join(f"<th>{escape(n)}</th>" for n in names)
    body = ""
    for name, row in zip(names, h):
        cells = "".join(
            f"<td style='background:rgba({'59,111,182' if v > 0 else '200,85,61'},"
            f"{abs(v) / most:.2f});padding:4px 8px'>{v:+.3f}</td>" for v in row)
        body += f"<tr><th style='text-align:right'>{escape(name)}</th>{cells}</tr>"
    return (f"<table style='{_STYLE}'><tr><th>coupling</th>{head}</tr>{body}"
            "</table>")
