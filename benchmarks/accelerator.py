"""What a GPU gains, beside the CPU in the same run and beside the plain libraries.

    python -m benchmarks.accelerator --models FOLDER --texts FILE --random-weights

Parts, in this order: training and encoding by ``luar`` at its published size; sentence encoders;
``luar`` trained on texts of some authors and asked about others. A throughput is what was
done until the work or a measure's seconds were over, after a round that is not measured. Every row is written as it
comes; what is missing, fails or is not reached is a row too. Without a GPU everything runs on the CPU alone. Nothing is
downloaded.

``--models`` has a folder for each model that is there, by the names below. Others are built in their published sizes
with random weights and a made tokenizer (``--random-weights``): neither throughput nor memory depends on them.
``--texts`` is a file of lines {"source", "author", "topic", "text"} (.jsonl, .jsonl.gz).
"""

from __future__ import annotations

import argparse
import gzip
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
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

_LAYERS, _WIDTH, _HEADS, _INNER = (
    "num_hidden_layers",
    "hidden_size",
    "num_attention_heads",
    "intermediate_size",
)
_WORDS, _LONGEST = "vocab_size", "max_position_embeddings"
_MINI = {_WIDTH: 384, _HEADS: 12, _INNER: 1536, _LONGEST: 512}
_ROBERTA = {
    _WORDS: 50265,
    _LAYERS: 6,
    _WIDTH: 768,
    _HEADS: 12,
    _INNER: 3072,
    _LONGEST: 514,
    "type_vocab_size": 1,
}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "distilroberta": ("roberta", _ROBERTA),
    "all-minilm": ("bert", {**_MINI, _WORDS: 30522, _LAYERS: 6}),
    "e5-small": ("bert", {**_MINI, _WORDS: 250037, _LAYERS: 12}),
}
"""Architecture and sizes of DistilRoBERTa, all-MiniLM-L6-v2 and multilingual-e5-small."""
_TINY = {_LAYERS: 1, _WIDTH: 24, _INNER: 48, _HEADS: 3, _WORDS: 2000}
SHARES = {"training": 0.27, "encoders": 0.27, "authors": 1.0}
"""Most of all the seconds that a part may take; the last one has what is left."""
FOLDS, RATE = 3, 1e-4

Row = dict[str, Any]


class TimeUp(Exception):
    """A part's time is over."""


