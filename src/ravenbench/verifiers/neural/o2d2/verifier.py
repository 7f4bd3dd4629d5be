"""O2D2: AdHominem with Bayes factor scoring, uncertainty adaptation and an out-of-distribution detector."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
import torch

from ravenbench.errors import CorpusError, SpecError
from ravenbench.topics import devices
from ravenbench.topics.batching import distinct
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.contract.base import Verifier, mean_by_problem
from ravenbench.verifiers.neural.o2d2.adhominem import Sizes
from ravenbench.verifiers.neural.o2d2.detector import suspicion
from ravenbench.verifiers.neural.o2d2.embed import embeddings
from ravenbench.verifiers.neural.o2d2.network import O2D2Network, judged
from ravenbench.verifiers.neural.o2d2.text import FIRST, Vocabulary, read, units
from ravenbench.verifiers.neural.o2d2.training import begin_words, train_detector, train_network
from ravenbench.verifiers.neural.training import checkpoints
from ravenbench.verifiers.neural.training.authors import written
from ravenbench.verifiers.neural.training.curve import learning_curve
from ravenbench.verifiers.neural.training.folder import training_folder, training_spec
from ravenbench.verifiers.neural.training.loop import Epoch
from ravenbench.verifiers.neural.training.pairing import calibration_apart
from ravenbench.verifiers.neural.training.weights import arrays, fill


@dataclass(eq=False, repr=False)
class O2D2(Verifier):
    """Probability that two texts share their author, or 0.5 where a detector finds a pair undecidable.

    Sizes published: ``vectors=300, hidden=50, windows=210, epochs=35, learning_rate=6e-4, shortest=100``, on 276,000
    pairs. The defaults are ours, for some thousand documents on a CPU. Ours too: word vectors begin as factorised
    mutual information of the training texts where the original had fastText's; weights are those of the epoch with the
    best log-likelihood of held-out authors' pairs (either class weighing the same); several known documents are
    averaged; the branch that learns topics, which does not shape authorship embeddings, is left out. The constant of
    the Bayes factor is the model's (see ``bayes_factor``).

    Training documents are paired anew every epoch, each once. The detector learns on documents whose authors and, where
    topics are known, topics occur nowhere in training (those the planner marked for calibration, if any).

    It is dear, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): a network and a
    detector are trained anew on every training set.

    Parameters
    ----------
    words, characters : int
        Sizes of the vocabularies.
    vectors, hidden, embedding : int
        Dimensions of word vectors, recurrent units a direction, and dimensions of the embedding.
    windows : int
        Most windows of 30 tokens read of a document.
    shortest : int
        Documents of fewer tokens are not trained on.
    epochs, batch, accumulate, learning_rate, patience
        How the network is trained; ``batch`` counts pairs. Training ends when held-out authors gained nothing for
        ``patience`` epochs (0: never).
    detector_epochs : int
        How long the detector is trained; with 0 there is none and every pair is answered.
    held_out, calibration : float
        Share of authors for early stopping; of topics (or authors) for the detector.
    precision : {"auto", "fp32", "bf16"}
        Of training.
    deterministic : bool
        Use kernels that give the same numbers every time.
    device : str
        auto, cpu, cuda or cuda:NUMBER.
    seed : int
        Decides initial weights, held-out authors and the pairs of every epoch.

    Attributes
    ----------
    weights_, detector_ : dict of str to float32 array
    vocabulary_ : Vocabulary
    apart_ : str
        What training and calibration documents do not share: ``authors and topics`` or ``authors``.
    history_, detector_history_ : list of Epoch

    References
    ----------
    Boenninghoff, Nickel & Kolossa 2021, O2D2: Out-of-distribution detector to capture undecidable trials in
    authorship verification (PAN at CLEF); Boenninghoff, Rupp, Nickel & Kolossa 2020, Deep Bayes factor scoring.
    """

    name = "o2d2"
    _folder: Path | None = field(default=None, init=False)

    words: int = 5000
    characters: int = 300
    vectors: int = 64
    hidden: int = 32
    embedding: int = 60
    windows: int = 40
    shortest: int = 30
    epochs: int = 35
    batch: int = 20
    accumulate: int = 1
    learning_rate: float = 2e-3
    patience: int = 10
    detector_epochs: int = 60
    held_out: float = 0.1
    calibration: float = 0.2
    precision: str = "auto"
    deterministic: bool = True
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Train the network, then the detector.

        Raises
        ------
        SpecError
            If a size or a share is out of range.
        CorpusError
            If too few authors have two documents.
        """
        self._check()
        device = devices.pick(self.device)
        devices.precision(self.precision, device)
        known = written(problems, same)
        documents = [units(problems.texts[row]) for row in known.documents]
        long = np.array([len(d) >= self.shortest for d in documents])
        if (np.bincount(known.author[long], minlength=1) > 1).sum() < 4:
            raise CorpusError(
                "too few authors to train o2d2 on", found=f"{int(long.sum())} documents of {self.shortest} tokens",
                expected="four authors of two such documents", fix="lower shortest, or give it more problems",
            )  # fmt: skip
        learn, hold, self.apart_ = calibration_apart(known.select(long), problems, self.calibration, self.seed)
        place = np.full(len(problems.texts), -1)
        place[known.documents] = np.arange(len(documents))
        learn, held = learn.split(self.held_out, self.seed)
        ours, theirs, others = ([documents[i] for i in place[part.documents]] for part in (learn, held, hold))
        self.vocabulary_ = Vocabulary.of(ours, self.words, self.characters)
        spec = training_spec(self, problems, same)
        self._folder = training_folder(spec)
        reading = read(ours, self.vocabulary_)
        with devices.controlled(self.seed, device, self.deterministic), devices.memory("batch", device):
            network = self._network().to(device)
            begin_words(network, reading)
        held_out = read(theirs, self.vocabulary_, self.windows), held
        self.history_: list[Epoch] = train_network(
            self, network, (reading, learn), held_out, device, spec, self._part("network")
        )
        self.weights_ = arrays(network)
        self.detector_: dict[str, np.ndarray] = {}
        self.detector_history_: list[Epoch] = []
        if self.detector_epochs:
            apart = read(others, self.vocabulary_, self.windows), hold
            detector, self.detector_history_ = train_detector(
                self, network, apart, device, spec, self._part("detector")
            )
            self.detector_ = arrays(detector)
        return self

    def _check(self) -> None:
        least = {"words": 1, "characters": 1, "vectors": 1, "hidden": 1, "embedding": 1, "windows": 1, "batch": 1,
                 "accumulate": 1, "epochs": 0, "detector_epochs": 0}  # fmt: skip
        wrong = [f"{name}={getattr(self, name)}" for name, low in least.items() if getattr(self, name) < low]
        wrong += [f"{n}={getattr(self, n)}" for n in ("held_out", "calibration") if not 0 <= getattr(self, n) < 1]
        if wrong:
            raise SpecError("o2d2 cannot be built so", found=", ".join(wrong), expected="sizes above 0, shares below 1")

    def verify(self, problems: Problems) -> Floats:
        device = devices.pick(self.device)
        network = self._network()
        fill(network, self.weights_)
        network.to(device)
        empty: list[bool] = []

        def encode(texts: list[str]) -> Floats:
            reading = read([units(text) for text in texts], self.vocabulary_, self.windows)
            empty.extend((reading.tokens == 0).tolist())
            return embeddings(network.encoder, reading, device)

        y, known, questioned = distinct(problems, encode)
        p, seen = judged(network, y[known], y[questioned])
        answers = mean_by_problem(p, problems)
        answers[answers == 0.5] = np.nextafter(0.5, 1)
        if self.detector_:
            answers[mean_by_problem(suspicion(self.detector_, seen), problems) >= 0.5] = 0.5
        unread = np.array(empty, dtype=bool)
        answers[mean_by_problem((unread[known] | unread[questioned]).astype(np.float64), problems) > 0] = 0.5
        if self._folder is not None:
            for part in ("network", "detector"):
                checkpoints.forget(self._part(part))
            self._folder = None
        return np.clip(answers, 0.0, 1.0)

    def _sizes(self) -> Sizes:
        vocabulary = self.vocabulary_
        counts = (FIRST + len(vocabulary.words), FIRST + len(vocabulary.characters))
        return Sizes(*counts, self.vectors, self.hidden, self.embedding)

    def _network(self) -> O2D2Network:
        with torch.random.fork_rng(devices=[]):
            return O2D2Network(self._sizes())

    def _part(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder.with_name(f"{self._folder.name}-{name}")

    def figures(self) -> dict[str, bytes]:
        measure = "log-likelihood, held-out authors"
        return {"learning.svg": learning_curve(self.history_, measure)} if self.history_ else {}
