import json

import numpy as np
import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import CorpusError

SUBJECTS = ("engine wheel brake", "goal puck skate", "orbit rocket moon", "engine wheel tyre")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    lines = [
        json.dumps(
            {
                "text": " ".join(rng.choice(s.split(), 30)) + f" n{t}{i}",
                "author": f"a{i % 5}",
                "topic": f"t{t}",
            }
        )
        for t, s in enumerate(SUBJECTS)
        for i in range(10)
    ]
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(lines))
    return str(path)


def run(*arguments):
    return CliRunner().invoke(build("sample"), ["sample", *arguments], catch_exceptions=True)


def test_json_names_what_each_sampler_chose(table):
    done = run(
        table,
        "--topics",
        "3",
        "--encoder",
        "lsa(max_df=1.0)",
        "--samplers",
        "hits, anti, grouping",
        "--json",
    )
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    by = {row["sampler"]: row for row in result["samplers"]}
    assert result["available"] == 4 and list(by) == ["hits", "anti", "grouping"]
    assert not {"t0", "t3"} <= set(by["hits"]["topics"])
    assert {"t0", "t3"} <= set(by["anti"]["topics"])
    assert by["hits"]["max_similarity"] < by["anti"]["max_similarity"]
    assert len(by["grouping"]["merged"]) == 1


def test_the_table_fits_80_columns(table):
    done = run(table, "--topics", "2", "--encoder", "lsa(max_df=1.0)")
    assert done.exit_code == 0 and "hits" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_too_many_topics_are_refused(table):
    done = run(table, "--topics", "5")
    assert isinstance(done.exception, CorpusError) and "5 topics cannot be chosen from 4" in str(
        done.exception
    )
