"""Known truth of exposure: a small model is trained here on one half of a corpus, and must be seen to have read that
half and no other: ``python -m benchmarks.study_exposure [--epochs 8] [--texts 40]``.

The model begins with random weights and reads every character by a byte-level vocabulary. Three comparisons follow: the
half that it has read with texts of neither half; the half that it has not read with the same; and the first before any
training.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from ravenbench.corpora.load import load_corpus
from ravenbench.ext.encoders import causal
from ravenbench.ext.machine.exposure import Side, by_likelihood
from ravenbench.randomness import stream

END = "<|endoftext|>"


def tiny(texts: list[str], folder: Path, width: int) -> causal.CausalLM:
    """A model of two layers with random weights, and a vocabulary learned from texts that no comparison uses."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(vocab_size=1000, special_tokens=[END], initial_alphabet=alphabet, show_progress=False),
    )
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END).save_pretrained(folder)
    sizes = {"n_embd": width, "n_layer": 2, "n_head": 4, "n_positions": 256}
    config = transformers.GPT2Config(vocab_size=tokenizer.get_vocab_size(), bos_token_id=0, eos_token_id=0, **sizes)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return causal.open_model(str(folder), "cpu")


def main() -> None:
    """Train, compare, print a table in Markdown."""
    from ravenbench.ext.shelf.neural.causal import trained

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", default="newsgroups")
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--width", type=int, default=64)
    given = parser.parse_args()
    corpus = load_corpus(given.corpus)
    long = [row for row in range(len(corpus)) if 120 <= len(corpus.texts[row].split()) <= 600]
    drawn = stream(0, "exposure").choice(long, 4 * given.texts, replace=False)
    read, unread, reference, other = (
        Side([corpus.texts[int(row)] for row in part], [corpus.author[int(row)] for row in part])
        for part in np.split(drawn, 4)
    )
    with tempfile.TemporaryDirectory() as folder:
        before = tiny(list(other.texts), Path(folder), given.width)
        ids = [before.tokens(text)[0][:255].tolist() for text in read.texts]
        network = trained(before.network, [[before.start, *one] for one in ids], given.epochs, 2e-3, 0)
        after = causal.CausalLM(network, before.tokenizer)
        print("| model | texts | part | AUC | 95 % |\n| --- | --- | --- | --- | --- |")
        for model, name, texts, lm in [("trained", "read", read, after), ("trained", "not read", unread, after),
                                       ("untrained", "the same half", read, before)]:  # fmt: skip
            for row in by_likelihood(lm, texts, reference):
                low, high = row.interval or (0.0, 1.0)
                print(f"| {model} | {name} | {row.part} | {row.auc:.3f} | {low:.3f} to {high:.3f} |")


if __name__ == "__main__":
    main()
