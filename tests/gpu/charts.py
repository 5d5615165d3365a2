"""Two pictures of a results file, as SVG: the ladder (every rung beside its reference) and the roofline.

An SVG shown through <img> knows nothing of the page around it, so each is a card with a background of its own; the media
query turns background and ink together. Colours are from the set that every kind of colour vision can tell apart (Okabe and
Ito, 2008), and no difference is told by colour alone.
"""
import math
from xml.sax.saxutils import escape

STYLE = """<style>
text{font:12px system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif;fill:#24292f}
.title{font-size:15px;font-weight:600}.head{font-weight:600}.quiet{fill:#57606a}.small{font-size:11px}
.card{fill:#ffffff;stroke:#d0d7de}.grid{stroke:#d8dee4}.roof{stroke:#57606a;stroke-width:1.5;fill:none}
.over{paint-order:stroke;stroke:#ffffff;stroke-width:4px}
.bar{fill:#2e86c8}.ref{fill:#d55e00}.refline{stroke:#d55e00;stroke-dasharray:5 4}.lead{stroke:#9aa4af}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9aa4af}.card{fill:#161b22;stroke:#30363d}
.over{stroke:#161b22}.grid{stroke:#2b323b}.roof{stroke:#9aa4af}.lead{stroke:#57606a}}
</style>"""


