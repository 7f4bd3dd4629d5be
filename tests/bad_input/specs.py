"""Malformed spec files, component strings, options and folders of runs."""

from __future__ import annotations

from bad_input.cases import Case

NESTED = "char-ngram(" * 2000 + ")" * 2000

SPECS = [
    Case("a spec that is not there", "spec", "run.toml: cannot be read: No such file or directory", {}, "run.toml"),
    Case("a spec that is no TOML", "spec", "run.toml: not valid TOML", {"run.toml": "[run\n"}),
    Case("a spec in Latin-1", "spec", "run.toml: not valid TOML", {"run.toml": b'[run]\ncorpus = "\xfc"\n'}),
    Case("a spec with a NUL", "spec", "run.toml: not valid TOML", {"run.toml": b'[run]\ncorpus = "\0"\n'}),
    Case("an unknown table", "spec", "run.toml: unknown table [rum]", {"run.toml": "[rum]\n"}),
    Case("run as a value", "spec", "run.toml: run is not a table", {"run.toml": "run = 1\n"}),
    Case("an unknown key", "spec", "run.toml: unknown key 'verifier'", {"run.toml": "[run]\nverifier = 'ppm'\n"}),
    Case(
        "a number of folds that is a word",
        "spec",
        "run.toml: folds: expected a whole number",
        {"run.toml": "[run]\nfolds = 'many'\n"},
    ),
    Case("no folds", "spec", "run.toml: folds: expected a whole number >= 2", {"run.toml": "[run]\nfolds = 0\n"}),
    Case(
        "a share beyond all",
        "spec",
        "run.toml: pool_share: expected a number <= 1.0",
        {"run.toml": "[run]\npool_share = 7\n"},
    ),
    Case(
        "a seed that is a fraction",
        "spec",
        "run.toml: seed: expected a whole number",
        {"run.toml": "[run]\nseed = 1.5\n"},
    ),
    Case("a probe that is none", "spec", "run.toml: probe: there is no 'all'", {"run.toml": "[run]\nprobe = 'all'\n"}),
    Case(
        "topics that are words",
        "spec",
        "run.toml: topics: whole numbers are expected, each once",
        {"run.toml": "[run]\ntopics = 'ten,five'\n"},
    ),
    Case(
        "training problems without test problems",
        "spec",
        "--train and --test belong together and replace CORPUS",
        {"run.toml": "[run]\ntrain = 'a'\n"},
    ),
    Case("a key twice", "spec", "run.toml: not valid TOML", {"run.toml": "[run]\nseed = 1\nseed = 2\n"}),
    Case(
        "arrays nested too deep",
        "spec",
        "run.toml: tables or lists are nested too deep to be read",
        {"run.toml": "[run]\nseed = " + "[" * 20000 + "]" * 20000},
    ),
    Case(
        "an alias that is a list",
        "spec",
        "run.toml: [verifiers.mine] must hold one key 'is', or 'command' with its options",
        {"run.toml": "[verifiers.mine]\nis = ['ppm']\n"},
    ),
    Case(
        "an outside command with a misspelt option",
        "spec",
        "run.toml: [verifiers.mine]: command has no parameter 'timout'",
        {"run.toml": "[verifiers.mine]\ncommand = 'true'\ntimout = 1\n"},
    ),
]

