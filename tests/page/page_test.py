#!/usr/bin/python3
"""Tests of the monitor's live page in a real Chromium, while a real run trains.

    tests/page/page_test.py build/release/tidepool                        all of it; screenshots go to build/release/page
    tests/page/page_test.py build/release/tidepool --screenshots DIR      and where they are kept
    tests/page/page_test.py --url http://127.0.0.1:8080/                  a page that is being served already; what needs a run
                                                                          of its own is left out

Needs chromium, chromium-driver and python3-selenium. Ends with a line "N passed, N failed".
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest
import urllib.request

try:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    from browser import Browser, Run, colours_of_canvas, low_contrast
except ImportError as missing:
    sys.exit(f"{missing}; on Debian: apt install chromium chromium-driver python3-selenium, and /usr/bin/python3")

arguments = None
browser = None
chart_ids = ["loss-chart", "accuracy-chart", "step-chart", "memory-chart"]  # utilisation is not known on every device


def shot(name, whole=False):
    browser.screenshot(str(arguments.screenshots / f"{name}.png"), whole)


def points(chart):
    return browser.value(f"Chart.getChart('{chart}').data.datasets[0].data.length")


def last_time(chart):
    return browser.value(f"Chart.getChart('{chart}').data.datasets[0].data.at(-1)?.x ?? 0")


def column(table, number):
    return browser.value(f"[...document.querySelectorAll('#{table} tbody tr')].map((row) => row.cells[{number}].textContent)")


def tiles():
    shown = "[...document.querySelectorAll('.tile:not([hidden])')].map((tile) => [0, 1].map((i) => tile.children[i].textContent))"
    return dict(browser.value(shown))


def numbers(texts):
    return [float(re.sub(r"[^0-9.e+-]", "", text.replace("–", "0"))) for text in texts]


def open_live(url):
    browser.open(url)
    browser.wait_for("['running', 'finished'].includes(document.querySelector('#state')?.dataset.state)", what="a first message")


class Page(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(browser.errors(), [], "the console was told of errors")


class LivePage(Page):
    run_ = None

    @classmethod
    def setUpClass(cls):
        cls.run_ = None if arguments.url else Run(arguments.tool, "--epochs", "1000")
        cls.url = arguments.url or cls.run_.url
        open_live(cls.url)

    @classmethod
    def tearDownClass(cls):
        if cls.run_:
            cls.run_.stop()

    def setUp(self):
        browser.size(1440, 1000)
        browser.prefer("light")

    def test_charts_move_while_a_run_trains(self):
        browser.wait_for("Chart.getChart('loss-chart')?.data.datasets[0].data.length > 5", 15)
        before = {chart: (points(chart), last_time(chart)) for chart in chart_ids}
        browser.wait_for(f"Chart.getChart('loss-chart').data.datasets[0].data.at(-1).x > {before['loss-chart'][1] + 1}", 10)
        for chart in chart_ids:
            self.assertGreater(points(chart), before[chart][0], f"{chart} has no more points than before")
            self.assertGreater(last_time(chart), before[chart][1])
            self.assertGreater(browser.js(colours_of_canvas, chart), 10, f"{chart} is blank")
            self.assertRegex(browser.value(f"document.getElementById('{chart}').getAttribute('aria-label')"), r"\d")

    def test_the_head_tells_what_runs_and_how_far_it_is(self):
        self.assertEqual(browser.text("task"), "fashion-mnist")
        self.assertEqual(browser.text("state"), "Running")
        self.assertRegex(browser.text("progress-text"), r"^Epoch \d+ of [\d,]+ · step [\d,]+ of [\d,]+$")
        step = browser.value("view.run.training.step")
        browser.wait_for(f"view.run.training.step > {step}")
        for name in ("Loss", "Accuracy", "Step", "Samples a second", "Memory in use", "Cost of watching"):
            self.assertRegex(tiles().get(name, ""), r"\d", f"no figure for {name}")

    def test_the_table_sorts_by_click_and_by_key(self):
        browser.wait_for("document.querySelectorAll('#kernels tbody tr').length > 3", what="kernels")
        heading = lambda title: browser.driver.find_element(By.XPATH, f"//*[@id='kernels']//th[button='{title}']")
        self.assertEqual(heading("Total ms").get_attribute("aria-sort"), "descending")
        heading("Launches").find_element(By.TAG_NAME, "button").click()
        self.assertEqual(heading("Launches").get_attribute("aria-sort"), "descending")
        self.assertEqual(heading("Total ms").get_attribute("aria-sort"), "none")
        launches = numbers(column("kernels", 2))
        self.assertEqual(launches, sorted(launches, reverse=True))
        self.assertGreater(len(set(launches)), 1)
        name = heading("Name").find_element(By.TAG_NAME, "button")
        browser.js("arguments[0].focus()", name)
        for key, direction in ((Keys.ENTER, "ascending"), (Keys.SPACE, "descending")):
            name.send_keys(key)
            self.assertEqual(heading("Name").get_attribute("aria-sort"), direction)
            names = column("kernels", 0)
            self.assertEqual(names, browser.js("return [...arguments[0]].sort((a, b) => (arguments[1] === 'ascending' ? 1 : -1) * a.localeCompare(b))",
                                               names, direction))
        self.assertTrue(browser.js("return document.activeElement === arguments[0]", name), "sorting takes the focus away")

    def test_rows_stay_the_same_nodes_from_update_to_update(self):
        browser.js("window.first_row = document.querySelector('#kernels tbody tr'); first_row.marked = view.run.time;")
        browser.wait_for("view.run.time > first_row.marked + 0.6")
        self.assertTrue(browser.value("first_row.isConnected"))

    def test_the_pool_tells_who_holds_what(self):
        browser.wait_for("view.run.pool !== null && !document.getElementById('pool').hidden", what="the pool's map")
        self.assertGreater(browser.js(colours_of_canvas, "pool-canvas"), 3)
        self.assertGreater(browser.value("document.querySelectorAll('#holders tbody tr').length"), 1)
        pool = browser.driver.find_element(By.ID, "pool-view")
        pool.send_keys(Keys.ARROW_RIGHT)
        self.assertRegex(browser.text("pool-block"), r"^\S+ (B|[KMG]iB), .*region 1$")
        first = browser.value("pool_view.chosen.offset + ' of ' + pool_view.chosen.region")
        self.assertEqual(first, "0 of 0")
        pool.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(browser.value("pool_view.blocks.indexOf(pool_view.chosen)"), 1)
        pool.send_keys(Keys.ESCAPE)
        self.assertEqual(browser.text("pool-block"), "")
        ActionChains(browser.driver).move_to_element(browser.driver.find_element(By.ID, "pool-canvas")).perform()
        self.assertIn("region", browser.text("pool-block"))

    def test_reload_continues(self):
        before = browser.value("({first: view.run.samples[0].time, last: view.run.samples.at(-1).time, count: view.run.samples.length})")
        open_live(self.url)
        after = browser.value("({first: view.run.samples[0].time, last: view.run.samples.at(-1).time, count: view.run.samples.length})")
        self.assertGreaterEqual(after["last"], before["last"])
        self.assertGreaterEqual(after["count"], min(before["count"], 900))
        if after["count"] < 1000:
            self.assertEqual(after["first"], before["first"])
        browser.wait_for(f"view.run.samples.at(-1).time > {after['last']}")

    def test_a_hidden_page_keeps_data_and_draws_nothing(self):
        browser.js("Object.defineProperty(document, 'hidden', {value: true, configurable: true});")
        time.sleep(0.3)
        drawn, known = last_time("memory-chart"), browser.value("view.run.samples.at(-1).time")
        browser.wait_for(f"view.run.samples.at(-1).time > {known + 0.5}")
        self.assertEqual(last_time("memory-chart"), drawn)
        browser.js("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'));")
        browser.wait_for(f"Chart.getChart('memory-chart').data.datasets[0].data.at(-1).x > {known + 0.4}")

    def test_an_update_of_a_thousand_samples_is_cheap(self):
        times = browser.js("""
            const run = view.run, samples = [];
            for (let i = 0; i < 1000; ++i) samples.push({...run.samples[i % run.samples.length], time: i / 10});
            const times = [];
            for (let i = 0; i < 30; ++i) {
              view.run = {...run, samples: samples.map((s) => ({...s, time: s.time + i / 4})), pool: run.pool && {...run.pool}};
              draw_all();
              times.push(performance.getEntriesByName("update").at(-1).duration);
            }
            view.run = run;
            return times.sort((a, b) => a - b);""")
        print(f"\nan update of 1,000 samples takes {times[0]:.1f} ms at best, {times[len(times) // 2]:.1f} ms at the median")
        self.assertLess(times[0], 30)  # the best, for others work on the machine as well

    def test_a_phone_has_no_horizontal_overflow(self):
        browser.size(375, 812)
        browser.wait_for("innerWidth === 375")
        time.sleep(0.5)
        self.assertLessEqual(browser.value("document.documentElement.scrollWidth"), 375)
        wide = browser.value("[...document.querySelectorAll('main *')].filter((n) => !n.closest('.table-frame, .unseen') && n.checkVisibility() "
                             "&& n.getBoundingClientRect().right > 376).map((n) => n.outerHTML.slice(0, 80))")
        self.assertEqual(wide, [])
        frames = browser.value("[...document.querySelectorAll('.table-frame')].map((n) => getComputedStyle(n).overflowX)")
        self.assertEqual(set(frames), {"auto"}, "tables are to scroll in themselves")
        shot("phone")
        shot("phone-whole", whole=True)

    def test_light_and_dark_are_both_readable(self):
        backgrounds = {}
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            browser.wait_for(f"matchMedia('(prefers-color-scheme: {scheme})').matches")
            time.sleep(0.4)
            backgrounds[scheme] = [int(n) for n in re.findall(r"\d+", browser.value("getComputedStyle(document.body).backgroundColor"))[:3]]
            self.assertEqual(browser.js(low_contrast), [], f"text that is hard to read in {scheme}")
            self.assertEqual(browser.value("Chart.getChart('loss-chart').options.scales.y.ticks.color"), browser.value("colours.quiet"))
            shot(scheme)
            shot(f"{scheme}-whole", whole=True)
        self.assertGreater(min(backgrounds["light"]), 200)
        self.assertLess(max(backgrounds["dark"]), 50)

    def test_it_is_made_for_screen_readers(self):
        self.assertEqual(browser.value("document.querySelectorAll('h1').length"), 1)
        levels = browser.value("[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.tagName[1]))")
        self.assertEqual(levels[0], 1)
        self.assertTrue(all(b - a <= 1 for a, b in zip(levels, levels[1:])), f"headings leave levels out: {levels}")
        for landmark in ("header", "main", "nav"):
            self.assertEqual(browser.value(f"document.querySelectorAll('body > {landmark}, header > * > {landmark}').length"), 1, landmark)
        nameless = browser.value("[...document.querySelectorAll('button, a, [role=region], [role=group], [role=img], progress')].filter((n) => !("
                                 "n.textContent.trim() || n.getAttribute('aria-label') || document.getElementById(n.getAttribute('aria-labelledby'))"
                                 ")).map((n) => n.outerHTML)")
        self.assertEqual(nameless, [])
        self.assertEqual(browser.value("[...document.querySelectorAll('canvas')].filter((c) => c.getAttribute('role') !== 'img').length"), 0)
        twice = browser.value("[...document.querySelectorAll('[id]')].map((n) => n.id).filter((id, i, all) => all.indexOf(id) !== i)")
        self.assertEqual(twice, [])
        self.assertEqual(browser.value("document.getElementById('state').getAttribute('role')"), "status")
        live = browser.value("[...document.querySelectorAll('[aria-live], [role=status], [role=alert]')].map((n) => n.id)")
        self.assertEqual(sorted(live), ["announcer", "banner", "pool-block", "state"])

    def test_everything_is_reached_by_keyboard(self):
        open_live(self.url)
        browser.wait_for("document.querySelectorAll('#kernels tbody tr').length > 0")
        wanted = browser.value("[...document.querySelectorAll('a[href], button, [tabindex=\"0\"]')].filter((n) => n.checkVisibility()).length")
        body = ActionChains(browser.driver)
        body.send_keys(Keys.TAB).perform()
        self.assertEqual(browser.value("document.activeElement.className"), "skip")
        self.assertNotEqual(browser.value("getComputedStyle(document.activeElement).outlineStyle"), "none")
        browser.js("window.reached = new Set([document.activeElement]);"
                   "document.addEventListener('focusin', (e) => { reached.add(e.target);"
                   "  if (getComputedStyle(e.target).outlineStyle === 'none') reached.unseen = e.target.outerHTML; });")
        steps = ActionChains(browser.driver, duration=0)
        for _ in range(wanted + 3):
            steps.send_keys(Keys.TAB)
        steps.perform()
        self.assertGreaterEqual(browser.value("reached.size"), wanted)
        self.assertIsNone(browser.value("reached.unseen ?? null"), "focus does not show")
        browser.js("document.querySelector('.skip').focus()")
        ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
        self.assertEqual(browser.value("document.activeElement.id"), "main")

    def test_nothing_moves_for_who_wants_no_motion(self):
        browser.prefer("light", reduced_motion=True)
        self.assertEqual(browser.value("getComputedStyle(document.getElementById('state'), '::before').animationName"), "none")

    def test_an_end_shows_as_finished(self):
        browser.js("show_state({...view.run, training: {...view.run.training, finished: true}});")
        self.assertEqual(browser.text("state"), "Finished")
        browser.wait_for("document.getElementById('state').textContent === 'Running'")


class ExportedPage(Page):
    """The run as one file, opened from the disk. The record in it is also what the page is tried with that real runs seldom do."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tidepool-page-"))
        run = None if arguments.url else Run(arguments.tool, "--epochs", "1000")
        url = arguments.url or run.url
        try:
            if run:
                open_live(url)
                browser.wait_for("view.run.samples.filter((s) => s.loss !== null).length > 8 && view.run.pool", 15)
            with urllib.request.urlopen(url.replace("/?", "/export?") if "?" in url else url + "export", timeout=10) as answer:
                cls.html = answer.read().decode()
        finally:
            if run:
                browser.open("about:blank")
                run.stop()
        cls.record = json.loads(re.search(r'<script [^>]*id="run-data"[^>]*>(.*?)</script>', cls.html, re.S).group(1))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def show(self, name, record=None):
        html = self.html
        if record is not None:
            data = json.dumps(record).replace("<", "\\u003c")
            html = re.sub(r'(<script [^>]*id="run-data"[^>]*>).*?(</script>)', lambda m: m.group(1) + data + m.group(2), html, count=1, flags=re.S)
        file = self.folder / f"{name}.html"
        file.write_text(html)
        browser.requests()
        browser.open(file.as_uri())
        browser.wait_for("performance.getEntriesByName('update').length > 0", what="the export to be drawn")
        return file

    def setUp(self):
        browser.size(1440, 1000)
        browser.prefer("light")

    def test_an_export_shows_the_same_figures_and_asks_for_nothing(self):
        file = self.show("export")
        self.assertEqual(browser.text("state"), "Export")
        self.assertIn("export", browser.text("export-note"))
        self.assertEqual(browser.text("task"), self.record["training"]["task"])
        self.assertEqual(browser.value("view.run"), self.record)
        loss = next(s["loss"] for s in reversed(self.record["samples"]) if s["loss"] is not None)
        self.assertAlmostEqual(numbers([tiles()["Loss"]])[0], loss, delta=0.006 * loss)
        kernels = sorted(self.record["kernels"], key=lambda k: -k["device_ms"])
        self.assertEqual(numbers(column("kernels", 2)), [k["launches"] for k in kernels])
        for chart in chart_ids:
            self.assertGreater(browser.js(colours_of_canvas, chart), 10, f"{chart} is blank")
        self.assertTrue(browser.value("document.getElementById('ways-out').hidden"))
        time.sleep(1)
        asked = [url for url in browser.requests() if not url.startswith("data:")]
        self.assertEqual(asked, [file.as_uri()])
        self.assertEqual(browser.value("performance.getEntriesByType('resource').filter((r) => !r.name.startsWith('data:')).length"), 0)
        shot("export")

    def test_names_are_text_whatever_is_in_them(self):
        evil = "<img src=x onerror='window.broken = 1'></script><script>window.broken = 1</script>"
        record = json.loads(json.dumps(self.record))
        record["training"]["task"] = record["device"]["name"] = record["kernels"][0]["name"] = evil
        record["events"].append({"time": 1, "kind": evil, "device": evil, "message": evil})
        record["anomalies"].append({"kind": "leak", "time": 1, "series": evil, "value": 1, "low": 0, "high": 0, "message": evil})
        record["advice"] = [{"kind": "batch", "gain": 0.2, "message": evil, "setting": evil}]
        record["figures"][evil] = {key: 1 for key in ("count", "last", "mean", "least", "most", "p50", "p90", "p99")}
        for region in (record["pool"] or {"regions": []})["regions"][:1]:
            region["blocks"] = [[0, region["bytes"], 0, evil]]
        self.show("evil", record)
        self.assertEqual(browser.text("task"), evil)
        self.assertIsNone(browser.value("window.broken ?? null"))
        self.assertEqual(browser.value("document.querySelectorAll('main img, body img').length"), 0)

    def test_what_is_not_finite_and_what_is_missing_is_shown_as_such(self):
        record = json.loads(json.dumps(self.record))
        for sample in record["samples"][-3:]:
            sample["loss"] = "nan"
        self.show("nan", record)
        self.assertEqual(browser.value("document.querySelector('.tile.alarming .tile-value').textContent"), "NaN")
        record.update(training=None, samples=[], epochs=[], kernels=[], operations=[], anomalies=[], advice=[], events=[], pool=None, figures={})
        self.show("empty", record)
        self.assertEqual(browser.text("task"), "Tidepool")
        self.assertEqual(browser.value("document.querySelectorAll('.chart-card:not([hidden])').length"), 0)

    def test_advice_is_ranked_and_its_setting_is_copied(self):
        record = json.loads(json.dumps(self.record))
        record["advice"] = [{"kind": "batch", "gain": 0.27, "message": "Larger batches keep the device busy.", "setting": "--batch 256"},
                            {"kind": "threads", "gain": 0.03, "message": "Four threads share two cores.", "setting": "TIDEPOOL_THREADS=2"}]
        self.show("advice", record)
        self.assertEqual(browser.value("[...document.querySelectorAll('#advice code')].map((c) => c.textContent)"), ["--batch 256", "TIDEPOOL_THREADS=2"])
        browser.driver.find_element(By.CSS_SELECTOR, "#advice button").click()
        browser.wait_for("document.querySelector('#advice button').textContent === 'Copied'", 3)
        self.assertEqual(browser.text("announcer"), "Copied --batch 256")


