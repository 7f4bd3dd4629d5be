"""Resume is exact, checkpoints refuse what is not theirs, batches keep neighbours apart."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ravenbench.errors import CorpusError, FormatError, InputError, SpecError

pytestmark = pytest.mark.extra


@pytest.fixture(scope="module")
def torch(need_extra):
    need_extra("transformers")
    return need_extra("torch")


@pytest.fixture
def setting(torch):
    """A small problem: model, batches, loss, held-out value."""
    from ravenbench.ext.encoders import devices

    cpu = torch.device("cpu")
    with devices.controlled(5, cpu):
        x = torch.randn(48, 6)
        y = (x[:, :2].sum(1, keepdim=True) > 0).float()

    class Setting:
        def model(self):
            with devices.controlled(7, cpu):
                layers = [
                    torch.nn.Linear(6, 8),
                    torch.nn.Tanh(),
                    torch.nn.Dropout(0.3),
                    torch.nn.Linear(8, 1),
                ]
                return torch.nn.Sequential(*layers)

        def run(self, model, settings, folder=None, stop=None, spec=None):
            from ravenbench.ext.shelf.neural.training import train

            def batches(epoch):
                if epoch == stop:
                    raise KeyboardInterrupt
                order = np.random.default_rng(epoch).permutation(48)
                return np.split(order, 6)

            def loss(rows):
                return torch.nn.functional.binary_cross_entropy_with_logits(model(x[rows]), y[rows])

            def held_out():
                return -float(torch.nn.functional.binary_cross_entropy_with_logits(model(x), y))

            where = {"device": cpu, "folder": folder, "spec": spec}
            return train(model, batches, loss, settings, held_out=held_out, **where)

    return Setting()


@pytest.fixture
def settings(torch):
    from ravenbench.ext.shelf.neural.training import TrainingSettings

    return TrainingSettings(epochs=6, learning_rate=0.02, accumulate=2, patience=0)


def same_weights(a, b):
    return all(
        (p == q).all()
        for p, q in zip(a.state_dict().values(), b.state_dict().values(), strict=True)
    )


def test_resumed_training_ends_in_the_same_weights(setting, settings, tmp_path, torch):
    whole, parted = setting.model(), setting.model()
    history = setting.run(whole, settings)
    with pytest.raises(KeyboardInterrupt):
        setting.run(parted, settings, tmp_path / "t", stop=3)
    other = setting.model()
    torch.manual_seed(99)
    resumed = setting.run(other, settings, tmp_path / "t")
    assert same_weights(whole, other)
    assert [(e.loss, e.held_out) for e in history] == [(e.loss, e.held_out) for e in resumed]
    assert history[-1].loss < history[0].loss
    finished = setting.run(setting.model(), settings, tmp_path / "t", stop=0)
    assert finished == resumed
    from ravenbench.ext.shelf.neural import training

    training.forget(tmp_path / "t")
    assert not (tmp_path / "t").exists()


def test_training_leaves_torch_as_it_was(setting, settings, torch):
    torch.manual_seed(1)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    setting.run(setting.model(), settings)
    assert (torch.get_rng_state() == before).all() and torch.get_num_threads() == threads
    assert not torch.are_deterministic_algorithms_enabled()


def test_early_stopping_keeps_the_best_epoch(setting, torch):
    from ravenbench.ext.shelf.neural.training import TrainingSettings

    model = setting.model()
    history = setting.run(
        model, TrainingSettings(epochs=200, learning_rate=0.5, patience=2, clip=0)
    )
    values = [e.held_out for e in history]
    assert len(history) < 200 and values.index(max(values)) == len(values) - 3
    again = setting.model()
    setting.run(again, TrainingSettings(epochs=200, learning_rate=0.5, patience=2, clip=0))
    assert same_weights(model, again)


def test_rate_rises_and_falls(torch):
    from ravenbench.ext.shelf.neural.training import TrainingSettings

    settings = TrainingSettings(learning_rate=2.0, warmup=0.25)
    rates = [settings.rate(p) for p in (0, 0.125, 0.25, 0.625, 1)]
    assert rates == pytest.approx([0, 1, 2, 1, 0])


def test_checkpoint_of_another_training_is_refused(setting, settings, tmp_path):
    from dataclasses import replace

    with pytest.raises(KeyboardInterrupt):
        setting.run(setting.model(), settings, tmp_path, stop=2, spec={"size": 3})
    with pytest.raises(SpecError, match=r"learning_rate: 0\.02 in the checkpoint, 0\.01 now"):
        setting.run(
            setting.model(), replace(settings, learning_rate=0.01), tmp_path, spec={"size": 3}
        )
    with pytest.raises(SpecError, match="size: 3 in the checkpoint, 4 now"):
        setting.run(setting.model(), settings, tmp_path, spec={"size": 4})


def test_damaged_checkpoints_are_errors(setting, settings, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        setting.run(setting.model(), settings, tmp_path, stop=2)
    (tensors,) = tmp_path.glob("*.safetensors")
    whole = tensors.read_bytes()
    tensors.write_bytes(whole[:-8])
    with pytest.raises(FormatError, match="damaged"):
        setting.run(setting.model(), settings, tmp_path)
    tensors.unlink()
    with pytest.raises(FormatError, match="delete"):
        setting.run(setting.model(), settings, tmp_path)
    tensors.write_bytes(whole)
    head = tmp_path / "checkpoint.json"
    kept = json.loads(head.read_text())
    head.write_text(json.dumps({**kept, "state": {"dict": [["model", {"tensor": "no"}]]}}))
    with pytest.raises(FormatError, match="damaged"):
        setting.run(setting.model(), settings, tmp_path)
    head.write_text("{")
    with pytest.raises(FormatError, match="damaged"):
        setting.run(setting.model(), settings, tmp_path)


def test_interrupted_while_writing_keeps_the_checkpoint_before(
    setting, settings, tmp_path, monkeypatch
):
    from ravenbench.ext.shelf.neural import training

    whole = setting.model()
    setting.run(whole, settings)
    for broken in ("write_bytes", "write_json"):
        write, calls = getattr(training, broken), []

        def failing(path, value, write=write, calls=calls):
            calls.append(path)
            if len(calls) == 3:
                raise OSError("disk full")
            return write(path, value)

        with monkeypatch.context() as patch, pytest.raises(OSError, match="disk full"):
            patch.setattr(training, broken, failing)
            setting.run(setting.model(), settings, tmp_path / broken)
        model = setting.model()
        setting.run(model, settings, tmp_path / broken)
        assert same_weights(whole, model)


def test_a_loss_that_is_no_number_ends_training(setting, torch):
    from ravenbench.ext.shelf.neural.training import TrainingSettings, train

    model = setting.model()
    with pytest.raises(CorpusError, match="learning_rate"):
        train(
            model,
            lambda e: [0],
            lambda b: model(torch.full((1, 6), torch.nan)).sum(),
            TrainingSettings(),
            device=torch.device("cpu"),
        )
    with pytest.raises(CorpusError, match="no documents to train on"):
        train(model, lambda e: [], lambda b: None, TrainingSettings(), device=torch.device("cpu"))


def test_out_of_memory_names_the_option_and_keeps_the_checkpoint(
    setting, settings, tmp_path, torch
):
    from ravenbench.ext.shelf.neural.training import train

    model = setting.model()

    def loss(batch):
        if batch == 2:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return model(torch.ones(1, 6)).sum()

    with pytest.raises(InputError, match="lower batch"):
        train(model, lambda e: [e], loss, settings, device=torch.device("cpu"), folder=tmp_path)
    assert json.loads((tmp_path / "checkpoint.json").read_text())["epoch"] == 2


def test_devices(torch, monkeypatch):
    from ravenbench.ext.encoders import devices
    from ravenbench.limits import RunLimits, within

    monkeypatch.setenv("RAVEN_DEVICE", "auto")
    with within(RunLimits("cpu")):
        assert devices.pick("auto").type == "cpu"
    with pytest.raises(SpecError, match="--device tpu"):
        RunLimits("tpu")
    with within(RunLimits("cuda:77")), pytest.raises(InputError, match="GPU"):
        devices.pick("auto")
    assert devices.pick("cpu").type == "cpu"
    with pytest.raises(SpecError, match="auto, cpu, cuda"):
        devices.pick("gpu")
    with pytest.raises(SpecError, match="bf16"):
        devices.precision("fp8", torch.device("cpu"))
    if not torch.cuda.is_available():
        assert devices.pick("auto").type == "cpu"
        with pytest.raises(InputError, match="GPU"):
            devices.pick("cuda")


def test_batches_hold_every_sequence_once_and_shapes_follow_its_length(torch):
    from ravenbench.ext.encoders.batching import batches, width_of

    rng = np.random.default_rng(0)
    sequences = [rng.integers(1, 99, size=n) for n in rng.integers(1, 200, size=150)]
    seen, shapes = {}, {}
    for batch in batches(sequences, tokens=512):
        assert batch.ids.size <= 512 or len(batch.ids) == 1
        for place, row in enumerate(batch.rows):
            assert np.array_equal(batch.ids[place][batch.mask[place]], sequences[row])
            seen[row] = batch.ids.shape
            assert (
                shapes.setdefault(width_of(len(sequences[row])), batch.ids.shape) == batch.ids.shape
            )
    assert sorted(seen) == list(range(150))
    alone = next(batches(sequences[3:4], tokens=512))
    assert alone.ids.shape == seen[3] and alone.mask.any(axis=1).all()
    few = [(len(batch.rows), batch.ids.shape) for batch in batches([[1]] * 9, most=4)]
    assert few == [(4, (4, 8)), (4, (4, 8)), (1, (4, 8))]
    for length in range(1, 3000):
        assert length <= width_of(length) < length + max(8, length / 7)


def test_authors_come_from_labels_or_from_truth(torch):
    from ravenbench.ext.shelf.neural.training import pairs, written
    from ravenbench.types import Problems

    problems = Problems.of([("a", ["k1", "k2"], "q1"), ("b", ["k3"], "q2"), ("c", ["q2"], "k1")])
    found = written(problems, np.array([True, True, False]))
    texts = [problems.texts[d] for d in found.documents]
    group = {text: found.author[i] for i, text in enumerate(texts)}
    assert group["k1"] == group["k2"] == group["q1"] != group["k3"] == group["q2"]
    a, b, same = pairs(found)
    assert (
        len(a) == 10
        and same.sum() == 4
        and (found.author[a] == found.author[b]).tolist() == same.tolist()
    )
    with pytest.raises(CorpusError, match="one author"):
        written(Problems.of([("a", ["x"], "y")]), np.array([True]))


def test_held_out_authors_are_nobody_elses(torch):
    from ravenbench.ext.shelf.neural.training import written
    from ravenbench.testing import toy_problems

    problems, same = toy_problems(40)
    found = written(problems, same)
    learn, held = found.split(0.2, seed=0)
    assert len(learn.documents) + len(held.documents) == len(found.documents)
    assert (
        not {*learn.documents} & {*held.documents}
        and (held.sizes >= 2).all()
        and len(held.sizes) >= 2
    )
    nothing = found.select(np.isin(found.author, [0, 1, 2])).split(0.2, seed=0)[1]
    assert len(nothing.documents) == 0


def test_a_terminal_shows_loss_and_time_left(setting, settings, monkeypatch, capsys):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    setting.run(setting.model(), settings)
    shown = capsys.readouterr()
    assert "loss" in shown.err and "epoch 6/6" in shown.err and not shown.out
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    setting.run(setting.model(), settings)
    assert not capsys.readouterr().err
