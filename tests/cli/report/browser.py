#!/usr/bin/env python3
"""Opens a page in headless Chromium, 400 and 1,400 pixels wide: nothing may be wider than the window. Leaves a
screenshot of each width.

    browser.py AAPC DIRECTORY
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from records import page_of, usual  # noqa: E402

SKIPPED = 77
# The page in a window of that width, which browsers do not make as narrow as telephones are, and what it came to.
WINDOW = """<!DOCTYPE html><title>nothing</title><body style="margin:0">
<iframe id="page" style="width:{width}px;height:{height}px;border:0" srcdoc="{page}"></iframe>
<script>
onload = () => {{
  const page = document.getElementById("page"), root = page.contentDocument.documentElement
  const wide = [...page.contentDocument.querySelectorAll("main *")].filter(
    one => one.getBoundingClientRect().right > root.clientWidth + 0.5 && !one.closest(".scroll"))
  document.title = [root.scrollWidth, root.clientWidth, root.scrollHeight, wide.length].join(" ")
}}
</script>"""


def browse(chromium, profile, window, *words):
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
               "--disable-background-networking", f"--user-data-dir={profile}", "--virtual-time-budget=3000", *words,
               "file://" + window]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=200, check=True).stdout


def main():
    aapc, directory = sys.argv[1:]
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("skipped: there is no Chromium here; ./set-up with-browser installs it")
        return SKIPPED
    page = page_of(aapc, usual())
    with tempfile.TemporaryDirectory(prefix="aapc-browser-") as profile:
        for width in (400, 1400):
            window = os.path.join(profile, "window.html")
            height = 100
            for _ in range(2):  # the second time as high as the page turned out to be
                with open(window, "w", encoding="utf-8") as file:
                    file.write(WINDOW.format(width=width, height=height, page=html.escape(page)))
                found = re.search(r"<title>(\d+) (\d+) (\d+) (\d+)</title>", browse(chromium, profile, window, "--dump-dom"))
                assert found, "the page was not shown"
                needs, has, height, wide = map(int, found.groups())
            assert needs <= has == width and wide == 0, (needs, has, wide)
            shot = os.path.join(directory, f"report-{width}.png")
            browse(chromium, profile, window, f"--screenshot={shot}", f"--window-size={max(width, 500)},{height}")
            assert os.path.getsize(shot) > 10000
            print(f"{width} pixels: {height} high, nothing wider; {shot}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
