"""An attribution report as plain values."""

from __future__ import annotations

from typing import Any

from ravenbench.attribution.selection import Rules
from ravenbench.bench.attribute.answers import Attributed
from ravenbench.reports.attribute.records import AttributionAnalysis, ProtocolScore


def settings(result: Attributed) -> dict[str, Any]:
    """What was asked for."""
    spec = result.spec
    return {
        "corpus": result.documents.name,
        "topic": spec.topic or "topic",
        "protocol": spec.protocol,
        "methods": list(result.methods),
        "folds": spec.folds,
        "rules": {name: getattr(spec, name) for name in Rules.__dataclass_fields__},
        "sampler": spec.sampler,
        "topics": spec.topics,
        "encoder": spec.encoder if spec.sampler else None,
        "seed": spec.seed,
    }


def to_json(analysis: AttributionAnalysis) -> dict[str, Any]:
    """The JSON object of ``raven attribute``; the main protocol stands at the top, k-fold beside it."""
    result = analysis.result
    other = analysis.protocol("k-fold") if analysis.main.protocol != "k-fold" else None
    return {
        **_protocol_json(analysis, analysis.main),
        "corpus": analysis.view.to_json(),
        "topics": [
            {"topic": t.topic, "documents": t.documents, "accuracy": t.accuracy, "dominant_author": t.dominant,
             "dominant_share": t.share, "owned": t.owned}
            for t in analysis.topics
        ],
        "k_fold": None if other is None else _protocol_json(analysis, other),
        "reliance": [
            {"method": m, "k_fold": k, "novel_topic": n, "difference": d} for m, k, n, d in analysis.reliance()
        ],
        "cues": None if result.cues is None else {
            "method": result.cues[0],
            "changed": [vars(c) for c in result.cues[1]],
            "kept": [vars(c) for c in result.cues[2]],
        },
        "settings": settings(result),
    }  # fmt: skip


def _protocol_json(analysis: AttributionAnalysis, scores: ProtocolScore) -> dict[str, Any]:
    two = len(analysis.result.documents.authors) == 2
    names = analysis.result.documents.authors
    return {
        "protocol": scores.protocol,
        "methods": [
            {
                "method": m.method,
                "accuracy": None if m.mean is None else m.mean.mean,
                "std": None if m.mean is None else m.mean.std,
                "se_published": None if m.mean is None else m.mean.se_published,
                "se": None if m.mean is None else m.mean.se,
                "macro_f1": m.macro_f1,
                "by_author": [
                    {"author": name, "precision": p, "recall": r, "f1": f}
                    for name, (p, r, f) in zip(names, m.by_author, strict=True)
                ] if two else None,
                "confusion": m.confusion.tolist(),
                "folds": [
                    {"fold": f.fold, "documents": f.documents, "accuracy": f.accuracy, "unseen": list(f.unseen),
                     "error": f.error}
                    for f in m.folds
                ],
                "seconds": m.seconds,
            }
            for m in scores.methods
        ],
        "pairs": [
            {"a": p.a, "b": p.b, "difference": p.difference, "interval": p.interval, "p": p.p, "p_holm": p.p_holm,
             "p_t": p.p_t, "detectable": p.detectable, "topics_needed": p.needed, "distinguishable": p.distinguishable}
            for p in scores.pairs
        ],
        "detectable": scores.detectable,
        "needed_for": analysis.difference,
        "verdict": f"{scores.leaders()} {scores.answerable()}",
    }  # fmt: skip
