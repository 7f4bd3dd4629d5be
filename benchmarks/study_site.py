"""The project's own site, from kept runs: ``python -m benchmarks.study_site FOLDER… -o SITE``

Every run below the folders is taken that the version of Raven at hand can read, such as those that
``python -m benchmarks.study_shelf`` keeps; runs of other verifiers over the same folds share a leaderboard. What could
not be taken is named with the reason, and the sizes of the pages are said: none should exceed 300 kB.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ravenbench.errors import RavenError
from ravenbench.ext.site.pages import MOST, site
from ravenbench.store.store import Store

TITLE = "What authorship verifiers of two decades go by"


def readable(folders: list[Path]) -> tuple[list[Path], dict[Path, str]]:
    """Folders of runs below some folders, and why others are left out."""
    runs, left = [], {}
    for file in sorted(file for folder in folders for file in folder.rglob("run.json")):
        try:
            if Store.open(file.parent).planned:
                runs.append(file.parent)
            else:
                left[file.parent] = "it is not planned yet"
        except RavenError as error:
            left[file.parent] = str(error).split("\n")[0]
    return runs, left


def main() -> None:
    """Make the site and say how large it is."""
    parser = argparse.ArgumentParser(description="The project's own site from kept runs.")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    given = parser.parse_args()
    runs, left = readable(given.folders)
    for place, reason in left.items():
        print(f"left out: {place.name}: {reason}")
    page = site(runs, given.out, title=TITLE)
    sizes = {file: file.stat().st_size for file in page.parent.rglob("*") if file.is_file()}
    pages = {file: size for file, size in sizes.items() if file.suffix == ".html"}
    print(
        f"{len(runs)} runs, {len(pages)} pages, {sum(sizes.values()) / 1e6:.1f} MB with downloads"
    )
    for file in sorted(pages, key=lambda file: -pages[file])[:5]:
        over = " (too large)" if pages[file] > MOST else ""
        print(f"{pages[file] / 1000:7.0f} kB  {file.relative_to(page.parent)}{over}")


if __name__ == "__main__":
    main()