COMPONENTS = [
    Case("a misspelt verifier", "verifier", "there is no verifier named 'char-ngramm'", None, "char-ngramm"),
    Case("an unknown verifier", "verifier", "there is no verifier named 'xyzzy'", None, "xyzzy"),
    Case("nothing", "verifier", "'' is not a verifier", None, ""),
    Case("an open bracket", "verifier", "'char-ngram(n=3' is not a verifier", None, "char-ngram(n=3"),
    Case("a bracket too many", "verifier", "'n=3)' has an unclosed bracket or quote", None, "char-ngram(n=3))"),
    Case("an unknown parameter", "verifier", "char-ngram has no parameter 'm'", None, "char-ngram(m=3)"),
    Case("a parameter twice", "verifier", "char-ngram is given 'n' twice", None, "char-ngram(n=3, n=4)"),
    Case(
        "a parameter that is code",
        "verifier",
        "is neither a number nor text in quotes, and no component has this name",
        None,
        "char-ngram(n=__import__('os').getpid())",
    ),
    Case(
        "a parameter that is a sum",
        "verifier",
        "'1+2' is neither a Python literal nor a component",
        None,
        "char-ngram(n=1+2)",
    ),
    Case("a quote that never ends", "verifier", '"command(\'true" is not a verifier', None, "command('true"),
    Case(
        "a module that is not there",
        "verifier",
        "verifier 'nowhere.at_all:Mine': no module 'nowhere'",
        None,
        "nowhere.at_all:Mine",
    ),
    Case(
        "a class that is not there",
        "verifier",
        "json holds no verifier: it is a part of Python, or a program",
        None,
        "json:Mine",
    ),
    Case(
        "a program instead of a verifier",
        "verifier",
        "subprocess holds no verifier: it is a part of Python, or a program",
        None,
        "subprocess:Popen(['true'])",
    ),
    Case("a sampler instead of a verifier", "verifier", "there is no verifier named 'hits'", None, "hits"),
    Case("brackets nested too deep", "verifier", "brackets are nested too deep", None, NESTED),
    Case("half a character", "verifier", "this text cannot be written as UTF-8", None, "command('\ud800')"),
    Case("a control character in a name", "verifier", "'ppm\\x1b[31m' is not a verifier", None, "ppm\x1b[31m"),
    Case(
        "a calibrator for a verifier", "verifier", "there is no verifier named 'band'", None, "calibrated(band, band)"
    ),
    Case("a misspelt encoder", "encoder", "there is no encoder named 'lsaa'", None, "lsaa"),
    Case("a misspelt sampler", "sampler", "there is no sampler named 'hitz'", None, "hitz"),
    Case("a misspelt obfuscator", "obfuscator", "there is no obfuscator named 'ravenhide'", None, "ravenhide"),
    Case(
        "a misspelt method of attribution", "attributor", "there is no attributor named 'char-svmm'", None, "char-svmm"
    ),
    Case("a misspelt corpus", "corpus", "there is no corpus named 'newsgrups'", None, "newsgrups"),
]

STORES = [
    Case("a folder that is no run", "store", "run: not a run folder", {"run/notes.txt": "x"}, "run"),
    Case("a folder that is not there", "store", "run: not a run folder", {}, "run"),
    Case("an empty run.json", "store", "run/run.json: this file of a run is damaged", {"run/run.json": ""}, "run"),
    Case(
        "run.json that is no JSON", "store", "run/run.json: this file of a run is damaged", {"run/run.json": "{"}, "run"
    ),
    Case(
        "run.json that is a list", "store", "run/run.json: this file of a run is damaged", {"run/run.json": "[]"}, "run"
    ),
    Case(
        "run.json of another program",
        "store",
        "run/run.json: this file of a run is damaged",
        {"run/run.json": '{"name": "x"}'},
        "run",
    ),
    Case(
        "run.json of the first format",
        "store",
        "run/run.json: this folder was written by another version of Raven",
        {"run/run.json": '{"spec": {}}'},
        "run",
    ),
    Case(
        "run.json of a format to come",
        "store",
        "run/run.json: this folder was written by another version of Raven",
        {"run/run.json": '{"format": 99, "kind": "run", "sha256": "", "record": {}}'},
        "run",
    ),
    Case(
        "run.json of an unknown task",
        "store",
        "run/run.json: this file of a run is damaged",
        {"run/run.json": '{"format": 3, "kind": "walk", "sha256": "", "record": {}}'},
        "run",
    ),
    Case(
        "run.json whose hash is wrong",
        "store",
        "run/run.json: this file of a run is damaged",
        {"run/run.json": '{"format": 3, "kind": "run", "sha256": "00", "record": {}}'},
        "run",
    ),
    Case(
        "run.json nested too deep",
        "store",
        "run/run.json: this file of a run is damaged",
        {"run/run.json": "[" * 200_000},
        "run",
    ),
    Case(
        "run.json with bytes that are no UTF-8",
        "store",
        "run/run.json: this file of a run is damaged",
        {"run/run.json": b'{"format": "\xff"}'},
        "run",
    ),
    Case(
        "a run that was never planned",
        "store",
        "run: this run was interrupted before it was planned",
        {"run/run.json": "HEAD"},
        "run",
    ),
    Case(
        "a table of texts cut short",
        "texts",
        "t: not a readable text table",
        {"t/texts.bin": "x", "t/offsets.npy": b"", "t/hashes.npy": b""},
        "t",
    ),
    Case(
        "a table of texts that is pickled",
        "texts",
        "t: not a readable text table",
        {"t/texts.bin": "x", "t/offsets.npy": b"\x80\x04.", "t/hashes.npy": b"\x80\x04."},
        "t",
    ),
]
