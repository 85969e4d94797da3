"""What is being looked at, and short words for what the tests ask of it. page_test.py sets the first four."""

import re
import time
import unittest

tool = None         # the tidepool tool
url = None          # of a page that is served already, instead of the tool's
screenshots = None  # the folder where they are kept
browser = None
charts = ["loss-chart", "accuracy-chart", "step-chart", "memory-chart"]  # utilisation is not known on every device


def js(code, *arguments):
    return browser.js(code, *arguments)


def value(expression):
    return browser.js(f"return ({expression});")


def text(id_):
    return value(f"document.getElementById('{id_}')?.textContent ?? ''")


def wait_for(expression, seconds=10, what=None):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = value(expression)
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s for {what or expression}; the page's state is '{text('state')}'")


def shot(name, whole=False):
    browser.screenshot(str(screenshots / f"{name}.png"), whole)


def points(chart):
    return value(f"Chart.getChart('{chart}').data.datasets[0].data.length")


def last_time(chart):
    return value(f"Chart.getChart('{chart}').data.datasets[0].data.at(-1)?.x ?? 0")


def column(table, number):
    return value(f"[...document.querySelectorAll('#{table} tbody tr')].map((row) => row.cells[{number}].textContent)")


def hide_page(hidden):
    """What a browser says of a tab that is not in view; the page draws nothing then."""
    browser.js("Object.defineProperty(document, 'hidden', {value: true, configurable: true});" if hidden else
               "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'));")


def tiles():
    shown = "[...document.querySelectorAll('.tile:not([hidden])')].map((tile) => [0, 1].map((i) => tile.children[i].textContent))"
    return dict(value(shown))


def numbers(texts):
    return [float(re.sub(r"[^0-9.e+-]", "", text.replace("–", "0"))) for text in texts]


def open_live(url):
    browser.open(url)
    wait_for("['running', 'finished'].includes(document.querySelector('#state')?.dataset.state)", what="a first message")


def leave(run):
    """First the page, then the run: a connection that breaks is an error to the console."""
    browser.open("about:blank")
    if run:
        run.stop()


class Page(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(browser.errors(), [], "the console was told of errors")
