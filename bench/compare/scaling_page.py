"""What scaling.py measured, as small pictures side by side and a few sentences."""

from figures import Figure, figure, ratios, times
from scaling import SWEEPS, Sweep, cliffs, parameters_of
from svg import LogScale, Svg

PANEL, GAP, TOP, HEIGHT = 262, 70, 50, 190
COLUMNS = 3


def draw(content: dict) -> str:
    panels = [sweep_panel("batch"), sweep_panel("cnn-batch"), sweep_panel("width"), sweep_panel("depth"), parameter_panel]
    rows = -(-len(panels) // COLUMNS)
    picture = Svg(COLUMNS * (PANEL + GAP) + 20, rows * (HEIGHT + TOP + 44), "What a training step costs as networks and batches grow")
    for i, panel in enumerate(panels):
        panel(picture, content, GAP + (i % COLUMNS) * (PANEL + GAP), TOP + (i // COLUMNS) * (HEIGHT + TOP + 44))
    left, top = GAP + (len(panels) % COLUMNS) * (PANEL + GAP), TOP + (rows - 1) * (HEIGHT + TOP + 44) + 20
    picture.path([(left, top), (left + 28, top)], "line-tidepool", 2.4)
    picture.words(left + 36, top + 4, "measured, with quartiles")
    picture.path([(left, top + 24), (left + 28, top + 24)], "axis", 1.2, "3 4")
    picture.words(left + 36, top + 28, "as if every operation cost what it")
    picture.words(left + 36, top + 44, "costs at the last point")
    return picture.text()


def by_name(name: str) -> Sweep:
    return next(sweep for sweep in SWEEPS if sweep.name == name)


def sweep_panel(name: str):
    sweep = by_name(name)

    def panel(picture: Svg, content: dict, left: float, top: float) -> None:
        measured = points_of(sweep, content)
        if measured:
            axes(picture, left, top, f"{sweep.title}", sweep.axis, [[(x, y, sweep.operations(x)) for x, y in measured]])

    return panel


def parameter_panel(picture: Svg, content: dict, left: float, top: float) -> None:
    lines = []
    for sweep in (by_name("width"), by_name("depth")):
        if measured := points_of(sweep, content):
            lines.append([(parameters_of(sweep, x), y, sweep.operations(x)) for x, y in measured])
    if lines:
        axes(picture, left, top, "by width (thick) and by depth (thin)", "parameters", lines)


def points_of(sweep: Sweep, content: dict) -> list[tuple[int, Figure]]:
    points = content.get("sweeps", {}).get(sweep.name, {})
    return [(point, figure(points[str(point)])) for point in sweep.points if str(point) in points]


def axes(picture: Svg, left: float, top: float, title: str, axis: str, lines: list) -> None:
    xs = [x for line in lines for x, _, _ in line]
    ys = [value for line in lines for _, y, _ in line for value in (y.low, y.high)]
    across = LogScale(min(xs) / 1.15, max(xs) * 1.15, left, left + PANEL)
    up = LogScale(min(ys) / 1.5, max(ys) * 1.5, top + HEIGHT, top)
    picture.words(left, top - 24, title, "strong", 12, bold=True)
    picture.words(left, top - 9, "time for a step", size=11)
    for tick in up.ticks((1,)):
        picture.line(left, up(tick), left + PANEL, up(tick), "grid")
        picture.words(left - 6, up(tick) + 4, Figure(0, tick, 0, 1).text().replace(".00", "").replace(".0 ", " "), size=11, anchor="end")
    shown = across.ticks((1,)) if max(xs) / min(xs) > 100 else [x for x in xs[::2]]
    for tick in shown:
        picture.line(across(tick), top, across(tick), top + HEIGHT, "grid")
        picture.words(across(tick), top + HEIGHT + 15, count(tick), size=11, anchor="middle")
    picture.words(left + PANEL / 2, top + HEIGHT + 31, axis, size=11, anchor="middle")
    for i, line in enumerate(lines):
        _, last, last_operations = line[-1]
        picture.path([(across(x), clip(up, last.median * operations / last_operations)) for x, _, operations in line], "axis", 1.2, "3 4")
        picture.path([(across(x), up(y.median)) for x, y, _ in line], "line-tidepool", 1.4 if i else 2.4)
        for x, y, _ in line:
            picture.line(across(x), up(y.low), across(x), up(y.high), "line-tidepool", 1.5)
            picture.mark(across(x), up(y.median), "tidepool", "circle", 2.2 if i else 3)


def clip(up: LogScale, value: float) -> float:
    return up(max(value, up.low))


def count(value: float) -> str:
    for scale, letter in ((1e6, " M"), (1e3, " k")):
        if value >= scale:
            return f"{value / scale:g}{letter}"
    return f"{value:g}"


def sentences(content: dict) -> str:
    parts = []
    if "threads" in content:
        gain = ratios(content["threads"]["one"], content["threads"]["two"])
        kept = "kept" if gain.median >= 1.6 else "**missed**"
        parts.append(f"A second thread makes the CNN's step (batch 64) {times(gain.median)} as fast ({gain.low:.2f}–{gain.high:.2f}; goal: 1.6 ×, {kept}).")
    found = []
    for sweep in SWEEPS:
        for point, rise in cliffs(sweep, content.get("sweeps", {}).get(sweep.name, {})):
            found.append(f"{sweep.title}, from the {sweep.axis} before to {point}: {times(rise)}")
    if not content.get("sweeps"):
        return " ".join(parts)
    if found:
        parts.append("Cliffs, where an operation costs more than 1.5 times what it did at the point before: " + "; ".join(found) + ".")
    else:
        parts.append("No cliff: at no point does an operation cost more than 1.5 times what it did at the point before.")
    return " ".join(parts)


def page_part(content: dict) -> str:
    when = f"Measured {content.get('date', '?')} with Tidepool at {content.get('commit', '?')}, two threads, training steps with Adam. "
    return f"{when}{sentences(content)}\n\n![What a training step costs as networks and batches grow](images/scaling.svg)"