class Bench:
    """Options, models, texts, and the rows so far."""

    def __init__(self, options: argparse.Namespace, scratch: Path) -> None:
        import torch

        self.options, self.scratch, self.tiny = options, scratch, options.tiny
        self.began, self.ends, self.part = time.monotonic(), 0.0, ""
        self.rows: list[Row] = []
        self.cuda, self.threads = torch.cuda.is_available(), torch.get_num_threads()
        self.devices = ["cuda", "cpu"] if self.cuda else ["cpu"]
        self.lines = read_lines(options.texts) if options.texts else []
        docs = sorted((Path(__file__).parents[1] / "docs").glob("*.md"))
        pool = [line["text"] for line in self.lines] or [page.read_text("utf-8") for page in docs]
        self.words = np.array(" ".join(pool).split())

    def texts(self, count: int, words: int, seed: int = 0) -> list[str]:
        """Runs of words of the texts, each from a place of its own."""
        starts = np.random.default_rng([seed, words]).integers(0, len(self.words) - words, count)
        return [" ".join(self.words[start : start + words]) for start in starts.tolist()]

    def model(self, name: str) -> tuple[Path, str]:
        """A model's folder, and a remark where its weights are random. LookupError where there is none."""
        given = self.options.models / name if self.options.models else None
        if given and given.is_dir() and not self.tiny:
            return given, ""
        if not self.options.random_weights:
            raise LookupError(f"{name} is not here (--models FOLDER, or --random-weights)")
        if not (self.scratch / name).exists():
            self._made(name, self.scratch / name)
        return self.scratch / name, "; random weights, made tokenizer"

    def _made(self, name: str, folder: Path) -> None:
        import torch
        from tokenizers import Tokenizer
        from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

        from ravenbench.ext.shelf.neural.backbones import learned_reading

        kind, sizes = MODELS[name]
        sizes = {
            **sizes,
            **(_TINY if self.tiny else {}),
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
        }
        reading = learned_reading(
            self.texts(40 if self.tiny else 2000, 350), 1000 if self.tiny else 8000
        )
        marks = {
            "pad_token": "[PAD]",
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "bos_token": "[CLS]",
        }
        made = Tokenizer.from_str(reading.tokenizer)
        PreTrainedTokenizerFast(
            tokenizer_object=made, model_max_length=512, **marks
        ).save_pretrained(folder)
        torch.manual_seed(0)
        AutoModel.from_config(AutoConfig.for_model(kind, **sizes)).float().save_pretrained(folder)

    def add(self, row: Row) -> None:
        """Keep a row, in the file too, and show it."""
        self.rows.append({"part": self.part, **row})
        waiting = self.options.out.with_suffix(".part")
        waiting.write_text(
            json.dumps({"machine": self.machine(), "rows": self.rows}, indent=1) + "\n", "utf-8"
        )
        waiting.replace(self.options.out)
        print(f"{time.monotonic() - self.began:5.0f} s  {shown(self.rows[-1])}", flush=True)

    def machine(self) -> Row:
        """Card, driver and versions."""
        import torch
        import transformers

        versions = {"torch": torch.__version__, "transformers": transformers.__version__}
        found = {
            "card": "no GPU",
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            **versions,
        }
        if self.cuda:
            found |= {"card": torch.cuda.get_device_name(), "cuda": torch.version.cuda}
        if self.cuda and (program := shutil.which("nvidia-smi")):
            command = [program, "--query-gpu=driver_version", "--format=csv,noheader"]
            found["driver"] = subprocess.run(
                command, capture_output=True, text=True, check=False
            ).stdout.strip()
        return found

    def measure(
        self,
        what: str,
        who: str,
        device: str,
        work: Callable[[], Row],
        threads: int = 1,
        **known: Any,
    ) -> None:
        """Add what ``work`` measures, or how it failed."""
        import torch

        head = {"what": what, "who": who, "device": device, "threads": threads, **known}
        try:
            if device == "cuda":
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            found = work()
            resident = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            peak = torch.cuda.max_memory_allocated() if device == "cuda" else resident
            self.add({**head, **found, "peak_mb": round(peak / 2**20)})
        except TimeUp:
            self.add({**head, "failed": "cut, the part's time is over"})
            raise
        except Exception as error:
            traceback.print_exc()
            self.add({**head, "failed": f"{type(error).__name__}: {error}"[:300]})

    def rate(
        self,
        work: Callable[[Any], Any],
        blocks: Sequence[Any],
        unit: str,
        seconds: float,
        size: Any = len,
    ) -> Row:
        """Throughput over blocks after the first, which is not measured; ``size`` counts the units of a block."""
        work(blocks[0])
        self._wait()
        count, began = 0, time.perf_counter()
        for block in blocks[1:]:
            work(block)
            self._wait()
            count += size(block)
            if time.perf_counter() - began > (0.3 if self.tiny else seconds):
                break
        return throughput(count, time.perf_counter() - began, unit)

    def _wait(self) -> None:
        import torch

        if self.cuda:
            torch.cuda.synchronize()


def throughput(count: int, seconds: float, unit: str) -> Row:
    """What a measure gives."""
    return {"count": count, "unit": unit, "seconds": seconds, "rate": count / seconds}


def read_lines(file: Path) -> list[dict[str, str]]:
    """Texts with source, author and topic."""
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return [json.loads(line) for line in data.decode("utf-8").split("\n") if line]


