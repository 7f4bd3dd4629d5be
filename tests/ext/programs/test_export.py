from ravenbench.ext.programs.export import export
from ravenbench.reading.problems import read_problems
from ravenbench.tasks.api import run


def test_every_fold_can_be_read_back_as_pan_problems(tmp_path):
    store = run(
        "synthetic(authors=40, topics=8, documents=240, words=60)",
        topics=4,
        folds=2,
        pools=1,
        samplers="random",
        probe="none",
        verifiers="chance",
        out=tmp_path / "run",
        workers=1,
    ).store
    folds = export(store, tmp_path / "out")
    assert folds == list(store.plan.folds)
    for name in folds:
        fold = store.fold(name)
        for part, problems, same in (
            ("train", fold.train, fold.train_same),
            ("test", fold.test, fold.test_same),
        ):
            found = read_problems(tmp_path / "out" / name / part)
            assert found.problems.ids.tolist() == problems.ids.tolist()
            assert found.truth().tolist() == same.tolist()
            texts = [problems.texts[row] for row in problems.questioned_index]
            assert [found.problems.texts[row] for row in found.problems.questioned_index] == texts
    before = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*"))
    export(store, tmp_path / "out")
    assert sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*")) == before, (
        "its repeat is accepted"
    )
