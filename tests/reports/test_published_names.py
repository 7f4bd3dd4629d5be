"""What may be published names files, not folders; everything else stays as it is."""

from __future__ import annotations

import pytest

from ravenbench.reports.view import public, public_head, public_json
from ravenbench.store.records import Head

PATHS = {
    "/home/ann/Client Meyer/q.txt": "q.txt",
    "/home/ann/Meyer/": "Meyer",
    "~ann/cases/a.csv": "a.csv",
    "C:\\Users\\Ann\\x.txt": "x.txt",
    "file:///home/ann/x.txt": "x.txt",
    "answers of /srv/client/theirs": "answers of theirs",
    "error in /home/ann/x.py, line 3, and /home/bob/y.py": "error in x.py, line 3, and y.py",
    "command('python /home/ann/a b/x.py $in', folder='/home/ann/z')": "command('python x.py $in', folder='z')",
}
OTHERS = [
    "and/or",
    "1/2",
    "https://host/a/b",
    "s3://bucket/a",
    "../boards/run.html",
    "</p>",
    "ppm(order=2)",
    "a /b c",
]


@pytest.mark.parametrize("text", PATHS)
def test_paths_become_names(text: str) -> None:
    assert public(text) == PATHS[text]


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_path_stays(text: str) -> None:
    assert public(text) == text


def test_keys_that_become_one_are_numbered() -> None:
    assert public_json({"/a/b/x.txt": 1, "/a/c/x.txt": [{"k": "/a/b/y"}]}) == {
        "x.txt": 1,
        "x.txt (2)": [{"k": "y"}],
    }


def test_places_given_from_the_folder_of_the_command_are_names_too() -> None:
    spec = {
        "known": ["anne=clients/meyer/a"],
        "corpus": "clients/x.csv",
        "verifiers": "ppm(order=2), a:B",
        "seed": 0,
    }
    head = Head(
        spec=spec,
        data={"known the candidate clients/m m/0.txt": "h"},
        raven="0",
        python="3",
        packages={},
    )
    told = public_head(head)
    assert told.spec == {
        "known": ["anne=a"],
        "corpus": "x.csv",
        "verifiers": "ppm(order=2), a:B",
        "seed": 0,
    }
    assert told.data == {"known the candidate 0.txt": "h"}