def blocks_of(texts: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """Texts, so many at a time."""
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def training(bench: Bench) -> None:
    """Steps and encodings of ``luar`` on DistilRoBERTa."""
    for device in bench.devices:
        for precision in ("bf16", "fp32") if device == "cuda" or bench.tiny else ("fp32",):
            _luar(
                bench,
                device,
                precision,
                *((64, 8) if device == "cuda" and not bench.tiny else (2, 1)),
            )


def _luar(bench: Bench, device: str, precision: str, authors: int, steps: int) -> None:
    import torch

    from ravenbench.ext.encoders import devices
    from ravenbench.ext.shelf.neural import backbones, luar
    from ravenbench.ext.shelf.neural.training import Written

    (folder, remark), place = bench.model("distilroberta"), devices.pick(device)
    backbone = backbones.pretrained(str(folder), None, 32)
    reading = backbone.reading
    recipe: Row = {
        "batch": authors,
        "epochs": 3,
        "held_out": 0.0,
        "learning_rate": 2e-5,
        "device": device,
    }
    model = luar.Luar(backbone.module, backbone.hidden, 512).to(place)
    count = 2 * authors * steps
    texts = bench.texts(count, 350)
    known = Written(np.arange(count), np.arange(count) // 2)
    cut = [luar.tiles(text, 32, reading.before, reading.after) for text in reading.encode(texts)]
    drawn = luar.DrawnEpisodes(cut, known, authors=authors, pieces=16, seed=0).epoch(2)
    tokens = sum(len(piece) for episodes, _ in drawn for episode in episodes for piece in episode)
    same = {
        "size": f"{2 * authors} texts a step, 16 pieces of 32 tokens{remark}",
        "precision": precision,
    }

    def ours(**given: Any) -> Row:
        options = luar.LUAR(**recipe, precision=precision, **given)
        options.reading_ = reading
        history = luar.train_network(options, model, known, texts, place, {}, None)  # type: ignore[arg-type]
        return throughput(tokens, history[-1].seconds, "tokens")

    def plain() -> Row:
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
        ids = torch.randint(3, 900, (2 * authors * 16, 32), device=place)
        partner = torch.arange(2 * authors, device=place) ^ 1
        itself = torch.eye(2 * authors, dtype=torch.bool, device=place)

        def step(_: int) -> None:
            with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
                states = model.transformer(
                    input_ids=ids, attention_mask=torch.ones_like(ids)
                ).last_hidden_state
                vectors = model.linear(states.mean(1).unflatten(0, (2 * authors, 16)).amax(1))
            z = torch.nn.functional.normalize(vectors.float(), dim=1)
            torch.nn.functional.cross_entropy(
                (z @ z.T / 0.1).masked_fill(itself, -torch.inf), partner
            ).backward()
            optimizer.step()
            optimizer.zero_grad()

        model.train()
        return bench.rate(step, range(1 + steps), "tokens", 10, lambda _: ids.numel())

    bench.measure("luar, training", "raven", device, ours, **same)
    for given in (
        ({"chunk": authors}, {"deterministic": False}) if device == "cuda" or bench.tiny else ()
    ):
        (name, value), *_ = given.items()
        bench.measure(f"luar, {name}={int(value)}", "raven", device, partial(ours, **given), **same)
    bench.measure("luar, training", "transformers", device, plain, bench.threads, **same)
    if precision == "bf16":
        return
    model.eval()
    texts = bench.texts(2048 if device == "cuda" else 12, 350, seed=1)
    blocks, same["size"] = blocks_of(texts, max(2, len(texts) // 8)), f"texts of 350 words{remark}"

    def plainly(block: list[str]) -> None:
        pieces = [
            luar.tiles(text, 32, reading.before, reading.after) for text in reading.encode(block)
        ]
        batch = luar.stacked(pieces, 32, reading.pad, place)
        with torch.inference_mode():
            for ids, mask in zip(batch.ids.split(2048), batch.mask.split(2048), strict=True):
                model.transformer(input_ids=ids, attention_mask=mask.long()).last_hidden_state.mean(
                    1
                ).cpu()

    encode = partial(luar.embeddings, model, reading, piece=32, tokens=luar.TOKENS[place.type])
    for who, work, threads in (("raven", encode, 1), ("transformers", plainly, bench.threads)):
        measured = partial(bench.rate, work, blocks, "texts", 8)
        bench.measure("luar, encoding", who, device, measured, threads, **same)


WAYS = (
    ("raven", "fp32"),
    ("sentence-transformers", "fp32"),
    ("raven", "bf16"),
    ("sentence-transformers", "bf16"),
)


def encoders(bench: Bench) -> None:
    """Sentence encoders over 100,000 texts that one window holds."""
    texts = bench.texts(60 if bench.tiny else 100_000, 120, seed=2)
    for name, seconds in (("all-minilm", 14), ("e5-small", 7)):
        first: list[Any] = []
        for device, way in ((device, way) for device in bench.devices for way in WAYS):
            if (device, way[1]) != ("cpu", "bf16"):
                _encoder(
                    bench, name, device, *way, texts, seconds if device == "cuda" else 6, first
                )


def _encoder(
    bench: Bench,
    name: str,
    device: str,
    who: str,
    precision: str,
    texts: list[str],
    seconds: float,
    first: list[Any],
) -> None:
    """One way of encoding; ``first`` collects vectors, and says how far they are from the first way's."""
    from ravenbench.ext.encoders.pretrained import load_sentences
    from ravenbench.ext.encoders.sentences import Reading, _network, _windows, digest

    folder, remark = bench.model(name)
    half, batch = precision == "bf16", 4096 if device == "cpu" else 8192
    blocks = (
        [texts[:32], *blocks_of(texts, 4096)]
        if batch == 8192 and not bench.tiny
        else blocks_of(texts[:4096], 16)
    )

    def work() -> Row:
        _network.cache_clear()
        if who == "raven":
            network = _network(folder, digest(folder), device, False, half)
            encode: Any = partial(
                _windows, network, read=Reading(device, threads=None), batch=batch
            )
        else:
            model = load_sentences(folder, device).float()
            encode = partial(
                (model.bfloat16() if half else model).encode,
                batch_size=256,
                show_progress_bar=False,
            )
        vectors = np.asarray(encode(texts[:32]), dtype=np.float64)
        first.append(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        apart = float(1 - (first[0] * first[-1]).sum(1).min())
        return {**bench.rate(encode, blocks, "texts", seconds), "cosine_apart": apart}

    bench.measure(
        name,
        who,
        device,
        work,
        bench.threads,
        size=f"texts of 120 words{remark}",
        precision=precision,
    )


def authors(bench: Bench) -> None:
    """AUC on authors not trained on; the epoch that is kept is chosen by authors held out of a fold's own training."""
    from ravenbench import registry
    from ravenbench.ext.shelf.neural.luar import LUAR
    from ravenbench.statistics.estimates import mean_auc, within
    from ravenbench.texts import TextTable
    from ravenbench.types import Labels, Problems

    if not bench.lines:
        raise LookupError("texts of several authors (--texts FILE)")
    folder = (
        bench.options.models / "all-minilm" if bench.options.models and not bench.tiny else None
    )
    folder = folder if folder and folder.is_dir() else None
    begin: Row = (
        {"model": str(folder)} if folder else {"layers": 1, "hidden": 32} if bench.tiny else {}
    )
    table, rows = TextTable.collect(line["text"] for line in bench.lines)
    lines = [bench.lines[i] for i in np.unique(rows, return_index=True)[1]]
    source, author, topic = (
        Labels.of(line[key] for line in lines) for key in ("source", "author", "topic")
    )
    fold, device, results = dealt(source, author, topic), bench.devices[0], {}

    def learned(number: int) -> tuple[Any, Any]:
        mine = np.flatnonzero(fold[author.codes] != number)
        other = np.roll(mine, 1)
        problems = Problems.pairs(table, mine, other, author=author, topic=topic)
        return problems, author.codes[mine] == author.codes[other]

    def judged(method: str, scorer: Any, number: int) -> Row:
        found: Row = {}
        for place, name in enumerate(source.names):
            a, b = asked(
                np.flatnonzero((source.codes == place) & (fold[author.codes] == number)),
                author,
                topic,
            )
            same, sides = author.codes[a] == author.codes[b], author.codes[np.stack([a, b], axis=1)]
            if same.all() or not same.any():
                continue
            answer = getattr(scorer, "score", None) or scorer.verify
            scores = answer(Problems.pairs(table, a, b).blind())
            parts = results.setdefault((method, name), [])
            parts.append((same, scores, sides, a * len(table) + b))
            estimate = within(mean_auc(parts), 0, 1)
            counts = {"folds": len(parts), "pairs": sum(len(part[0]) for part in parts)}
            people = len(np.unique(np.concatenate([part[2].ravel() for part in parts])))
            found[name] = {
                "auc": estimate.value,
                "interval": estimate.interval,
                "authors": people,
                **counts,
            }
        return {"auc": found}

    def luar(number: int, epochs: int) -> Any:
        recipe: Row = {"epochs": epochs, "held_out": 0.2, "patience": 0, "device": device}
        recipe |= {"learning_rate": RATE} if folder else {}
        return LUAR(**begin, **recipe).fit(*learned(number))

    def measured(name: str, train: Callable[[int, int], Any], ends: float, most: int) -> None:
        """Train for as many epochs as were asked for, else as the time allows, on each fold, and judge."""
        began = time.monotonic()
        epoch = train(0, 2).history_[-1].seconds  # the first one compiles and fills caches
        outside = time.monotonic() - began - 2 * epoch
        # A third of the time that is left is for scores and what is slower than this epoch; what comes around an epoch,
        # as its checkpoint, comes around each, in part.
        each = 2 / 3 * (ends - time.monotonic()) / FOLDS - outside
        epochs = 1 if bench.tiny else int(np.clip(each / (epoch + outside / 4), 1, most))
        epochs = bench.options.epochs or epochs
        name = f"{name}, {epochs} epochs"

        def ours(number: int) -> Row:
            fitted = train(number, epochs)
            history = [(one.loss, one.held_out, one.seconds) for one in fitted.history_]
            return {**judged(name, fitted, number), "history": history}

        for number in range(FOLDS):
            bench.measure(name, "raven", device, partial(ours, number))

    def theirs(method: str, number: int) -> Row:
        if method == "luar, untrained":
            return judged(
                method, LUAR(**begin, epochs=0, device=device).fit(*learned(number)), number
            )
        verifier = registry.parse_list("verifier", method.replace("all-minilm", repr(str(folder))))[
            0
        ]
        return judged(method, getattr(verifier, "scorer", verifier).fit(*learned(number)), number)

    for what in (
        "luar, untrained",
        *(["encoder(model=all-minilm)"] if folder else []),
        "char-ngram",
    ):
        for number in range(FOLDS):
            bench.measure(what, "raven", device, partial(theirs, what, number))
    measured(f"luar from {'all-minilm' if folder else 'a small network'}", luar, bench.ends - 5, 20)


def dealt(source: Any, author: Any, topic: Any) -> Any:
    """A fold for each author: those of several topics, and those of one, are dealt out apart in every source."""
    fold, kinds = np.zeros(len(author.names), dtype=np.int64), {}
    for code in range(len(author.names)):
        rows = np.flatnonzero(author.codes == code)
        kinds.setdefault((source.codes[rows[0]], len(set(topic.codes[rows])) > 1), []).append(code)
    for members in kinds.values():
        fold[np.random.default_rng(0).permutation(members)] = np.arange(len(members)) % FOLDS
    return fold


def asked(rows: Any, author: Any, topic: Any) -> tuple[Any, Any]:
    """Pairs of rows of two topics: up to 150 of one author, up to 20 of two, and of two at most 10,000 in all."""
    rng, one, two = (
        np.random.default_rng(1),
        [np.zeros(0, dtype=np.int64)],
        [np.zeros(0, dtype=np.int64)],
    )
    a, b = (side.ravel() for side in np.meshgrid(rows, rows, indexing="ij"))
    free = (a < b) & (topic.codes[a] != topic.codes[b])
    a, b = a[free], b[free]
    left, right = np.sort(author.codes[np.stack([a, b])], axis=0)
    key = left * len(author.names) + right
    order = np.argsort(key, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(key[order])) + 1) if len(key) else ():
        same = left[places[0]] == right[places[0]]
        (one if same else two).append(rng.permutation(places)[: 150 if same else 20])
    others = np.concatenate(two)
    others = others if len(others) <= 10_000 else np.sort(rng.choice(others, 10_000, replace=False))
    chosen = np.concatenate([*one, others])
    return a[chosen], b[chosen]


def shown(row: Row) -> str:
    """A row in a line, or one for each source."""
    for state in ("missing", "failed", "not reached"):
        if state in row:
            return f"{row['what']} ({row.get('who', '')} {row.get('device', '')}): {state}: {row[state]}"[
                :70
            ]
    if "auc" in row:
        return "\n".join(
            [row["what"], *(f"    {name:<8} {figure(one)}" for name, one in row["auc"].items())]
        )
    rate, place = (
        row["rate"],
        row["device"] + (f" ×{row['threads']}" if row["device"] == "cpu" else ""),
    )
    rate = (
        f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"
    )
    named = f"{row['what']:<21} {row['who']:<21} {place:<7} {row['precision']}"
    return f"{named} {rate + ' ' + row['unit'] + '/s':>16} {row['peak_mb'] / 1024:5.1f}"


def figure(one: Row) -> str:
    """An AUC with its interval over authors."""
    around = "[{:.3f}, {:.3f}]".format(*one["interval"]) if one["interval"] else ""
    return f"{one['auc']:.3f} {around} {one['folds']} folds, {one['authors']} authors, {one['pairs']} pairs"


def table(bench: Bench) -> str:
    """What was measured, within 80 columns."""
    lines = textwrap.wrap(
        ", ".join(f"{name} {value}" for name, value in bench.machine().items()), 79
    )
    lines += ["", f"{'what':<21} {'by':<21} {'on':<12} {'throughput':>16} {'GiB':>5}"]
    rated = [row for row in bench.rows if "rate" in row]
    lines += [*map(shown, rated), ""]
    for what, size in dict.fromkeys((row["what"], row["size"]) for row in rated):
        lines += textwrap.wrap(f"{what}: {size}", 79, subsequent_indent="    ")
    lines += ["", "AUC on authors not trained on: mean of folds, 95 % interval over authors"]
    last = {
        (row["what"], row.get("device"), row.get("who")): shown(row)
        for row in bench.rows
        if "rate" not in row
    }
    return "\n".join([*lines, *last.values()])


PARTS = {"training": training, "encoders": encoders, "authors": authors}


def run(bench: Bench, name: str, seconds: float) -> None:
    """A part, within its time; what stops it is a row."""

    def ring(*_: Any) -> None:
        raise TimeUp

    bench.part, bench.ends = name, time.monotonic() + seconds
    try:
        if seconds < 5:
            raise TimeUp
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        PARTS[name](bench)
    except TimeUp:
        bench.add({"what": name, "not reached": "what is left of this part; its time is over"})
    except (LookupError, ModuleNotFoundError) as error:
        bench.add({"what": name, "missing": str(error)})
    except Exception as error:
        traceback.print_exc()
        bench.add({"what": name, "failed": f"{type(error).__name__}: {error}"[:300]})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def install(folder: Path, target: Path) -> None:
    """Lay wheels out in a folder of this run alone, and put that on the path."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-index",
        "--no-deps",
        "--target",
        str(target),
    ]
    done = subprocess.run([*command, *sorted(map(str, folder.glob("*.whl")))], check=False)
    print(
        "wheels laid out" if done.returncode == 0 else "the wheels could not be laid out",
        flush=True,
    )
    sys.path.insert(0, str(target))


def main(given: Sequence[str] | None = None) -> None:
    """Run the parts and print the table."""
    began = time.monotonic()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="all if none is named")
    parser.add_argument(
        "--models", type=Path, metavar="FOLDER", help="with a folder for each model that is there"
    )
    parser.add_argument(
        "--random-weights", action="store_true", help="build the models that are not"
    )
    parser.add_argument(
        "--texts", type=Path, metavar="FILE", help="lines of source, author, topic and text"
    )
    parser.add_argument(
        "--wheels", type=Path, metavar="FOLDER", help="packages to use that are not installed"
    )
    parser.add_argument("--limit", type=float, default=480, help="seconds in all")
    parser.add_argument(
        "--epochs", type=int, help="of the last part; by default what its time allows"
    )
    parser.add_argument(
        "--tiny", action="store_true", help="small sizes and random weights, to try it out"
    )
    parser.add_argument("--out", type=Path, default=Path("accelerator.json"))
    options = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as scratch:
        if options.wheels:
            install(options.wheels, Path(scratch) / "wheels")
        os.environ |= {"RAVEN_CACHE": f"{scratch}/cache", "HF_HUB_OFFLINE": "1"}
        bench = Bench(options, Path(scratch))
        for name in options.parts or PARTS:
            run(
                bench,
                name,
                min(options.limit * SHARES[name], options.limit - (time.monotonic() - began)),
            )
        print("\n" + table(bench))


if __name__ == "__main__":
    main()
