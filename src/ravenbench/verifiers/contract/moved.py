"""Where classes of saved verifiers have moved: a folder written before still names the old place."""

_ROOM = "ravenbench.verifiers."
# (old folder, new folder): modules that kept their names.
_WHOLE = {
    ("", "contract"): "base persist persist_state spread",
    ("", "published"): (
        "castillo_2014 cng_2013 cng_ratios frery_2014 glad_2015 glad_2015_features halvani_2014 harvey_2014 "
        "harvey_2014_tags impostors impostors_background jankowska_2014 layton_2014 layton_2014_distances "
        "mayor_2014 modaresi_2014 moreau_2014 moreau_2014_features moreau_2014_search pieces satyam_2014 "
        "shelf_views spatium_2015 unmasking unmasking_curves unmasking_svm vartapetiance_2014 zamani_2014"
    ),
    ("", "baselines"): "char_ngram ppm function_words",
    ("", "controls"): "chance length style_only topic_only topic_fit blend",
    ("", "combinations"): "meta stacked distorted",
    ("", "outside"): "command",
    ("raven_features.", "raven_2026"): "extract families grams normalise ridge views whitened",
    ("neural.", "neural.training"): (
        "batching devices checkpoints backbones pairing authors curve folder progress weights"
    ),
    ("neural.", "neural.o2d2"): "adhominem bayes_factor contrastive uncertainty word_vectors",
}
_RENAMED = {
    "raven_2026": "raven_2026.verifier",
    "neural.training": "neural.training.loop",
    "neural.luar": "neural.luar.verifier",
    "neural.luar_embed": "neural.luar.embed",
    "neural.luar_episodes": "neural.luar.episodes",
    "neural.luar_model": "neural.luar.model",
    "neural.luar_training": "neural.luar.training",
    "neural.o2d2": "neural.o2d2.verifier",
    "neural.o2d2_network": "neural.o2d2.network",
    "neural.o2d2_ood": "neural.o2d2.detector",
    "neural.o2d2_training": "neural.o2d2.training",
    "neural.adhominem_embed": "neural.o2d2.embed",
    "neural.adhominem_text": "neural.o2d2.text",
    "neural.bagnall_2015": "neural.bagnall.verifier",
    "neural.bagnall_2015_transductive": "neural.bagnall.transductive",
    "neural.bagnall_heads": "neural.bagnall.heads",
    "neural.bagnall_model": "neural.bagnall.model",
    "neural.bagnall_roles": "neural.bagnall.roles",
    "neural.bagnall_text": "neural.bagnall.text",
    "neural.bagnall_training": "neural.bagnall.training",
}
# Of the room of texts: what each module took in.
_TEXT = {
    "counting": "packed_counts kept_counts sums",
    "ngrams": "bits interning",
    "impostor_spaces": "ngram_vocabulary",
    "minmax": "impostors",
    "lexicon": "scanning",
    "tfidf": "vectors profiles",
    "grammar": "sentences grammar_kernels",
    "language_model": "language_model_training",
    "masks": "distortion frequency_mask",
}
MOVED = {
    f"{_ROOM}{old}{name}": f"{_ROOM}{new}.{name}" for (old, new), names in _WHOLE.items() for name in names.split()
} | {_ROOM + old: _ROOM + new for old, new in _RENAMED.items()}
MOVED |= {f"ravenbench.text.{old}": f"ravenbench.text.{new}" for new, names in _TEXT.items() for old in names.split()}
"""New module of every old one."""
