"""The page of a run that loses its device, its connection, or its process."""

import pathlib
import re
import shutil
import tempfile
import time

from selenium.webdriver.common.by import By

import page
from browser import Run, colours_of_canvas, low_contrast


class RunsThatEnd(page.Page):
    def test_a_lost_device_shows(self):
        run = Run(page.tool, "--epochs", "1000", fault="device_lost@submit:60")
        try:
            page.open_live(run.url)
            page.wait_for("!document.getElementById('banner').hidden", 20, "the banner of a lost device")
            self.assertIn("was lost at", page.text("banner"))
            self.assertIn("Lost", page.value("[...document.querySelectorAll('#events .note-kind')].map((n) => n.textContent)"))
            self.assertTrue(page.value("marks.some((m) => m.kind === 'lost' && m.chart === '')"))
            page.wait_for("view.run.samples.at(-1).time > view.run.events.find((e) => e.kind === 'lost').time + 1.5", 15)
            self.assertEqual(page.js(low_contrast), [])
            page.shot("lost-device")
            page.browser.driver.find_element(By.CSS_SELECTOR, "#banner button").click()
            time.sleep(0.6)
            self.assertTrue(page.value("document.getElementById('banner').hidden"))
        finally:
            page.leave(run)

    def test_a_page_whose_run_is_gone_keeps_what_it_has_and_can_save_it(self):
        run = Run(page.tool, "--epochs", "1000")
        folder = tempfile.mkdtemp(prefix="tidepool-page-")
        try:
            page.open_live(run.url)
            page.wait_for("Chart.getChart('loss-chart')?.data.datasets[0].data.length > 8", 15)
            self.assertEqual(page.browser.errors(), [])
            run.process.terminate()
            run.process.wait(10)
            page.wait_for("document.getElementById('state').dataset.state === 'lost'", what="word of the lost connection")
            self.assertIn("Connection lost", page.text("state"))
            last = page.value("view.run.samples.at(-1).time")
            self.assertGreater(page.points("loss-chart"), 8)
            self.assertGreater(page.js(colours_of_canvas, "loss-chart"), 10)
            page.shot("connection-lost")
            page.browser.downloads_to(folder)
            page.browser.driver.find_element(By.ID, "export-link").click()
            file = pathlib.Path(folder) / "tidepool-run.html"
            end = time.monotonic() + 5
            while not file.exists() and time.monotonic() < end:
                time.sleep(0.05)
            others = [error for error in page.browser.errors() if not re.search("ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED", error)]
            self.assertEqual(others, [])
            page.browser.open(file.as_uri())
            page.wait_for("document.getElementById('state').textContent === 'Export'")
            self.assertEqual(page.value("view.run.samples.at(-1).time"), last)
        finally:
            page.leave(run)
            page.browser.errors()
            shutil.rmtree(folder, ignore_errors=True)

    def test_a_page_connects_again_by_itself(self):
        run = Run(page.tool, "--epochs", "1000")
        try:
            page.open_live(run.url)
            page.js("view.source.dispatchEvent(new Event('error'));")
            self.assertEqual(page.value("document.getElementById('state').dataset.state"), "lost")
            page.wait_for("document.getElementById('state').dataset.state === 'running'")
        finally:
            page.leave(run)
