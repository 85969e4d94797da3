#!/usr/bin/python3
"""The documentation's pictures of the live page and of a report, and the terminal's view as text:

    tests/page/pictures.py build/release/tidepool docs/images

It trains for a minute, with the device taken away once, so that there is something to see."""

import os
import pathlib
import re
import subprocess
import sys
import time

from browser import Browser, Run


def terminal_view(tool, url):
    """What `tidepool watch` draws in a terminal of 100 columns, without colours."""
    command = f"stty cols 100 rows 40; exec '{tool}' watch '{url}' --once"
    shown = subprocess.run(["script", "-qec", command, "/dev/null"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                           env=dict(os.environ, NO_COLOR="1", TERM="xterm"), check=True)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.stdout).replace("\r", "")
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")) + "\n"


def main():
    tool, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(tool, "--epochs", "2", "--memory-limit", "256MiB", fault="device_lost@submit:300", patience=120)
    browser = Browser()
    hide_bars = "document.documentElement.style.scrollbarWidth = 'none';"
    try:
        browser.prefer("light", reduced_motion=True)
        browser.size(1200, 900)
        browser.open(run.url)
        time.sleep(60)
        (folder / "watch.txt").write_text(terminal_view(tool, run.url))
        browser.js(hide_bars)
        time.sleep(1)
        browser.screenshot(folder / "page.png")
        browser.js("[...document.querySelectorAll('h2')].find((h) => h.textContent.startsWith('Memory pool')).scrollIntoView();"
                   "scrollBy(0, -20);")
        browser.size(1200, 760)
        time.sleep(1)
        browser.screenshot(folder / "page_memory.png")
        browser.open(run.url + "report.html")
        browser.js(hide_bars)
        time.sleep(1)
        browser.screenshot(folder / "report.png")
    finally:
        browser.quit()
        run.stop()
    for picture in sorted(folder.glob("*.png")):
        print(picture.name, picture.stat().st_size)


if __name__ == "__main__":
    main()
