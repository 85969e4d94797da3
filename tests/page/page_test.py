#!/usr/bin/python3
"""Tests of the monitor's live page in a real Chromium, while a real run trains.

    tests/page/page_test.py build/release/tidepool                       all of it; screenshots go to build/release/page
    tests/page/page_test.py build/release/tidepool --screenshots DIR     or to where you want them
    tests/page/page_test.py --url http://127.0.0.1:8080/                 of a page that is served already, without the tests that
                                                                         need a run of their own

Needs chromium, chromium-driver and python3-selenium. Ends with a line "N passed, N failed".
"""

import argparse
import os
import pathlib
import shutil
import signal
import sys
import unittest

try:
    import selenium  # noqa: F401
except ImportError:
    sys.exit("no Selenium for this Python; on Debian: apt install chromium chromium-driver python3-selenium, and use /usr/bin/python3")

sys.dont_write_bytecode = True  # nothing is left in the source tree
import page
from browser import Browser, Run
from ended_runs import RunsThatEnd
from exported_page import ExportedPage
from live_page import LivePage


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


def chosen_tests(part_of_name):
    tests = unittest.TestSuite()
    for case in (LivePage, ExportedPage) if page.url else (LivePage, ExportedPage, RunsThatEnd):
        loader = unittest.TestLoader()
        loader.sortTestMethodsUsing = by_line(case)
        tests.addTests(test for test in loader.loadTestsFromTestCase(case) if part_of_name in test.id())
    return tests


def stop_all(*_):
    raise KeyboardInterrupt  # the one thing that unittest does not take for a failed test


def read_arguments():
    parser = argparse.ArgumentParser(description="Tests of the live page in Chromium, while a run trains.")
    parser.add_argument("tool", nargs="?", help="the tidepool tool, such as build/release/tidepool")
    parser.add_argument("--screenshots", type=pathlib.Path, help="where pictures are kept; in page/ beside the tool unless given")
    parser.add_argument("--url", help="of a page that is served already, instead of the tool's")
    parser.add_argument("--only", default="", help="run the tests whose name has this in it")
    arguments = parser.parse_args()
    if not arguments.tool and not arguments.url:
        parser.error("name the tidepool tool, or --url of a page")
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            parser.error(f"there is no {program}; on Debian: apt install chromium chromium-driver")
    return arguments


def main():
    arguments = read_arguments()
    page.url = arguments.url
    page.tool = os.path.abspath(arguments.tool) if arguments.tool else None
    page.screenshots = arguments.screenshots or (pathlib.Path(page.tool).parent if page.tool else pathlib.Path()) / "page"
    page.screenshots.mkdir(parents=True, exist_ok=True)
    for reason in (signal.SIGALRM, signal.SIGTERM):
        signal.signal(reason, stop_all)
    signal.alarm(120)
    page.browser = Browser()
    try:
        runner = unittest.TextTestRunner(verbosity=2, stream=sys.stdout, resultclass=Result)
        result = runner.run(chosen_tests(arguments.only))
    except KeyboardInterrupt:
        print("stopped: the tests were told to end, or took more than two minutes\n0 passed, 1 failed")
        return 1
    finally:
        page.browser.quit()
        for run in list(Run.going):
            run.stop()
    print(f"screenshots: {page.screenshots}")
    print(f"{result.passed} passed, {result.failed()} failed")
    return 1 if result.failed() or not result.passed else 0


if __name__ == "__main__":
    sys.exit(main())
