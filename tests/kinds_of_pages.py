"""A small page of every kind that Raven writes, each made by the command a user would give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from filelock import FileLock
from typer.testing import CliRunner

import extensions
from ravenbench.cli.main import build
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.testing import toy_problems

CORPUS = ("synthetic(documents=160, authors=24, topics=8, words=60)", "--workers", 1)


class Pages:
    """Pages by kind in one folder, each made when it is first asked for, by whichever process asks first."""

    KINDS = (
        "run",
        "pan14",
        "safety",
        "attribute",
        "verify",
        "obfuscate",
        "evaluate",
        "seeds",
        *extensions.rows("PAGES"),
    )
    OF_EXTENSIONS = extensions.rows("PAGES") | extensions.rows("PAGES_NEED")
    """Functions of these pages that make one, or what several need, and return its path."""

    def __init__(self, place: Path, job: Callable[[str], Path]) -> None:
        self.place, self.job = place, job
        """Their folder, and that of each task's smallest job."""
        self.place.mkdir(exist_ok=True)

    def raven(self, *arguments: object) -> None:
        """One command, which must end well."""
        done = CliRunner().invoke(
            build(str(arguments[0])), [str(a) for a in arguments], catch_exceptions=False
        )
        assert done.exit_code == 0, done.output

    def __call__(self, kind: str) -> Path:
        made = self.place / f"{kind}.made"
        with FileLock(self.place / f"{kind}.lock"):
            if not made.exists():
                page: Path = (
                    self.OF_EXTENSIONS[kind](self)
                    if kind in self.OF_EXTENSIONS
                    else getattr(self, kind)()
                )
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
        self.raven(
            "run",
            *CORPUS,
            "--topics",
            4,
            "--folds",
            2,
            "--pools",
            1,
            "--repetitions",
            2,
            "--out",
            self.place / "run",
            "--verifiers",
            "char-ngram, style-only, length",
            "--lengths",
            "20,40",
        )
        return self.report("run")

    def pan14(self) -> Path:
        both = ("--verifiers", "char-ngram, function-words", "--workers", 1)
        self.raven("pan14", self.toy(), *both, "--out", self.place / "pan14")
        return self.report("pan14")

    def safety(self) -> Path:
        self.raven(
            "safety",
            self.toy(),
            "--train",
            self.toy(),
            "--obfuscators",
            "random",
            "--attacks",
            "none",
            "--verifiers",
            "char-ngram, function-words",
            "--out",
            self.place / "safety",
            "--workers",
            1,
        )
        return self.report("safety")

    def attribute(self) -> Path:
        self.raven("attribute", *CORPUS, "--methods", "nb,svm", "--out", self.place / "attribute")
        return self.report("attribute")

    def verify(self, verifier: str = "char-ngram", answers: str = "answers") -> Path:
        self.raven(
            "verify",
            verifier,
            "--train",
            self.toy() / "train",
            "--test",
            self.toy() / "test",
            "--workers",
            1,
            "--out",
            self.place / answers,
            "--folder",
            self.place / f"verify-{verifier}",
        )
        return self.report(f"verify-{verifier}")

    def obfuscate(self) -> Path:
        self.raven(
            "obfuscate",
            "random(rate=0.5)",
            self.toy() / "test",
            "--out",
            self.place / "hidden",
            "--workers",
            1,
            "--folder",
            self.place / "obfuscate",
        )
        return self.report("obfuscate")

    def evaluate(self) -> Path:
        self("verify")
        self.verify("function-words", "others")
        self.raven(
            "evaluate",
            self.toy() / "test" / "truth.txt",
            self.place / "answers",
            self.place / "others",
            "--trials",
            200,
            "--replicates",
            200,
            "--out",
            self.place / "evaluate",
        )
        return self.place / "evaluate" / "index.html"

    def seeds(self) -> Path:
        both = [self.place / f"seed{seed}" for seed in (0, 1)]
        for seed, folder in enumerate(both):
            self.raven(
                "run",
                *CORPUS,
                "--topics",
                4,
                "--folds",
                2,
                "--pools",
                1,
                "--verifiers",
                "style-only, length",
                "--probe",
                "transplant",
                "--samplers",
                "random",
                "--seed",
                seed,
                "--out",
                folder,
            )
        self.raven("report", *both, "--out", self.place / "seeds")
        return self.report("seeds")
