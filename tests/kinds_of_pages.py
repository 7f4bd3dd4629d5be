"""A small page of every kind that Raven writes, each made by the command a user would give."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.ext.site.pages import site
from ravenbench.formats.problems import write_pan_problems
from ravenbench.testing import toy_problems

CORPUS = ("synthetic(documents=300, authors=40, topics=8)", "--workers", 1)
WORLD = "synthetic(style=0.5, documents=240, authors=40, topics=36, words=30)"


def raven(*arguments: object) -> None:
    """One command, which must end well."""
    done = CliRunner().invoke(build(str(arguments[0])), [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output


class Pages:
    """Pages by kind in one folder, each made when it is first asked for, by whichever process asks first."""

    KINDS = (
        "run", "pan14", "safety", "attribute", "verify", "simulate", "obfuscate", "compare", "validate", "unknown",
        "detect", "evaluate", "map", "contrast", "advise", "retrieve",
        "diff", "columns", "diffs", "site", "board", "system", "fold",
    )  # fmt: skip

    def __init__(self, place: Path) -> None:
        self.place = place
        self.place.mkdir(exist_ok=True)

    def __call__(self, kind: str) -> Path:
        made = self.place / f"{kind}.made"
        with FileLock(self.place / f"{kind}.lock"):
            if not made.exists():
                page: Path = getattr(self, kind)()
                made.write_text(str(page), "utf-8")
        return Path(made.read_text("utf-8"))

    def problems(self) -> Path:
        """A problem set with a part to learn from and a part to be asked."""
        for split, seed in (("train", 1), ("test", 2)):
            write_pan_problems(self.place / "toy" / split, *toy_problems(40, known=2, seed=seed))
        return self.place / "toy"

    def toy(self) -> Path:
        return self("problems")

    def report(self, name: str) -> Path:
        return self.place / name / "report" / "index.html"

    def run(self) -> Path:
        raven(
            "run", *CORPUS, "--topics", 4, "--folds", 2, "--pools", 1, "--repetitions", 2, "--out", self.place / "run",
            "--verifiers", "char-ngram, style-only, length", "--lengths", "20,40",
        )  # fmt: skip
        return self.report("run")

    def pan14(self) -> Path:
        both = ("--verifiers", "char-ngram, function-words", "--workers", 1)
        raven("pan14", self.toy(), *both, "--out", self.place / "pan14")
        return self.report("pan14")

    def safety(self) -> Path:
        raven(
            "safety", self.toy(), "--train", self.toy(), "--obfuscators", "random", "--attacks", "none",
            "--verifiers", "char-ngram, function-words", "--out", self.place / "safety", "--workers", 1,
        )  # fmt: skip
        return self.report("safety")

    def attribute(self) -> Path:
        raven("attribute", *CORPUS, "--methods", "nb,svm", "--out", self.place / "attribute")
        return self.report("attribute")

    def verify(self, verifier: str = "char-ngram", answers: str = "answers") -> Path:
        raven(
            "verify", verifier, "--train", self.toy() / "train", "--test", self.toy() / "test", "--workers", 1,
            "--out", self.place / answers, "--folder", self.place / f"verify-{verifier}",
        )  # fmt: skip
        return self.report(f"verify-{verifier}")

    def simulate(self) -> Path:
        raven(
            "simulate", "--corpus", WORLD, "--doses", "0.3", "--pools", 1, "--folds", 2, "--repetitions", 2,
            "--replicates", 2, "--out", self.place / "simulate", "--workers", 1,
        )  # fmt: skip
        return self.report("simulate")

    def retrieve(self) -> Path:
        raven("retrieve", *CORPUS, "--queries", 20, "--out", self.place / "retrieve")
        return self.report("retrieve")

    def detect(self) -> Path:
        import json

        from ravenbench.corpora.load import load_corpus

        documents = list(load_corpus("synthetic(authors=12, topics=3, documents=80, words=60)"))
        for name, part in (("learn", documents[:40]), ("ask", documents[40:])):
            lines = [{"id": d.id, "text": d.text, "label": i % 2, "genre": "<news>"} for i, d in enumerate(part)]
            (self.place / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        raven(
            "detect", self.place / "ask.jsonl", "--train", self.place / "learn.jsonl", "--detectors",
            "tfidf-svm, text-length", "--people", "synthetic(authors=5, documents=40, seed=4)", "--workers", 1,
            "--out", self.place / "detect",
        )  # fmt: skip
        return self.report("detect")

    def obfuscate(self) -> Path:
        raven(
            "obfuscate", "random(rate=0.5)", self.toy() / "test", "--out", self.place / "hidden", "--workers", 1,
            "--folder", self.place / "obfuscate",
        )  # fmt: skip
        return self.report("obfuscate")

    def compare(self) -> Path:
        problems, same = toy_problems(40, known=2, seed=3)
        authors = self.place / "authors"
        for i in range(0, len(same), 2):  # every other problem is by one author
            for row in (*problems.known(i), problems.questioned_index[i]):
                place = authors / str(problems.ids[i]) / f"{row}.txt"
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(problems.texts[row])
        candidate = (authors / str(problems.ids[0])).rename(self.place / "candidate")
        questioned = max(candidate.iterdir()).rename(self.place / "questioned.txt")
        raven(
            "compare", "--questioned", questioned, "--known", candidate, "--background", authors,
            "--out", self.place / "compare", "--folds", 3, "--donors", 2, "--workers", 1,
            "--verifiers", "char-ngram, function-words",
        )  # fmt: skip
        return self.report("compare")

    def validate(self) -> Path:
        self("compare")
        conditions = self.place / "conditions.csv"
        conditions.write_text("questioned,known,texts\n60,60,1\n4000,4000,2\n")
        raven(
            "validate", self.place / "authors", "--conditions", conditions, "--out", self.place / "validate",
            "--folds", 3, "--donors", 2, "--workers", 1, "--verifiers", "char-ngram, function-words",
        )  # fmt: skip
        return self.report("validate")

    def unknown(self) -> Path:
        self("compare")
        raven(
            "attribute", "--unknown", self.place / "questioned.txt", "--candidates", self.place / "authors",
            "--methods", "cosine-delta", "--out", self.place / "unknown", "--workers", 1,
        )  # fmt: skip
        return self.report("unknown")

    def evaluate(self) -> Path:
        self("verify")
        self.verify("function-words", "others")
        raven(
            "evaluate", self.toy() / "test" / "truth.txt", self.place / "answers", self.place / "others",
            "--trials", 200, "--replicates", 200, "--out", self.place / "evaluate",
        )  # fmt: skip
        return self.place / "evaluate" / "index.html"

    def map(self) -> Path:
        raven(
            "map", "synthetic(documents=50, authors=5, topics=4, words=200)", "--mfw-min", 50, "--mfw-max", 50,
            "--resamples", 5, "--analysis-type", "all", "--out", self.place / "map",
        )  # fmt: skip
        return self.place / "map" / "index.html"

    def contrast(self) -> Path:
        raven(
            "contrast", "f00a", "--corpus", "synthetic(documents=50, authors=8, topics=4, words=200)", "--by",
            "topic", "--text-slice-length", 100, "--resamples", 50, "--out", self.place / "contrast",
        )  # fmt: skip
        return self.place / "contrast" / "index.html"

    def advise(self) -> Path:
        self("compare")
        raven(
            "advise", self.place / "questioned.txt", "--known", self.place / "candidate", "--background",
            self.place / "authors", "--verifiers", "function-words", "--out", self.place / "advise",
        )  # fmt: skip
        return self.place / "advise" / "index.html"

    def diffs(self) -> Path:
        self("obfuscate")
        raven("diff", self.toy() / "test", self.place / "hidden", "--out", self.place / "diffs")
        return self.place / "diffs" / "index.html"

    def diff(self, *how: str) -> Path:
        before, after = (self.place / f"{name}.txt" for name in ("before", "after"))
        before.write_text("The boat was not large, but it was quick. We sailed it home before the rain came.\n" * 20)
        after.write_text("The boat was n't big; still it was fast. We sailed home before it began to rain.\n" * 20)
        page = self.place / f"diff{len(how)}.html"
        raven("diff", before, after, "--out", page, *how)
        return page

    def columns(self) -> Path:
        return self.diff("--columns")

    def site(self) -> Path:
        for kind in ("run", "pan14", "safety", "evaluate"):
            self(kind)
        return site([self.place / kind for kind in ("run", "pan14", "safety", "evaluate")], self.place / "site")

    def _in_site(self, pattern: str) -> Path:
        return next(p for p in sorted(self("site").parent.glob(pattern)))

    def board(self) -> Path:
        return self._in_site("boards/run.html")

    def system(self) -> Path:
        return self._in_site("systems/char-ngram.html")

    def fold(self) -> Path:
        return self._in_site("boards/run/*.html")
