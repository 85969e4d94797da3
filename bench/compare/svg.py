"""Pictures as SVG, written by hand: readable on light and on dark pages, as they bring their own ground.

    picture = Svg(600, 300, "Time for a step")
    picture.line(0, 10, 600, 10, "grid")
    path.write_text(picture.text())
"""

import math
from html import escape

# Light, dark: told apart with the usual kinds of colour blindness, and by their marks.
COLOURS = {
    "tidepool": ("#0f766e", "#2dd4bf"),
    "torch": ("#c2410c", "#fb923c"),
    "torch-compile": ("#a16207", "#facc15"),
    "jax": ("#1d4ed8", "#60a5fa"),
    "tfjs": ("#7e22ce", "#c084fc"),
    "mlx": ("#be185d", "#f472b6"),
    "ncnn": ("#4d7c0f", "#a3e635"),
    "wgpu": ("#1d4ed8", "#60a5fa"),
    "tinygrad": ("#be185d", "#f472b6"),
}
MARKS = {"torch": "circle", "torch-compile": "ring", "jax": "square", "tfjs": "up", "mlx": "diamond", "ncnn": "down", "wgpu": "diamond", "tinygrad": "cross"}
PLAIN = {  # class: what is set, light, dark
    "ground": ("fill", "#ffffff", "#0d1117"),
    "ahead": ("fill", "#f1f5f9", "#161b22"),
    "grid": ("stroke", "#e2e8f0", "#21262d"),
    "axis": ("stroke", "#64748b", "#8b949e"),
    "strong": ("fill", "#0f172a", "#e6edf3"),
    "soft": ("fill", "#475569", "#9da7b3"),
}


class Svg:
    def __init__(self, width: float, height: float, title: str):
        self.width, self.height, self.title = width, height, title
        self.parts: list[str] = []
        self.rect(0, 0, width, height, "ground")

    def add(self, element: str) -> None:
        self.parts.append(element)

    def rect(self, x, y, width, height, kind) -> None:
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{kind}"/>')

    def line(self, x1, y1, x2, y2, kind, width=1.0, dashes="") -> None:
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}" stroke-width="{width}"{dashed}/>')

    def path(self, points, kind, width=2.0, dashes="") -> None:
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.add(f'<polyline points="{joined}" class="{kind}" fill="none" stroke-width="{width}"{dashed}/>')

    def words(self, x, y, text, kind="soft", size=12, anchor="start", bold=False) -> None:
        weight = ' font-weight="600"' if bold else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" font-size="{size}" text-anchor="{anchor}"{weight}>{escape(text)}</text>')

    def mark(self, x, y, name, shape, size=5.0) -> None:
        fill, stroke = f"fill-{name}", f"line-{name}"
        s = size
        if shape == "circle":
            self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{s}" class="{fill}"/>')
        elif shape == "ring":
            self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{s - 1}" class="{stroke}" fill="none" stroke-width="2.4"/>')
        elif shape == "square":
            self.rect(x - s + 0.5, y - s + 0.5, 2 * s - 1, 2 * s - 1, fill)
        elif shape == "cross":
            for d in (s - 0.5, -(s - 0.5)):
                self.line(x - d, y - s + 0.5, x + d, y + s - 0.5, stroke, 2.6)
        else:
            corners = {"up": ((0, -1.2), (1.1, 0.9), (-1.1, 0.9)), "down": ((0, 1.2), (1.1, -0.9), (-1.1, -0.9))}
            corners |= {"diamond": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0))}
            points = " ".join(f"{x + s * dx:.1f},{y + s * dy:.1f}" for dx, dy in corners[shape])
            self.add(f'<polygon points="{points}" class="{fill}"/>')

    def text(self) -> str:
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" width="{self.width:g}" '
                f'height="{self.height:g}" role="img" font-family="system-ui, \'DejaVu Sans\', sans-serif">',
                f"<title>{escape(self.title)}</title>",
                f"<style>{style(0)}\n@media (prefers-color-scheme: dark) {{ {style(1)} }}</style>",
                *self.parts,
                "</svg>\n",
            ]
        )


def style(dark: int) -> str:
    rules = [f".{kind} {{ {values[0]}: {values[1 + dark]} }}" for kind, values in PLAIN.items()]
    for name, colours in COLOURS.items():
        rules.append(f".fill-{name} {{ fill: {colours[dark]} }} .line-{name} {{ stroke: {colours[dark]} }}")
    return " ".join(rules)


class LogScale:
    """From values to places, a decade as long as the next."""

    def __init__(self, low, high, begin, end):
        self.low, self.high, self.begin, self.end = low, high, begin, end

    def __call__(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self, steps=(1, 2, 5)) -> list[float]:
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        every = [step * 10.0**decade for decade in decades for step in steps]
        return [tick for tick in every if self.low * 0.999 <= tick <= self.high * 1.001]