class Svg:
    """A card of width x height that shapes are put on."""

    def __init__(self, width, height, title, subtitle):
        self.out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{escape(title)}</title>", STYLE,
            f'<rect class="card" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>',
        ]
        self.text(20, 32, title, "title")
        self.text(20, 52, subtitle, "quiet")

    def text(self, x, y, text, kind="", anchor="start"):
        self.out.append(f'<text class="{kind}" text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, kind):
        self.out.append(f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>')

    def bar(self, x, y, width, height, kind):
        self.out.append(f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2"/>')

    def dot(self, x, y, kind):
        if kind == "ref":  # a square: told apart without its colour too
            self.out.append(f'<rect class="ref" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>')
        else:
            self.out.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')

    def done(self):
        return "\n".join([*self.out, "</svg>", ""])


def figure(value):
    """Three significant figures, no decimals from a hundred on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


# ---- the ladder ------------------------------------------------------------------------------------------

ROW, BAR, HEAD, NAMES, PLOT, LABELS = 22, 13, 44, 150, 190, 130
COLUMN = NAMES + PLOT + LABELS
OTHERS = ("cublas.", "cub.", "cuda.")  # what the set is measured against


def panel_height(panel):
    return HEAD + ROW * len(panel["rows"]) + 10


def put_panel(svg, panel, x, y):
    rows = panel["rows"]
    reference = next((r for r in rows if r.get("reference")), None)
    left, scale = x + NAMES, PLOT / max(r["rate"] for r in rows)
    svg.text(x, y + 16, panel["title"], "head")
    svg.text(x, y + 32, f"{rows[0]['unit']}, and the speed-up over {reference['name']}" if reference else rows[0]["unit"],
             "quiet small")
    top = y + HEAD
    if reference:
        at = left + reference["rate"] * scale
        svg.line(at, top - 4, at, top + ROW * len(rows) - 4, "refline")
    for i, row in enumerate(rows):
        at, ours = top + i * ROW, not row["name"].startswith(OTHERS)
        svg.text(left - 8, at + 11, row["name"].split(".", 1)[1] if ours else row["name"], anchor="end")
        svg.bar(left, at, max(1.5, row["rate"] * scale), BAR, "bar" if ours else "ref")
        label = figure(row["rate"])
        if reference and row is not reference:
            label += f" · {row['rate'] / reference['rate']:.2f}×"
        svg.text(left + row["rate"] * scale + 6, at + 11, label, "over")


def ladder(panels, title, subtitle):
    """panels: [{"title", "rows": [{"name", "rate", "unit", "reference"}]}], in two columns of about the same height."""
    columns = [[], []]
    for panel in panels:
        heights = [sum(map(panel_height, c)) for c in columns]
        columns[heights[1] < heights[0]].append(panel)
    height = 72 + max(sum(map(panel_height, c)) for c in columns) + 6
    svg = Svg(2 * COLUMN + 60, height, title, subtitle)
    for i, column in enumerate(columns):
        y = 68
        for panel in column:
            put_panel(svg, panel, 20 + i * (COLUMN + 20), y)
            y += panel_height(panel)
    return svg.done()


# ---- the roofline ----------------------------------------------------------------------------------------

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 960, 600, 64, 84, 40, 52
X0, X1, Y0, Y1 = 2**-3, 2**12, 0.2, 10**3.2


def at_x(intensity):
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(intensity / X0) / math.log(X1 / X0)


def at_y(tflops):
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * math.log(tflops / Y0) / math.log(Y1 / Y0)


def put_axes(svg):
    for power in range(-3, 13, 3):
        x = at_x(2.0**power)
        svg.line(x, TOP, x, HEIGHT - BOTTOM, "grid")
        svg.text(x, HEIGHT - BOTTOM + 17, f"{2**power}" if power >= 0 else f"1/{2**-power}", "quiet", "middle")
    for power in range(0, 4):
        y = at_y(10.0**power)
        svg.line(LEFT, y, WIDTH - RIGHT, y, "grid")
        svg.text(LEFT - 8, y + 4, f"{10**power:g}", "quiet", "end")
    svg.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, "operations for each byte that must move (log)", "quiet", "middle")
    svg.text(LEFT, TOP - 8, "TFLOP/s (log)", "quiet")


def put_roofs(svg, machine):
    tbs = machine["memory_gbs"] / 1000
    highest = max(roof["tflops"] for roof in machine["roofs"])
    foot, ridge = max(X0, Y0 / tbs), highest / tbs
    svg.line(at_x(foot), at_y(foot * tbs), at_x(ridge), at_y(highest), "roof")
    svg.text(at_x(1.2), at_y(1.2 * tbs) - 16, f"memory, {tbs:g} TB/s", "quiet small", "end")
    for roof in machine["roofs"]:
        svg.line(at_x(roof["tflops"] / tbs), at_y(roof["tflops"]), WIDTH - RIGHT, at_y(roof["tflops"]), "roof")
        label = f"{roof['name']}, {figure(roof['tflops'])}"
        svg.text(at_x(roof["tflops"] / tbs) + 8, at_y(roof["tflops"]) - 5, label, "quiet small over")


def spread(places, gap, lowest):
    """The places (ascending, downwards), moved apart until none is nearer than `gap` to the next."""
    out = []
    for place in places:
        out.append(max(place, out[-1] + gap) if out else place)
    over = max(0, out[-1] - lowest) if out else 0
    for i in range(len(out) - 1, -1, -1):
        out[i] = min(out[i], out[i + 1] - gap) if i + 1 < len(out) else out[i] - over
    return out


def roofline(machine, points, title, subtitle):
    """points: [{"name", "intensity", "tflops", "reference"}]; those of one intensity are labelled beside their column."""
    svg = Svg(WIDTH, HEIGHT, title, subtitle)
    put_axes(svg)
    put_roofs(svg, machine)
    for intensity in sorted({p["intensity"] for p in points}):
        column = sorted((p for p in points if p["intensity"] == intensity), key=lambda p: -p["tflops"])
        x, right = at_x(intensity), intensity < 16 or 256 < intensity < 1024  # where there is room
        places = spread([at_y(p["tflops"]) for p in column], 13, HEIGHT - BOTTOM - 6)
        for point, y in zip(column, places):
            side = 1 if right else -1
            svg.line(x + side * 5, at_y(point["tflops"]), x + side * 16, y, "lead")
            svg.text(x + side * 19, y + 4, f"{point['name'].removeprefix('gemm.')} {figure(point['tflops'])}", "small over", "start" if right else "end")
            svg.dot(x, at_y(point["tflops"]), "ref" if point.get("reference") else "bar")
    return svg.done()
