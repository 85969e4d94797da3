"""Tests of what needs neither peers nor a quiet machine: python3 -m unittest discover -s bench/compare"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True

import document
import figures
import picture
import scaling
import scaling_page
from bystanders import Bystanders
from measuring import Effort, Outcome, Round, Rounds, Turn, in_turn, measure_processes, measure_steps, rounds_for
from results import Results
from svg import LogScale, Svg
from timing_lock import TimingLock
from worker_process import WorkerFailed, WorkerProcess
from works import WORKS, Work

STAND_IN = """
import json, os, sys, time
kind = sys.argv[1]
for line in sys.stdin:
    command, *rest = line.split()
    if command == "prepare" and kind == "refuses": answer = {"failed": "no kernel"}
    elif command == "run" and kind == "dies": os.abort()
    else:
        count = int(rest[0]) if command == "run" else 1
        if kind == "hangs": time.sleep(100)
        answer = {"seconds": count * {"slow": 0.004}.get(kind, 0.002)}
    print(json.dumps(answer), flush=True)
"""


def stand_in(kind: str) -> WorkerProcess:
    return WorkerProcess([sys.executable, "-c", STAND_IN, kind], None, {min(os.sched_getaffinity(0))}, None)


class Figures(unittest.TestCase):
    def test_a_median_comes_with_quartiles(self):
        self.assertEqual(figures.figure([5, 1, 4, 2, 3]), figures.Figure(2, 3, 4, 5))

    def test_of_fewer_than_four_the_extremes_are_shown(self):
        self.assertEqual(figures.figure([3, 1, 2]), figures.Figure(1, 2, 3, 3))

    def test_ratios_are_taken_pair_by_pair(self):
        # The machine was slow in the third pair, for both: the ratio does not see it.
        self.assertEqual(figures.ratios([2, 2, 20, 2, 2], [1, 1, 10, 1, 1]), figures.Figure(2, 2, 2, 5))

    def test_times_are_written_in_the_unit_that_suits_the_median(self):
        self.assertEqual(figures.figure([0.0012, 0.0011, 0.0014]).text(), "1.20 ms (1.10–1.40)")
        self.assertEqual(figures.figure([0.9996e-3]).text(), "1.00 ms")
        self.assertEqual(figures.figure([543e-9]).text(), "543 ns")

    def test_three_digits_count(self):
        self.assertEqual([figures.digits(v) for v in (12345, 99.96, 12.34, 1.0, 0.9996, 0.12345)], ["12,345", "100", "12.3", "1.00", "1.00", "0.123"])


class Turns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.effort = Effort(pairs=4, turn=0.008, patience=10, prepare_limit=20, lock=f"{folder.name}/lock")

    def test_another_one_begins_each_time(self):
        self.assertEqual([in_turn(["a", "b", "c"], i) for i in (0, 1, 5)], [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])

    def test_a_slow_one_takes_part_in_fewer_rounds_but_in_some(self):
        self.assertEqual([rounds_for(s, Effort(pairs=30, patience=60, least=3)) for s in (0.1, 4, 100)], [30, 15, 3])

    def test_all_are_run_in_pairs_with_tidepool(self):
        outcome = measure_steps(["tidepool", "slow"], stand_in, "mlp", self.effort)
        self.assertEqual(outcome.failed, {})
        self.assertEqual(outcome.repetitions, {"tidepool": 4, "slow": 2})
        self.assertEqual(outcome.pairs("slow"), ([0.004] * 4, [0.002] * 4))

    def test_one_that_fails_says_why_and_the_others_go_on(self):
        outcome = measure_steps(["tidepool", "refuses", "dies", "slow"], stand_in, "mlp", self.effort)
        self.assertEqual(outcome.failed, {"refuses": "no kernel", "dies": "crashed (SIGABRT)"})
        self.assertEqual(outcome.names(), ["tidepool", "slow"])
        self.assertEqual(outcome.pairs("slow"), ([0.004] * 4, [0.002] * 4))

    def test_one_that_does_not_answer_is_ended(self):
        with stand_in("hangs") as worker, self.assertRaisesRegex(WorkerFailed, "no answer in 0 s"):
            worker.ask("prepare mlp", 0.2)
        self.assertIsNotNone(worker.process.returncode)

    def test_the_next_turn_begins_when_the_last_one_sleeps(self):
        busy = "import sys, time\nend = time.time() + 0.4\nprint('{}', flush=True)\nwhile time.time() < end: pass\nsys.stdin.read()"
        with WorkerProcess([sys.executable, "-c", busy], None, os.sched_getaffinity(0), None) as worker:
            worker.line(20)
            self.assertTrue(worker.awake())
            since = time.perf_counter()
            worker.wait_until_asleep()
            self.assertFalse(worker.awake())
            self.assertGreater(time.perf_counter() - since, 0.2)

    def test_processes_are_started_in_turn_and_failures_kept(self):
        order = []

        def once(name, turn):
            order.append(name)
            if name == "bad":
                raise WorkerFailed("cannot start")
            turn.seconds, turn.more["peak_bytes"] = 0.5, 5.0

        outcome = measure_processes(["tidepool", "bad", "good"], once, self.effort, warm=False)
        self.assertEqual(order[:7], ["tidepool", "bad", "good", "good", "tidepool", "tidepool", "good"])
        self.assertEqual(outcome.failed, {"bad": "cannot start"})
        self.assertEqual([turn.more["peak_bytes"] for turn in outcome.turns("good")], [5.0] * 4)

    def rounds(self, wanted, bystanders):
        """Rounds as they come when others take so much of the machine in each."""
        rounds = Rounds(["tidepool", "a", "slow"], self.effort, wanted)
        for i, share in enumerate(bystanders):
            rounds.all.append(Round({name: Turn(float(i)) for name in rounds.next({})}, share))
        self.assertEqual(rounds.next({}), [])
        return Outcome(rounds.counting())

    def test_rounds_in_which_others_took_the_machine_are_made_up_for(self):
        outcome = self.rounds({"a": 4, "slow": 1}, [0.9, 0.0, 0.0, 0.5, 0.0, 0.05])
        self.assertEqual(outcome.pairs("a"), ([1, 2, 4, 5], [1, 2, 4, 5]))
        self.assertEqual(outcome.pairs("slow"), ([1], [1]))

    def test_on_a_machine_that_never_is_quiet_the_quietest_rounds_count(self):
        outcome = self.rounds({"a": 4, "slow": 1}, [0.9, 0.8, 0.2, 0.3, 0.9, 0.5, 0.9, 0.4])
        self.assertEqual(outcome.pairs("a")[0], [2, 3, 5, 7])
        self.assertEqual(outcome.pairs("slow")[0], [1])

    def test_what_others_take_of_the_machine_is_seen(self):
        bystanders = Bystanders()
        child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        time.sleep(0.5)
        self.assertGreater(bystanders.share(), 0.2 / os.cpu_count())  # not waited for, so it counts as somebody else's

    def test_a_lock_held_for_long_is_let_go_for_a_moment(self):
        with TimingLock(self.effort.lock, alone=True) as lock:
            since = lock.since
            lock.let_others()
            self.assertEqual(lock.since, since)
            lock.let_others(soon=lock.longest + 1)
            self.assertGreater(lock.since, since)


WORK = Work("mlp", "MLP step", "cpu", ("torch", "jax"), goal=("jax", 1.25))


def outcome_of(**seconds) -> Outcome:
    count = max(map(len, seconds.values()))
    return Outcome([Round({name: Turn(values[i]) for name, values in seconds.items()}) for i in range(count)])


class Keeping(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "results.json"

    def test_a_peer_that_did_not_take_part_keeps_its_pairs(self):
        results = Results(self.path)
        results.put(WORK, 2, outcome_of(tidepool=[1.0, 1.0], torch=[2.0, 2.0], jax=[3.0, 3.0]), "a", 1)
        results.put(WORK, 2, outcome_of(tidepool=[0.5, 0.5], jax=[2.5, 2.5]), "b", 1)
        results.save()
        entry = Results(self.path).entry(WORK, 2)
        self.assertEqual(entry["tidepool"]["seconds"], [0.5, 0.5])
        self.assertEqual((entry["peers"]["torch"]["seconds"], entry["peers"]["torch"]["tidepool"]), ([2.0, 2.0], [1.0, 1.0]))
        self.assertEqual((entry["peers"]["jax"]["seconds"], entry["peers"]["jax"]["tidepool"]), ([2.5, 2.5], [0.5, 0.5]))

    def test_done_is_what_all_asked_for_have_with_this_commit(self):
        results = Results(self.path)
        results.put(WORK, 2, outcome_of(tidepool=[1.0], jax=[3.0]), "a", 1)
        self.assertTrue(results.done(WORK, 2, ["jax"], "a"))
        self.assertFalse(results.done(WORK, 2, ["jax"], "b"))
        self.assertFalse(results.done(WORK, 2, ["torch", "jax"], "a"))
        self.assertFalse(results.done(WORK, 1, ["jax"], "a"))

    def test_a_list_is_one_line_of_the_file(self):
        results = Results(self.path)
        results.put(WORK, 2, outcome_of(tidepool=[1.0, 2.0], jax=[3.0, 4.0]), "a", 1)
        results.save()
        self.assertIn("[ 3.0, 4.0 ]", self.path.read_text())
        self.assertEqual(json.loads(self.path.read_text()), results.content)


def entry_of(**peers) -> dict:
    pairs = {name: peer if isinstance(peer, dict) else {"seconds": peer, "tidepool": [1e-3] * len(peer)} for name, peer in peers.items()}
    return {"tidepool": {"seconds": [1e-3] * 5}, "peers": pairs, "date": "2026-01-01", "commit": "abc"}


class Page(unittest.TestCase):
    def test_only_what_is_between_the_markers_changes(self):
        page = "before\n<!-- x: begin -->\nold\n<!-- x: end -->\nafter\n"
        new = document.replace_between(page, "x", "new\n")
        self.assertEqual(new, "before\n<!-- x: begin -->\nnew\n<!-- x: end -->\nafter\n")
        self.assertEqual(document.replace_between(new, "x", "new"), new)

    def test_a_page_without_markers_is_left_alone(self):
        with self.assertRaises(document.MarkersMissing):
            document.replace_between("<!-- x: end --><!-- x: begin -->", "x", "new")

    def test_a_peer_that_is_ahead_is_shown_ahead(self):
        row = document.work_row(WORK, entry_of(torch=[2e-3] * 5, jax=[0.5e-3] * 5), ["torch", "jax"], document.Notes())
        self.assertEqual(row[1:4], ["1.00 ms (1.00–1.00)", "2.00 ms (2.00–2.00): 2.00 ×", "**500 µs (500–500)**: 0.5 ×"])
        self.assertEqual(row[4], "1.25 × JAX jit: **missed**")

    def test_a_goal_that_is_reached_is_kept(self):
        row = document.work_row(WORK, entry_of(jax=[1.25e-3] * 5), ["torch", "jax"], document.Notes())
        self.assertEqual((row[1], row[2], row[4]), ("**1.00 ms (1.00–1.00)**", "", "1.25 × JAX jit: kept"))

    def test_a_peer_that_fails_says_why_once(self):
        notes = document.Notes()
        row = document.work_row(WORK, entry_of(torch={"failed": "no\nkernel"}, jax={"failed": "no kernel"}), ["torch", "jax"], notes)
        self.assertEqual(row[2:4], ["fails [1]", "fails [1]"])
        self.assertEqual(notes.text(), "[1] `no kernel`  ")

    def test_our_own_failure_is_shown_too(self):
        row = document.work_row(WORK, entry_of(jax=[1e-3] * 5) | {"failed": "lost"}, ["jax"], document.Notes())
        self.assertEqual(row[1], "fails [1]")

    def test_a_bar_in_a_cell_does_not_end_it(self):
        self.assertEqual(document.table(["a", "b"], [["x|y", ""]]), "| a | b |\n| --- | --- |\n| x\\|y |   |")

    def test_every_known_work_finds_its_place(self):
        results = SimpleNamespace(content={"works": {f"{work.key}/2": 0 for work in WORKS}, "participants": {}})
        results.entry = lambda work, threads: entry_of(**{name: [2e-3] * 5 for name in work.peers}) if threads == 2 else None
        results.content["works"] = {f"{work.key}/2": results.entry(work, 2) for work in WORKS}
        text = document.page_part(results)
        for work in WORKS:
            self.assertIn(work.title, text)
        xml.etree.ElementTree.fromstring(picture.draw(results))


class Scaling(unittest.TestCase):
    sweep = scaling.Sweep("s", "S", "batch", (1, 2, 4, 8), str, lambda n: 100.0 * n)

    def test_a_cliff_is_where_a_unit_of_work_costs_much_more_than_before(self):
        points = {"1": [1.0], "2": [2.0], "4": [6.4], "8": [12.8]}
        self.assertEqual([point for point, _ in scaling.cliffs(self.sweep, points)], [4])

    def test_overhead_that_fades_is_no_cliff(self):
        self.assertEqual(scaling.cliffs(self.sweep, {"1": [1.0], "2": [1.1], "4": [1.3], "8": [2.6]}), [])

    def test_operations_of_a_network_are_those_of_its_products_and_its_update(self):
        # Two inputs, one hidden layer of three: forward and weights for the first, all three products for the last.
        self.assertEqual(scaling.dense_parameters(2, 3, 1), 2 * 3 + 3 + 3 * 10 + 10)
        self.assertEqual(scaling.dense_operations(2, 3, 1, 5), 2 * 5 * (2 * 3 * 2 + 3 * 10 * 3) + 10 * 49)

    def test_the_pictures_and_sentences_say_what_was_measured(self):
        sweeps = {sweep.name: {str(p): [1e-9 * sweep.operations(p)] * 4 for p in sweep.points} for sweep in scaling.SWEEPS}
        content = {"sweeps": sweeps, "threads": {"one": [3.4] * 5, "two": [2.0] * 5}}
        self.assertIn("1.70 × as fast (1.70–1.70; goal: 1.6 ×, kept). No cliff", scaling_page.sentences(content))
        xml.etree.ElementTree.fromstring(scaling_page.draw(content))
        sweeps["depth"]["64"] = [100.0]
        self.assertIn("Cliffs", scaling_page.sentences(content))


class Pictures(unittest.TestCase):
    def test_decades_are_equally_long(self):
        scale = LogScale(0.1, 1000, 0, 400)
        self.assertEqual([round(scale(v)) for v in (0.1, 1, 10, 1000)], [0, 100, 200, 400])
        self.assertEqual(scale.ticks((1,)), [0.1, 1, 10, 100, 1000])

    def test_what_is_written_is_well_formed(self):
        svg = Svg(10, 10, "a < b")
        svg.words(1, 1, "x & y")
        root = xml.etree.ElementTree.fromstring(svg.text())
        self.assertEqual(root[0].text, "a < b")


if __name__ == "__main__":
    unittest.main()
