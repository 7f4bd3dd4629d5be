"""Figures printed for the methods of the shelf, for comparison on corpora of their names.

Stamatatos et al. 2014, Overview of the Author Identification Task at PAN 2014, Tables 3–8: final score, AUC, c@1 of
the meta-classifier, of the participants and of the baseline. Methods of other years were published on other data.
"""

from __future__ import annotations

from typing import NamedTuple


class Printed(NamedTuple):
    """One row of the overview."""

    final: float
    auc: float
    c_at_1: float


class Publication(NamedTuple):
    """A method as printed: its name there, figures by corpus (empty where it was published on other data), and why
    those of Raven's may differ."""

    system: str
    why: str
    figures: dict[str, Printed]


CORPORA = ("du_essays", "du_reviews", "en_essays", "en_novels", "gr_articles", "sp_articles")


def _published(system: str, why: str, thousandths: str = "") -> Publication:
    """A method with its rows of Tables 3–8: final, AUC and c@1 of each corpus in its turn."""
    values = [int(value) / 1000 for value in thousandths.split()]
    rows = [Printed(*values[i : i + 3]) for i in range(0, len(values), 3)]
    return Publication(system, why, dict(zip(CORPORA, rows, strict=False)))


PUBLISHED: dict[str, Publication] = {
    "META-CLASSIFIER": _published(
        "META-CLASSIFIER",
        "the mean of the methods run here; in 2014 of 13 other programs, of which most are rebuilt here",
        "867 957 906  428 737 580  531 781 680  472 732 645  635 836 760  709 898 790",
    ),
    "cng-2013": _published(
        "BASELINE",
        "n-gram and profile lengths, θ and a recalled; not tuned here either",
        "685 865 792  322 607 530  288 543 530  202 453 445  452 706 640  378 713 530",
    ),
    "impostors(variant='khonji-iraqi')": _published(
        "Khonji & Iraqi",
        "the impostor corpora of 2014 are lost: here they are the training problems' texts",
        "770 913 844  479 736 650  349 599 583  458 750 610  720 889 810  698 898 778",
    ),
    "frery-2014": _published(
        "Frery et al.",
        "representations recalled, pruning and leaf size ours; a single tree on some hundred problems varies much",
        "821 906 906  347 601 578  513 723 710  360 612 588  436 679 642  581 774 750",
    ),
    "castillo-2014": _published(
        "Castillo et al.",
        "families, measures and the rule of votes are ours; only that it abstains on short texts is known",
        "741 861 861  247 669 370  318 549 580  386 628 615  501 686 730  558 734 760",
    ),
    "moreau-2014": _published(
        "Moreau et al.",
        "after later code; no tags without a tagger, fewer learners, a smaller search",
        "755 907 832  375 635 590  372 620 600  313 597 525  565 800 707  634 845 750",
    ),
    "mayor-2014": _published(
        "Mayor et al.",
        "impostors are training authors and never the problem's own; in 2014 other test problems' texts, unchecked",
        "823 932 883  299 569 525  318 572 557  407 664 614  621 826 752  539 755 714",
    ),
    "zamani-2014": _published(
        "Zamani et al.",
        "no parts of speech; smoothing, distance and neighbours ours",
        "525 741 708  362 613 590  322 585 550  476 733 650  470 712 660  468 731 640",
    ),
    "satyam-2014": _published(
        "Satyam et al.",
        "segments, weighting, rank and band ours; in 2014 tuned by hand for each corpus",
        "489 651 750  525 757 694  459 699 657  380 657 579  356 593 600  248 443 560",
    ),
    "modaresi-2014": _published(
        "Modaresi & Gross",
        "the list of features is lost: fuzzy c-means over features of ours",
        "378 595 635  247 494 500  350 603 580  508 711 715  294 544 540  416 640 650",
    ),
    "jankowska-2014": _published(
        "Jankowska et al.",
        "the members of the ensemble are lost: chosen here on training problems",
        "732 869 842  357 638 560  284 518 548  225 491 457  497 731 680  586 803 730",
    ),
    "halvani-2014": _published(
        "Halvani & Steinebach",
        "features, distance and chunks ours, one majority for all corpora; in 2014 chosen for each",
        "399 647 617  316 575 550  338 629 538  293 569 515  367 611 600  423 661 640",
    ),
    "vartapetiance-2014": _published(
        "Vartapetiance & Gillam",
        "patterns recalled; pieces of joined texts stand in where known documents are few, threshold ours",
        "517 719 719  260 510 510  270 520 520  245 495 495  281 530 530  436 660 660",
    ),
    "layton-2014": _published(
        "Layton",
        "the searched grid is lost: all of it votes here, weighted on training problems",
        "307 546 563  261 503 520  363 595 610  260 510 510  403 661 610  299 553 540",
    ),
    "harvey-2014": _published(
        "Harvey",
        "English tags for Dutch; chunks and t statistic ours; other scripts unanswered, as Greek was in 2014",
        "396 644 615  170 354 480  312 579 540  283 540 525  000 500 000  514 790 650",
    ),
    "unmasking": _published(
        "Koppel et al. 2007; Bevendorff et al. 2019",
        "published on longer texts; chunks of 600 words all but copy shorter ones, so that curves tell "
        "classes apart badly, and margins below .1 are unanswered",
    ),
    "glad-2015": _published(
        "Hürlimann et al. 2015",
        "published on the corpora of PAN-2015 (.487 over all): other data; lists of marks and profile lengths ours",
    ),
    "spatium-2015": _published(
        "Kocher & Savoy 2015",
        "published on the corpora of PAN-2015: other data; impostors and the largest ratio are training's",
    ),
}
"""By what a verifier prints, parameters left out where they do not name another method."""


def publication(name: str) -> Publication | None:
    """What was printed for a verifier, None for methods of no publication's tables."""
    return PUBLISHED.get(name.replace('"', "'")) or PUBLISHED.get(name.split("(", 1)[0])