class RunsThatEnd(Page):
    def test_a_lost_device_shows(self):
        run = Run(arguments.tool, "--epochs", "1000", fault="device_lost@submit:400")
        try:
            open_live(run.url)
            browser.wait_for("!document.getElementById('banner').hidden", 20, "the banner of a lost device")
            self.assertIn("was lost at", browser.text("banner"))
            self.assertIn("Lost", browser.value("[...document.querySelectorAll('#events .note-kind')].map((n) => n.textContent)"))
            self.assertTrue(browser.value("marks.some((m) => m.kind === 'lost' && m.chart === '')"))
            browser.wait_for("view.run.samples.at(-1).time > view.run.events.find((e) => e.kind === 'lost').time + 1.5", 15)
            self.assertEqual(browser.js(low_contrast), [])
            shot("lost-device")
            browser.driver.find_element(By.CSS_SELECTOR, "#banner button").click()
            time.sleep(0.6)
            self.assertTrue(browser.value("document.getElementById('banner').hidden"))
        finally:
            browser.open("about:blank")
            run.stop()

    def test_a_page_whose_run_is_gone_keeps_what_it_has_and_can_save_it(self):
        run = Run(arguments.tool, "--epochs", "1000")
        folder = tempfile.mkdtemp(prefix="tidepool-page-")
        try:
            open_live(run.url)
            browser.wait_for("Chart.getChart('loss-chart')?.data.datasets[0].data.length > 8", 15)
            self.assertEqual(browser.errors(), [])
            run.process.terminate()
            run.process.wait(10)
            browser.wait_for("document.getElementById('state').dataset.state === 'lost'", what="the page to say that the connection is lost")
            self.assertIn("Connection lost", browser.text("state"))
            last = browser.value("view.run.samples.at(-1).time")
            self.assertGreater(points("loss-chart"), 8)
            self.assertGreater(browser.js(colours_of_canvas, "loss-chart"), 10)
            shot("connection-lost")
            browser.downloads_to(folder)
            browser.driver.find_element(By.ID, "export-link").click()
            file = pathlib.Path(folder) / "tidepool-run.html"
            end = time.monotonic() + 5
            while not file.exists() and time.monotonic() < end:
                time.sleep(0.05)
            refused = [error for error in browser.errors() if "ERR_CONNECTION_REFUSED" not in error and "ERR_INCOMPLETE_CHUNKED" not in error]
            self.assertEqual(refused, [])
            browser.open(file.as_uri())
            browser.wait_for("document.getElementById('state').textContent === 'Export'")
            self.assertEqual(browser.value("view.run.samples.at(-1).time"), last)
        finally:
            browser.open("about:blank")
            browser.errors()
            run.stop()
            shutil.rmtree(folder, ignore_errors=True)

    def test_a_page_connects_again_by_itself(self):
        run = Run(arguments.tool, "--epochs", "1000")
        try:
            open_live(run.url)
            browser.js("view.source.dispatchEvent(new Event('error'));")
            self.assertEqual(browser.value("document.getElementById('state').dataset.state"), "lost")
            browser.wait_for("document.getElementById('state').dataset.state === 'running'")
        finally:
            browser.open("about:blank")
            run.stop()


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def failed(self):
        return len({test.id() for test, _ in self.failures + self.errors})


