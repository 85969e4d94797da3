"""The page as one file, opened from the disk."""

import json
import pathlib
import re
import shutil
import tempfile
import time
import urllib.request

from selenium.webdriver.common.by import By

import page
from browser import Run, colours_of_canvas


run_data = re.compile(r'(<script [^>]*id="run-data"[^>]*>)(.*?)(</script>)', re.S)


class ExportedPage(page.Page):
    """The run as one file, opened from the disk. The record in it is also what the page is tried with that real runs seldom do."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tidepool-page-"))
        run = None if page.url else Run(page.tool, "--epochs", "1000")
        url = page.url or run.url
        try:
            if run:
                page.open_live(url)
                page.wait_for("view.run.samples.filter((s) => s.loss !== null).length > 8 && view.run.pool", 15)
            with urllib.request.urlopen(url.replace("/?", "/export?") if "?" in url else url + "export", timeout=10) as answer:
                cls.html = answer.read().decode()
        finally:
            page.leave(run)
        cls.record = json.loads(run_data.search(cls.html).group(2))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def show(self, name, record=None):
        html = self.html
        if record is not None:
            data = json.dumps(record).replace("<", "\\u003c")
            html = run_data.sub(lambda m: m.group(1) + data + m.group(3), html, count=1)
        file = self.folder / f"{name}.html"
        file.write_text(html)
        page.browser.requests()
        page.browser.open(file.as_uri())
        page.wait_for("performance.getEntriesByName('update').length > 0", what="the export to be drawn")
        return file

    def setUp(self):
        page.browser.size(1440, 1000)
        page.browser.prefer("light")

    def test_an_export_shows_the_same_figures_and_asks_for_nothing(self):
        file = self.show("export")
        self.assertEqual(page.text("state"), "Export")
        self.assertIn("export", page.text("export-note"))
        self.assertEqual(page.text("task"), self.record["training"]["task"])
        self.assertEqual(page.value("view.run"), self.record)
        loss = next(s["loss"] for s in reversed(self.record["samples"]) if s["loss"] is not None)
        self.assertAlmostEqual(page.numbers([page.tiles()["Loss"]])[0], loss, delta=0.006 * loss)
        kernels = sorted(self.record["kernels"], key=lambda k: -k["device_ms"])
        self.assertEqual(page.numbers(page.column("kernels", 2)), [k["launches"] for k in kernels])
        for chart in page.charts:
            self.assertGreater(page.js(colours_of_canvas, chart), 10, f"{chart} is blank")
        self.assertTrue(page.value("document.getElementById('ways-out').hidden"))
        time.sleep(1)
        asked = [url for url in page.browser.requests() if not url.startswith("data:")]
        self.assertEqual(asked, [file.as_uri()])
        self.assertEqual(page.value("performance.getEntriesByType('resource').filter((r) => !r.name.startsWith('data:')).length"), 0)
        page.shot("export")

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
        self.assertEqual(page.text("task"), evil)
        self.assertIsNone(page.value("window.broken ?? null"))
        self.assertEqual(page.value("document.querySelectorAll('main img, body img').length"), 0)

    def test_what_is_not_finite_and_what_is_missing_is_shown_as_such(self):
        record = json.loads(json.dumps(self.record))
        for sample in record["samples"][-3:]:
            sample["loss"] = "nan"
        self.show("nan", record)
        self.assertEqual(page.value("document.querySelector('.tile.alarming .tile-value').textContent"), "NaN")
        record.update(training=None, pool=None, figures={})
        record.update({key: [] for key in ("samples", "epochs", "kernels", "operations", "anomalies", "advice", "events")})
        self.show("empty", record)
        self.assertEqual(page.text("task"), "Tidepool")
        self.assertEqual(page.value("document.querySelectorAll('.chart-card:not([hidden])').length"), 0)

    def test_advice_is_ranked_and_its_setting_is_copied(self):
        record = json.loads(json.dumps(self.record))
        record["advice"] = [{"kind": "batch", "gain": 0.27, "message": "Larger batches keep the device busy.", "setting": "--batch 256"},
                            {"kind": "threads", "gain": 0.03, "message": "Four threads share two cores.", "setting": "TIDEPOOL_THREADS=2"}]
        self.show("advice", record)
        settings = page.value("[...document.querySelectorAll('#advice code')].map((c) => c.textContent)")
        self.assertEqual(settings, ["--batch 256", "TIDEPOOL_THREADS=2"])
        page.browser.driver.find_element(By.CSS_SELECTOR, "#advice button").click()
        page.wait_for("document.querySelector('#advice button').textContent === 'Copied'", 3)
        self.assertEqual(page.text("announcer"), "Copied --batch 256")
