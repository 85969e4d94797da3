"""The part of docs/benchmarks.md that is made from results.json: between two markers, everything else stays as it is."""

from figures import Figure, digits, figure, megabytes, ratios, times
from participants import PARTICIPANTS
from results import OWN, Results
from works import WORKS, Work

LONGEST_REASON = 140


class MarkersMissing(Exception):
    pass


def replace_between(text: str, name: str, inside: str) -> str:
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found_begin, rest = text.partition(begin)
    _, found_end, after = rest.partition(end)
    if not found_begin or not found_end:
        raise MarkersMissing(f"the page has no '{begin}' with '{end}' after it")
    return f"{before}{begin}\n{inside.strip()}\n{end}{after}"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") or " " for cell in line) + " |" for line in lines)


class Notes:
    """Reasons, numbered in the order in which they come up; the same one has one number."""

    def __init__(self):
        self.reasons: list[str] = []

    def number(self, reason: str) -> str:
        reason = " ".join(reason.split())
        reason = reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"
        if reason not in self.reasons:
            self.reasons.append(reason)
        return f"[{self.reasons.index(reason) + 1}]"

    def text(self) -> str:
        return "\n".join(f"[{i}] `{reason.replace('`', '')}`  " for i, reason in enumerate(self.reasons, 1))


def comparison(results: Results, device: str, threads: int) -> str:
    """A table of one device's works: a row a work, a column a participant."""
    rows = [(work, entry) for work in WORKS if work.device == device and (entry := results.entry(work, threads))]
    if not rows:
        return ""
    names = list(dict.fromkeys(name for work, _ in rows for name in work.peers))
    notes = Notes()
    lines = [work_row(work, entry, names, notes) for work, entry in rows]
    text = table(["work", "Tidepool", *(PARTICIPANTS[name].title for name in names), "goal"], lines)
    return text + ("\n\n" + notes.text() if notes.reasons else "")


def work_row(work: Work, entry: dict, names: list[str], notes: Notes) -> list[str]:
    medians = {name: figure(peer["seconds"]).median for name, peer in entry["peers"].items() if "seconds" in peer}
    if OWN in entry and "failed" not in entry:
        medians[OWN] = figure(entry[OWN]["seconds"]).median
    fastest = min(medians, key=medians.get) if medians else ""
    cells = [work.title]
    for name in (OWN, *names):
        facts = entry.get(OWN, {}) if name == OWN else entry["peers"].get(name)
        if name == OWN and "failed" in entry:
            facts = {"failed": entry["failed"]}
        cells.append("" if facts is None else cell(work, name, facts, name == fastest, notes))
    return [*cells, goal(work, entry)]


def cell(work: Work, name: str, facts: dict, fastest: bool, notes: Notes) -> str:
    if "seconds" not in facts:
        return f"fails {notes.number(facts.get('failed', 'not measured'))}"
    spread = figure(facts["seconds"])
    text = f"**{spread.text()}**" if fastest else spread.text()
    if work.rows:
        text += f", {digits(work.rows / spread.median)}/s"
    if "accuracy" in facts:
        text += f", accuracy {figure(facts['accuracy']).median:.3f}"
    if name != OWN:
        text += f": {times(ratios(facts['seconds'], facts[OWN]).median)}"
    return text


def goal(work: Work, entry: dict) -> str:
    if work.goal:
        name, wanted = work.goal
        title = PARTICIPANTS[name].title
        peer = entry["peers"].get(name, {})
        if "seconds" not in peer:
            return f"{wanted:g} × {title}"
        reached = ratios(peer["seconds"], peer[OWN]).median
        return f"{wanted:g} × {title}: {'kept' if reached >= wanted else '**missed**'}"
    if work.goal_seconds:
        wanted = Figure(0, work.goal_seconds, 0, 1).text()
        kept = OWN in entry and figure(entry[OWN]["seconds"]).median <= work.goal_seconds
        return f"{wanted}: {'kept' if kept else '**missed**'}"
    return ""


def footprints(results: Results, threads: int) -> str:
    """What each takes on disk, in time before its first result, and in memory."""
    by_key = {f"{work.device}/{work.kind}/{work.name}": results.entry(work, threads) for work in WORKS}
    start, product, epoch = by_key["cpu/start/start"], by_key["vulkan/first step/matmul"], by_key["cpu/epoch/epoch"]
    lines = []
    known = results.content.get("participants", {})
    for name in (name for name in PARTICIPANTS if name in known):
        facts = known[name]
        at_start = facts_of(start, name)
        began = at_start or facts_of(product, name)
        where = "" if at_start or not began else " (Vulkan)"
        trained = facts_of(epoch, name)
        lines.append(
            [
                f"{PARTICIPANTS[name].title} {facts['version']}",
                megabytes(facts["installed_bytes"]) + (f" and {facts['beside']}" if "beside" in facts else ""),
                figure(began["seconds"]).text() + where if began else "",
                megabytes(max(began["peak_bytes"])) if began else "",
                megabytes(max(trained["peak_bytes"])) if trained else "",
            ]
        )
    head = ["", "installed", "process start to first result", "memory by then", "memory at most in the Fashion-MNIST epoch"]
    return table(head, lines) if lines else ""


def facts_of(entry: dict | None, name: str) -> dict | None:
    facts = (entry or {}).get(OWN) if name == OWN else (entry or {"peers": {}})["peers"].get(name)
    return facts if facts and "seconds" in facts else None


def introduction(results: Results) -> str:
    machine = results.content.get("machine", {})
    entries = results.content["works"].values()
    dates = sorted({entry["date"] for entry in entries if "date" in entry})
    commits = sorted({entry["commit"] for entry in entries if "commit" in entry})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else "never"
    return (
        f"Measured {when} with Tidepool at {', '.join(commits) or 'no commit'} on {machine.get('processor', '?')} with {machine.get('instructions', '?')}, "
        f"{machine.get('cores', '?')} cores, {machine.get('system', '?')}. All take turns in one go, each in a process of its own while the others sleep. "
        "A time is the median, with quartiles (with fewer than four, the extremes) in parentheses; n × after a peer's says how many times as long as Tidepool it took, as the median over the pairs: "
        "below 1 × the peer is ahead. The fastest is bold."
    )


def page_part(results: Results) -> str:
    threads = sorted({int(key.rpartition("/")[2]) for key in results.content["works"]}, reverse=True) or [2]
    parts = [introduction(results), "![How many times as long each peer took as Tidepool](images/compare.svg)"]
    for count in threads:
        many = "two threads" if count == 2 else "one thread" if count == 1 else f"{count} threads"
        for device, title in (("cpu", f"On the CPU, {many}"), ("vulkan", f"On Vulkan: lavapipe of Mesa 25.0, {many}")):
            if text := comparison(results, device, count):
                parts += [f"### {title}", text]
    if text := footprints(results, threads[0]):
        parts += ["### What they take", text]
    return "\n\n".join(parts)