def by_line(case):
    """Tests in the order they are written in."""
    return lambda a, b: getattr(case, a).__code__.co_firstlineno - getattr(case, b).__code__.co_firstlineno


def too_long(*_):
    raise TimeoutError("the tests of the page took more than two minutes")


def main():
    global arguments, browser
    parser = argparse.ArgumentParser(description="Tests of the live page in Chromium, while a run trains.")
    parser.add_argument("tool", nargs="?", help="the tidepool tool, such as build/release/tidepool")
    parser.add_argument("--screenshots", type=pathlib.Path, help="where pictures are kept; beside the tool, in page/, unless given")
    parser.add_argument("--url", help="of a page that is being served already, instead of the tool's")
    parser.add_argument("--only", default="", help="run the tests whose name has this in it")
    arguments = parser.parse_args()
    if not arguments.tool and not arguments.url:
        parser.error("name the tidepool tool, or --url of a page")
    if arguments.tool:
        arguments.tool = os.path.abspath(arguments.tool)
    arguments.screenshots = arguments.screenshots or (pathlib.Path(arguments.tool).parent / "page" if arguments.tool else pathlib.Path("page"))
    arguments.screenshots.mkdir(parents=True, exist_ok=True)
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(120)

    tests = unittest.TestSuite()
    for case in (LivePage, ExportedPage) if arguments.url else (LivePage, ExportedPage, RunsThatEnd):
        loader = unittest.TestLoader()
        loader.sortTestMethodsUsing = by_line(case)
        tests.addTests(test for test in loader.loadTestsFromTestCase(case) if arguments.only in test.id())
    browser = Browser()
    try:
        result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout, resultclass=Result).run(tests)
    finally:
        browser.quit()
    print(f"screenshots: {arguments.screenshots}")
    print(f"{result.passed} passed, {result.failed()} failed")
    return 1 if result.failed() or not result.passed else 0


if __name__ == "__main__":
    sys.exit(main())
