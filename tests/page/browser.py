"""What the tests of the live page need: a run of the tool, and a Chromium that looks at it."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


class Run:
    """A training run with its page, in a folder of its own; whoever starts one stops it."""

    going = []

    def __init__(self, tool, *arguments, fault=None, patience=20):
        self.folder = tempfile.mkdtemp(prefix="tidepool-page-")
        environment = dict(os.environ, TIDEPOOL_THREADS="1")  # Chromium needs the other cores
        environment.pop("TIDEPOOL_FAULT", None)
        if fault:
            environment["TIDEPOOL_FAULT"] = fault
        command = [tool, "train", "fashion-mnist", "--dashboard=0", "--device", "cpu", *arguments]
        self.process = subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        Run.going.append(self)
        self.said, self.url, self.found = [], None, threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        self.found.wait(patience)
        if not self.url:
            self.stop()
            raise RuntimeError(f"{' '.join(command)} gave no address of a page; it said: {''.join(self.said) or 'nothing'}")

    def _listen(self):
        for line in self.process.stderr:
            self.said.append(line)
            address = re.match(r"dashboard: (http://\S+)", line)
            if address:
                self.url = address.group(1)
                self.found.set()
        self.found.set()

    def stop(self):
        if self in Run.going:
            Run.going.remove(self)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Browser:
    """Headless Chromium by way of Selenium, with the few things that the tests ask of it."""

    def __init__(self):
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_page_load_timeout(20)
        self.driver.set_script_timeout(20)
        self.size(1440, 1000)

    def quit(self):
        self.driver.quit()

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def prefer(self, scheme, reduced_motion=False):
        features = [{"name": "prefers-color-scheme", "value": scheme},
                    {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def downloads_to(self, folder):
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})

    def open(self, url):
        self.driver.get(url)

    def js(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def errors(self):
        """What the console was told since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def requests(self):
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def screenshot(self, path, whole=False):
        parameters = {"format": "png"}
        if whole:  # a window as high as the page, for what is drawn follows the window
            width, height = self.js("return [innerWidth, innerHeight];")
            self.size(width, self.js("return document.documentElement.scrollHeight;"))
            time.sleep(0.6)
        picture = self.driver.execute_cdp_cmd("Page.captureScreenshot", parameters)
        if whole:
            self.size(width, height)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))


# The text of every visible element whose contrast with what is behind it is below 4.5, as [text, ratio].
low_contrast = """
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const over = (front, back) => { const a = front[3] ?? 1; return [0, 1, 2].map((i) => a * front[i] + (1 - a) * back[i]); };
const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const luminance = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
const behind = (node) => {
  if (!node) return [255, 255, 255];
  const own = numbers(getComputedStyle(node).backgroundColor);
  return (own[3] ?? 1) === 1 ? own : over(own, behind(node.parentElement));
};
const found = [];
for (const node of document.body.querySelectorAll("*")) {
  const text = [...node.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent.trim()).join(" ").trim();
  if (!text || !node.checkVisibility() || node.closest("script, noscript")) continue;
  const back = behind(node), front = over(numbers(getComputedStyle(node).color), back);
  const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
  const ratio = (light + 0.05) / (dark + 0.05);
  if (ratio < 4.5) found.push([text.slice(0, 40), ratio.toFixed(2)]);
}
return found;
"""

# How many colours a canvas shows besides its most common one: 0 for a blank one.
colours_of_canvas = """
const canvas = document.getElementById(arguments[0]);
const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
const seen = new Set();
for (let i = 0; i < bytes.length; i += 4) if (bytes[i + 3] > 0) seen.add((bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2]);
return seen.size;
"""
