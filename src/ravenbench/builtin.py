"""Lists what Raven itself names: kind, name, and where the class is, as ``module:Class``.

In: nothing; for ``is_control`` a method in its printed form (text).
Out: ``BUILTIN``, a mapping of kind to name to place (text); ``CONTROLS``, the names of controls (methods that are known
to go by topic, style, length or chance); ``is_control`` whether a method, calibrated or not, is one (bool). Nothing
here is imported until it is asked for.
"""

from __future__ import annotations

BUILTIN: dict[str, dict[str, str]] = {
    "task": {
        "run": "ravenbench.tasks.run.task:Run",
        "verify": "ravenbench.tasks.verify.task:Verify",
        "pan14": "ravenbench.tasks.pan14.task:Pan14",
        "attribute": "ravenbench.tasks.attribute.task:Attribute",
        "obfuscate": "ravenbench.tasks.obfuscate.task:Obfuscate",
        "safety": "ravenbench.tasks.safety.task:Safety",
    },
    "work": {"evaluate": "ravenbench.tasks.evaluate.task:Evaluate"},
    "corpus": {"synthetic": "ravenbench.corpora.synthetic:Synthetic"},
    "encoder": {
        "lsa": "ravenbench.topics.encoders:LSA",
        "nmf": "ravenbench.topics.encoders:NMF",
        "lda": "ravenbench.topics.encoders:LDA",
    },
    "topics": {},
    "sampler": {
        "hits": "ravenbench.sampling:HITS",
        "random": "ravenbench.sampling:Random",
        "anti": "ravenbench.sampling:Anti",
        "grouping": "ravenbench.sampling:Grouping",
        "hybrid": "ravenbench.sampling:Hybrid",
    },
    "pairs": {
        "reference": "ravenbench.problems.pair_rules:Reference",
        "matched": "ravenbench.problems.pair_rules:Matched",
    },
    "verifier": {
        "calibrated": "ravenbench.verifiers.contract.base:Calibrated",
        "char-ngram": "ravenbench.verifiers.baselines:CharNgram",
        "ppm": "ravenbench.verifiers.baselines:PPM",
        "topic-fit": "ravenbench.verifiers.baselines:TopicFit",
        "chance": "ravenbench.verifiers.baselines:Chance",
        "length": "ravenbench.verifiers.baselines:Length",
        "style-only": "ravenbench.verifiers.baselines:StyleOnly",
        "topic-only": "ravenbench.verifiers.baselines:TopicOnly",
        "meta": "ravenbench.verifiers.combinations:Meta",
        "stacked": "ravenbench.verifiers.combinations:Stacked",
        "function-words": "ravenbench.verifiers.baselines:FunctionWords",
        "distorted": "ravenbench.verifiers.combinations:Distorted",
        "masked": "ravenbench.verifiers.combinations:Masked",
    },
    "calibrator": {
        "threshold-band": "ravenbench.verifiers.calibrators:ThresholdBand",
        "logistic": "ravenbench.verifiers.calibrators:Logistic",
        "scaled-logistic": "ravenbench.verifiers.calibrators:ScaledLogistic",
        "log-odds": "ravenbench.verifiers.calibrators:LogOdds",
    },
    "transform": {
        "distortion": "ravenbench.text.masks:Distortion",
        "topic-mask": "ravenbench.text.masks:TopicMask",
        "frequency-mask": "ravenbench.text.masks:FrequencyMask",
        "normaliser": "ravenbench.text.normalisation:Normaliser",
    },
    "attributor": {
        "maxent": "ravenbench.attribution.linear:MaxEnt",
        "nb": "ravenbench.attribution.linear:NaiveBayes",
        "function-words": "ravenbench.attribution.linear:FunctionWords",
        "topic-words": "ravenbench.attribution.linear:TopicWords",
        "svm": "ravenbench.attribution.linear:CharSVM",
        "burrows-delta": "ravenbench.attribution.base:BurrowsDelta",
        "cosine-delta": "ravenbench.attribution.base:CosineDelta",
        "distorted": "ravenbench.attribution.base:Distorted",
    },
    "segmenter": {
        "spaces": "ravenbench.text.segmenters:Spaces",
        "icu": "ravenbench.text.segmenters:ICU",
        "characters": "ravenbench.text.segmenters:Characters",
    },
    "obfuscator": {
        "identity": "ravenbench.obfuscation.recipes.controls:Identity",
        "random": "ravenbench.obfuscation.recipes.controls:Random",
        "other-author": "ravenbench.obfuscation.recipes.controls:OtherAuthor",
        "mihaylova-2016": "ravenbench.obfuscation.recipes.mihaylova_2016:Mihaylova",
    },
    "tagger": {},
    "translator": {},
    "retriever": {},
    "metric": {
        "auc": "ravenbench.metrics.pan:AUC",
        "c@1": "ravenbench.metrics.pan:CAt1",
        "f05u": "ravenbench.metrics.pan:F05u",
        "f05u_2020": "ravenbench.metrics.pan:F05u2020",
        "f1": "ravenbench.metrics.pan:F1",
        "brier": "ravenbench.metrics.pan:Brier",
        "precision": "ravenbench.metrics.pan:Precision",
        "recall": "ravenbench.metrics.pan:Recall",
        "overall": "ravenbench.metrics.pan:Overall",
        "overall5": "ravenbench.metrics.pan:Overall5",
        "final": "ravenbench.metrics.pan:Final",
        "accuracy": "ravenbench.metrics.pan:Accuracy",
        "fpr": "ravenbench.metrics.pan:FPR",
        "fnr": "ravenbench.metrics.pan:FNR",
        "f1_2024": "ravenbench.metrics.pan:F12024",
        "overall_2024": "ravenbench.metrics.pan:Overall2024",
        "overall_2020": "ravenbench.metrics.pan:Overall2020",
        "overall5_2020": "ravenbench.metrics.pan:Overall52020",
        "cllr": "ravenbench.metrics.calibration:CllrCost",
        "cllr-min": "ravenbench.metrics.calibration:CllrMin",
        "cllr-cal": "ravenbench.metrics.calibration:CllrCal",
        "ece": "ravenbench.metrics.calibration:ECE",
    },
}

CONTROLS = frozenset({"chance", "length", "style-only", "topic-fit", "topic-only", "topic-words"})
"""Methods of known reliance, which others are compared with: never set as the best of a table."""


def is_control(spec: str) -> bool:
    """Say whether a method is a control, by its printed form without its calibrator."""
    return (
        spec.removeprefix("calibrated(").partition("(")[0].partition(",")[0].strip(" )") in CONTROLS
    )
