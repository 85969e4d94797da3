"""The picture of the comparison: for every work, how many times as long each peer took as Tidepool."""

from figures import ratios, times
from participants import PARTICIPANTS
from results import OWN, Results
from svg import MARKS, LogScale, Svg
from works import WORKS

LABELS, RIGHT, ROW, HEAD = 350, 34, 26, 84
WIDTH = 900


def draw(results: Results, threads: int = 2) -> str:
    rows = [(work, found) for work in WORKS if (found := spreads(results, work, threads))]
    every = [figure for _, found in rows for figure in found.values()]
    low = min([0.5, *(figure.low / 1.2 for figure in every)])
    high = max([10.0, *(figure.high * 1.2 for figure in every)])
    groups = list(dict.fromkeys(work.device for work, _ in rows))
    height = HEAD + ROW * (len(rows) + len(groups)) + 46
    picture = Svg(WIDTH, height, "How many times as long each peer took as Tidepool")
    scale = LogScale(low, high, LABELS, WIDTH - RIGHT)
    bottom = height - 40
    frame(picture, scale, bottom)
    legend(picture, [name for name in PARTICIPANTS if any(name in found for _, found in rows)])
    y = HEAD
    for group in groups:
        y += ROW
        title = {"cpu": f"CPU, {threads} threads", "vulkan": "Vulkan on lavapipe"}[group]
        picture.words(12, y - 6, title, "strong", 13, bold=True)
        for work, found in rows:
            if work.device == group:
                y += ROW
                row(picture, scale, y - ROW / 2, work, found)
    return picture.text()


def spreads(results: Results, work, threads: int) -> dict:
    entry = results.entry(work, threads) or {"peers": {}}
    return {name: ratios(peer["seconds"], peer[OWN]) for name, peer in entry["peers"].items() if "seconds" in peer}


def frame(picture: Svg, scale: LogScale, bottom: float) -> None:
    one = scale(1)
    picture.rect(scale.begin, HEAD, one - scale.begin, bottom - HEAD, "ahead")
    crowded = scale.high / scale.low > 300
    for tick in scale.ticks((1,) if crowded else (1, 2, 5)):
        picture.line(scale(tick), HEAD, scale(tick), bottom, "grid")
        picture.words(scale(tick), bottom + 16, f"{tick:g} ×", anchor="middle")
    picture.line(one, HEAD - 4, one, bottom, "line-tidepool", 2)
    picture.words(one + 5, HEAD - 8, "slower than Tidepool →", size=11)
    picture.words(one - 5, HEAD - 8, "← faster", size=11, anchor="end")
    picture.words((scale.begin + scale.end) / 2, bottom + 33, "times as long as Tidepool; a bar is from the first to the third quartile", size=11, anchor="middle")


def legend(picture: Svg, names) -> None:
    x, y = 14.0, 22.0
    for name in ("tidepool", *names):
        title = PARTICIPANTS[name].title
        needed = 22 + 7.0 * len(title) + 14
        if x + needed > WIDTH:
            x, y = 14.0, y + 22
        if name == "tidepool":
            picture.line(x + 5, y - 11, x + 5, y + 3, "line-tidepool", 2)
        else:
            picture.mark(x + 5, y - 4, name, MARKS[name])
        picture.words(x + 17, y, title, "strong")
        x += needed


def row(picture: Svg, scale: LogScale, y: float, work, found: dict) -> None:
    picture.words(24, y + 4, short(work))
    picture.line(scale.begin, y, scale.end, y, "grid")
    for name, figure in found.items():
        picture.line(scale(figure.low), y, scale(figure.high), y, f"line-{name}", 3)
    for name, figure in found.items():
        picture.mark(scale(figure.median), y, name, MARKS[name])
        picture.add(f"<!-- {work.key} {name} {times(figure.median)} -->")


def short(work) -> str:
    return work.title.partition(":")[0].replace("`", "").replace(", as above", "").replace(", from and to the host", "")
