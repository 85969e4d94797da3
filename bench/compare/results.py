"""results.json: what was measured, raw, with the machine, the versions and the date.

    results = Results(HERE / "results.json")
    results.put(work, threads=2, outcome=outcome)
    results.save()
"""

import datetime
import json
import os
import platform
import re
from pathlib import Path

from measuring import OWN, Outcome


def machine() -> dict:
    """What makes figures comparable; nothing that names a particular machine."""
    processor, flags, system = "", [], platform.system()
    with open("/proc/cpuinfo") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                processor = value.strip()
            if name.strip() == "flags":
                flags = value.split()
                break
    with open("/proc/meminfo") as file:
        memory = int(next(line for line in file if line.startswith("MemTotal")).split()[1]) * 1024
    for line in open("/etc/os-release") if os.path.exists("/etc/os-release") else []:
        if line.startswith("PRETTY_NAME="):
            system = line.partition("=")[2].strip().strip('"')
    widest = next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags), platform.machine())
    return {
        "processor": processor or platform.processor(),
        "cores": len(os.sched_getaffinity(0)),
        "instructions": widest,
        "memory_gib": round(memory / 2**30),
        "system": system,
        "python": platform.python_version(),
    }


def today() -> str:
    return datetime.date.today().isoformat()


class Results:
    def __init__(self, path: Path):
        self.path = path
        self.content = json.loads(path.read_text()) if path.exists() else {}
        self.content.setdefault("works", {})

    def belong_to(self, here: dict) -> bool:
        """Figures of another machine are not to be mixed with new ones."""
        return self.content.get("machine", here) == here

    def start_anew(self, here: dict) -> None:
        self.content = {"machine": here, "works": {}}

    def entry(self, work, threads: int) -> dict | None:
        return self.content["works"].get(f"{work.key}/{threads}")

    def done(self, work, threads: int, peers: list[str], commit: str) -> bool:
        """Whether all that was asked for has been measured with this state of Tidepool."""
        entry = self.entry(work, threads)
        return entry is not None and all(entry["peers"].get(peer, {}).get("commit") == commit for peer in peers)

    def put(self, work, threads: int, outcome: Outcome, commit: str, took: float) -> None:
        """Peers that did not take part this time keep what they had, with the figures of Tidepool that they were paired with."""
        entry = self.content["works"].setdefault(f"{work.key}/{threads}", {"peers": {}})
        common = {"date": today(), "commit": commit}
        entry.pop("failed", None)
        if OWN in outcome.failed:
            entry["failed"] = outcome.failed[OWN]
        elif outcome.turns(OWN):
            quiet = {"bystanders": [round_.bystanders for round_ in outcome.rounds], "disturbance": outcome.disturbance}
            entry |= common | quiet | {"took_seconds": round(took), OWN: facts(OWN, outcome)}
        for name in outcome.names():
            if name != OWN and outcome.turns(OWN):
                theirs, ours = outcome.pairs(name)
                entry["peers"][name] = common | facts(name, outcome) | {"seconds": theirs, OWN: ours}
        for name, reason in outcome.failed.items():
            if name != OWN:
                entry["peers"][name] = common | {"failed": reason}

    def save(self) -> None:
        """Beside and renamed, so that there is always a whole one."""
        beside = self.path.with_suffix(".new")
        text = json.dumps(self.content, indent=1, ensure_ascii=False, sort_keys=True)
        beside.write_text(re.sub(r"\[[^][{}]*\]", lambda found: " ".join(found[0].split()), text) + "\n")  # a list is a line
        os.replace(beside, self.path)


def facts(name: str, outcome: Outcome) -> dict:
    turns = outcome.turns(name)
    result: dict = {"seconds": [turn.seconds for turn in turns]}
    if name in outcome.repetitions:
        result |= {"repetitions": outcome.repetitions[name], "prepare_seconds": outcome.prepare_seconds[name]}
    for what in turns[0].more if turns else ():
        result[what] = [turn.more[what] for turn in turns]
    return result
