"""O2D2: AdHominem with Bayes factor scoring, uncertainty adaptation and an out-of-distribution detector."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import torch

from ravenbench.errors import CorpusError, SpecError
from ravenbench.randomness import stream
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.base import Verifier, mean_by_problem
from ravenbench.verifiers.neural import checkpoints, devices
from ravenbench.verifiers.neural.adhominem import Sizes
from ravenbench.verifiers.neural.adhominem_embed import embeddings
from ravenbench.verifiers.neural.adhominem_text import FIRST, Reading, Vocabulary, read, units
from ravenbench.verifiers.neural.authors import Written, pairs, written
from ravenbench.verifiers.neural.batching import distinct
from ravenbench.verifiers.neural.curve import learning_curve
from ravenbench.verifiers.neural.folder import training_folder, training_spec
from ravenbench.verifiers.neural.o2d2_network import O2D2Network
from ravenbench.verifiers.neural.o2d2_ood import Detector, detector_batches, detector_loss
from ravenbench.verifiers.neural.pairing import Drawn, calibration_apart, repaired
from ravenbench.verifiers.neural.training import Epoch, Settings, train
from ravenbench.verifiers.neural.word_vectors import word_vectors


class O2D2(Verifier):
    """Probability of the same author, or 0.5 where the detector finds a pair undecidable.

    Sizes published: ``vectors=300, hidden=50, windows=210, epochs=35, learning_rate=6e-4, shortest=100``, on 276,000
    pairs. The defaults are for some thousand documents on a CPU [O]. Ours too: word vectors begin as factorised mutual
    information of the training texts where the original had fastText's; weights are those of the epoch with the best
    log-likelihood of held-out authors' pairs (either class weighing the same); several known documents are averaged;
    the branch that learns topics, which does not shape authorship embeddings, is left out. The constant of the Bayes
    factor is the model's (see ``bayes_factor``).

    Training documents are paired anew every epoch, each once. The detector learns on documents whose authors and, where
    topics are known, topics occur nowhere in training (those the planner marked for calibration, if any).

    Parameters
    ----------
    words, characters : int
        Vocabularies.
    vectors, hidden, embedding : int
        Word vectors; recurrent units a direction; embedding.
    windows : int
        Most windows of 30 tokens read of a document.
    shortest : int
        Tokens; shorter documents are not trained on.
    epochs, batch, accumulate, learning_rate, patience
        Of training; ``batch`` counts pairs. Training ends when held-out authors gained nothing for ``patience`` epochs
        (0: never).
    detector_epochs : int
        0: every pair is answered.
    held_out, calibration : float
        Share of authors for early stopping; of topics (or authors) for the detector.
    precision : {"auto", "fp32", "bf16"}
    deterministic : bool
    device : str
        auto, cpu, cuda or cuda:NUMBER.
    seed : int

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

    name: ClassVar[str] = "o2d2"
    _folder: Path | None = None

    def __init__(
        self,
        words: int = 5000,
        characters: int = 300,
        vectors: int = 64,
        hidden: int = 32,
        embedding: int = 60,
        windows: int = 40,
        shortest: int = 30,
        epochs: int = 35,
        batch: int = 20,
        accumulate: int = 1,
        learning_rate: float = 2e-3,
        patience: int = 10,
        detector_epochs: int = 60,
        held_out: float = 0.1,
        calibration: float = 0.2,
        precision: str = "auto",
        deterministic: bool = True,
        device: str = "auto",
        seed: int = 0,
    ) -> None:
        self.words = words
        self.characters = characters
        self.vectors = vectors
        self.hidden = hidden
        self.embedding = embedding
        self.windows = windows
        self.shortest = shortest
        self.epochs = epochs
        self.batch = batch
        self.accumulate = accumulate
        self.learning_rate = learning_rate
        self.patience = patience
        self.detector_epochs = detector_epochs
        self.held_out = held_out
        self.calibration = calibration
        self.precision = precision
        self.deterministic = deterministic
        self.device = device
        self.seed = seed

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
            vectors = word_vectors([reading.word[_running(w)] for w in reading.windows], self._sizes().words,
                                   self.vectors, FIRST)  # fmt: skip
            network.encoder.words.weight.data.copy_(torch.from_numpy(vectors))
        self._train(network, reading, learn, read(theirs, self.vocabulary_, self.windows), held, device, spec)
        self.weights_ = _arrays(network)
        self._train_detector(network, read(others, self.vocabulary_, self.windows), hold, device, spec)
        return self

    def _check(self) -> None:
        least = {"words": 1, "characters": 1, "vectors": 1, "hidden": 1, "embedding": 1, "windows": 1, "batch": 1,
                 "accumulate": 1, "epochs": 0, "detector_epochs": 0}  # fmt: skip
        wrong = [f"{name}={getattr(self, name)}" for name, low in least.items() if getattr(self, name) < low]
        wrong += [f"{n}={getattr(self, n)}" for n in ("held_out", "calibration") if not 0 <= getattr(self, n) < 1]
        if wrong:
            raise SpecError("o2d2 cannot be built so", found=", ".join(wrong), expected="sizes above 0, shares below 1")

    def _train(
        self,
        network: O2D2Network,
        reading: Reading,
        learn: Written,
        held_reading: Reading,
        held: Written,
        device: torch.device,
        spec: dict[str, object],
    ) -> None:
        a, b, truth = pairs(held)

        def batches(epoch: int) -> list[tuple[Drawn, int]]:
            drawn = repaired(learn, stream(self.seed, "o2d2-pairs", epoch))
            cuts = range(0, len(drawn.same), self.batch)
            return [(drawn.select(np.arange(c, min(c + self.batch, len(drawn.same)))), epoch) for c in cuts]

        def loss(batch: tuple[Drawn, int]) -> torch.Tensor:
            drawn, epoch = batch
            rows = np.concatenate([drawn.a, drawn.b])
            spans = [self._span(reading, int(row), epoch) for row in rows]
            windows = np.concatenate([reading.windows[row][span] for row, span in zip(rows, spans, strict=True)])
            lengths = np.concatenate([reading.lengths[row][span] for row, span in zip(rows, spans, strict=True)])
            types, inverse = np.unique(windows, return_inverse=True)
            parts = (reading.word[types], reading.spelling[types], inverse.reshape(windows.shape))
            word, spelling, index = (torch.from_numpy(part).to(device) for part in parts)
            counts = torch.tensor([span.stop - span.start for span in spans])
            pair = torch.arange(len(drawn.same), device=device).repeat(2)
            y = network.encoder(word, spelling, index, torch.from_numpy(lengths), counts, pair)
            return network.loss(y.float(), torch.from_numpy(drawn.same).to(device))

        def likelihood() -> float:
            y = embeddings(network.encoder, held_reading, device)
            p, _ = judged(network, y[a], y[b])
            found = np.log(np.maximum(np.where(truth, p, 1 - p), 1e-12))
            return float(found[truth].mean() + found[~truth].mean()) / 2

        settings = self._settings(self.epochs, self.learning_rate, 1 / 3, self.patience)
        self.history_: list[Epoch] = train(
            network, batches, loss, settings, device=device, held_out=likelihood if len(a) else None,
            spec={**spec, "part": "network"}, folder=self._part("network"), name="training o2d2",
        )  # fmt: skip

    def _train_detector(
        self, network: O2D2Network, reading: Reading, hold: Written, device: torch.device, spec: dict[str, object]
    ) -> None:
        self.detector_: dict[str, np.ndarray] = {}
        self.detector_history_: list[Epoch] = []
        if not self.detector_epochs:
            return
        y = embeddings(network.encoder, reading, device)
        with devices.controlled(self.seed, device, self.deterministic):
            detector = Detector(2 * self.embedding + 4).to(device)
        batches = detector_batches(hold, lambda drawn: judged(network, y[drawn.a], y[drawn.b]), self.seed)
        self.detector_history_ = train(
            detector, batches, lambda batch: detector_loss(detector, *batch),
            self._settings(self.detector_epochs, 1e-3, 0.7, 0), device=device,
            spec={**spec, "part": "detector"}, folder=self._part("detector"), name="training o2d2's detector",
        )  # fmt: skip
        self.detector_ = _arrays(detector)

    def verify(self, problems: Problems) -> Floats:
        device = devices.pick(self.device)
        network = self._network()
        network.load_state_dict({name: torch.from_numpy(array) for name, array in self.weights_.items()})
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
            answers[mean_by_problem(self._suspicion(seen), problems) >= 0.5] = 0.5
        unread = np.array(empty, dtype=bool)
        answers[mean_by_problem((unread[known] | unread[questioned]).astype(np.float64), problems) > 0] = 0.5
        if self._folder is not None:
            for part in ("network", "detector"):
                checkpoints.forget(self._part(part))
            self._folder = None
        return np.clip(answers, 0.0, 1.0)

    def _suspicion(self, seen: Floats) -> Floats:
        """Probability that a pair is undecidable, (n,)."""
        detector = Detector(2 * self.embedding + 4)
        detector.load_state_dict({name: torch.from_numpy(array) for name, array in self.detector_.items()})
        detector.double().eval()
        with devices.inferring(torch.device("cpu")):
            return np.asarray(torch.sigmoid(detector(torch.from_numpy(seen))).squeeze(1).numpy())

    def _sizes(self) -> Sizes:
        vocabulary = self.vocabulary_
        counts = (FIRST + len(vocabulary.words), FIRST + len(vocabulary.characters))
        return Sizes(*counts, self.vectors, self.hidden, self.embedding)

    def _network(self) -> O2D2Network:
        with torch.random.fork_rng(devices=[]):
            return O2D2Network(self._sizes())

    def _settings(self, epochs: int, rate: float, final: float, patience: int) -> Settings:
        return Settings(
            epochs=epochs, learning_rate=rate, warmup=0.0, final=final, accumulate=self.accumulate, patience=patience,
            clip=5.0, clip_each=True, precision=self.precision, deterministic=self.deterministic, seed=self.seed,
        )  # fmt: skip

    def _span(self, reading: Reading, row: int, epoch: int) -> slice:
        """What is read of a document in an epoch: of one that is too long the beginning, or as often any part."""
        spare = len(reading.windows[row]) - self.windows
        if spare <= 0:
            return slice(0, len(reading.windows[row]))
        rng = stream(self.seed, "o2d2-span", epoch, row)
        start = int(rng.integers(spare + 1)) if rng.random() < 0.5 else 0
        return slice(start, start + self.windows)

    def _part(self, name: str) -> Path:
        assert self._folder is not None
        return self._folder.with_name(f"{self._folder.name}-{name}")

    def figures(self) -> dict[str, bytes]:
        measure = "log-likelihood, held-out authors"
        return {"learning.svg": learning_curve(self.history_, measure)} if self.history_ else {}


def judged(network: O2D2Network, y1: Floats, y2: Floats) -> tuple[Floats, Floats]:
    """``O2D2Network.judged`` of arrays, in double precision on the CPU: symmetric, and free of neighbours."""
    sizes = Sizes(1, 1, 1, 1, y1.shape[1])
    with torch.random.fork_rng(devices=[]):
        head = O2D2Network(sizes)
    own = {name: value for name, value in network.state_dict().items() if not name.startswith("encoder.")}
    head.load_state_dict(own, strict=False)
    head.double().eval()
    with devices.inferring(torch.device("cpu")):
        p, seen = head.judged(torch.from_numpy(y1), torch.from_numpy(y2))
    return np.asarray(p.numpy()), np.asarray(seen.numpy())


def _running(windows: np.ndarray) -> np.ndarray:
    """Types of a document in order, overlaps once."""
    flat = np.concatenate([windows[:-1, :26].ravel(), windows[-1]])
    return np.asarray(flat[flat > 0])


def _arrays(module: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: value.detach().float().cpu().numpy() for name, value in module.state_dict().items()}
