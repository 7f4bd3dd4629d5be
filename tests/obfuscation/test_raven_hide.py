import re

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import InputError, MissingPart, SpecError
from ravenbench.ext.shelf.obfuscation.raven_hide import _joined
from ravenbench.ext.shelf.obfuscation.raven_hide_edits import safe_edits
from ravenbench.ext.shelf.obfuscation.raven_hide_panel import Crowd, HidingPanel
from ravenbench.ext.shelf.obfuscation.raven_hide_rules import _filled
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.guards import mended
from ravenbench.obfuscation.parts import Edit, from_edits
from ravenbench.obfuscation.wording.resources import brown_texts
from ravenbench.obfuscation.wording.words import tokens

KNOWN = (
    "I don't think it's right; they don't either. Perhaps we can't go, because it isn't open until noon. "
    * 12
)
TEXT = (
    "I don't know if he is here. Perhaps they can't come, because it isn't easy to buy a ticket until noon. "
    "However, it is clear that everyone wants to go. We think that she doesn't mind; it was a colourful day. "
) * 3
OTHERS = (
    "The committee has decided that the report will be published, and every member should receive it today. "
    * 30
)


def new_texts(text):
    edits = safe_edits(text)
    for one in edits:
        out, at = "", 0
        for edit in sorted(one.edits, key=lambda e: e.start):
            out, at = out + text[at : edit.start] + edit.new, edit.end
        yield one.edits[0].operation, out + text[at:]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("He said that they do not come.", "He said that they don't come."),
        ("I said that he is right.", "I said he is right."),
        ("Let us go there.", "Let's go there."),
        ("Because we were late, I left.", None),
        (
            "I stayed at home because the house was warm.",
            "Because the house was warm, I stayed at home.",
        ),
        ("However, it is clear.", "It is, however, clear."),
        ("He left; she did not mind.", "He left. She did not mind."),
        ("The grey house has a favourite colour.", "The gray house has a favorite color."),
        (
            "He went to the town and bought 3 apples there.",
            "He went to the town and bought three apples there.",
        ),
        ("He knew everyone there.", "He knew everybody there."),
        ("He began to sing.", "He started to sing."),
        ("It is hard to say.", "It is difficult to say."),
        ("This is a hard question.", "This is a difficult question."),
    ],
)
def test_an_edit_is_found(text, wanted, no_resources):
    made = {new for _, new in new_texts(text)}
    assert wanted in made if wanted else all("I left because" not in new for new in made)


@pytest.mark.data
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("We know that he left the town.", "We know he left the town."),
        ("We know he has left the town.", "We know that he has left the town."),
        ("He read the book that she had bought there.", "He read the book she had bought there."),
        ("In the past, we lived here together.", "We lived here together in the past."),
        ("Sometimes I feel the cold.", "I sometimes feel the cold."),
        ("Although the road was long, we walked there.", "The road was long, but we walked there."),
        (
            "When the weather was bad, the boats stayed here.",
            "The boats stayed here when the weather was bad.",
        ),
        (
            "He did not agree with the opinion of the author.",
            "He did not agree with the author's opinion.",
        ),
        ("All of the houses had been sold.", "All the houses had been sold."),
        ("It helped us to see the point.", "It helped us see the point."),
    ],
)
def test_an_edit_is_found_by_a_rule(text, wanted, resources):
    assert wanted in {new for _, new in new_texts(text)}


@pytest.mark.data
@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("When John came home, he was very tired.", "He was very tired when John"),
        ("I do not know when the man came back.", "When the man came back, I"),
        ("She spoke about it without any of the usual doubts.", "with no of"),
        ("The fact that he came late was known.", "fact he came"),
        ("It was not until the end that he saw the light.", "the end he saw"),
        ("There is a bond between students and teachers in the town.", "both"),
        ("He wrote that he would come; “I think that he lies,” she said.", "think he lies"),
        ("I was in the first class, and the boys laughed at me.", "classand"),
        ("Since the plan is perfect,\u202d \u202cthis result has to be good.", "perfect and"),
    ],
)
def test_what_no_rule_says(text, wrong, resources):
    assert not [new for _, new in new_texts(text) if wrong in new]


@pytest.mark.data
def test_no_edit_brings_a_word_next_to_itself_and_none_is_taken_for_a_doubling(resources):
    text = "When you think about it, it almost seems that we lost it all. Because he saw it, it was gone."
    for _, new in new_texts(text):
        assert " it it " not in new
    parts = from_edits(text, [Edit(text.index(","), text.index(",") + 1, "", "comma")])
    assert "think about it it almost" in "".join(part.obfuscation for part in mended(parts))


def test_contractions_are_made_everywhere_or_nowhere(no_resources):
    text = "I do not know it. It is a pity, and he does not know it. “I do not care,” he said. We're late."
    made = {new for kind, new in new_texts(text) if kind in ("contract", "expand")}
    assert made == {
        text.replace("I do not know", "I don't know")
        .replace("It is", "It's")
        .replace("does not", "doesn't"),
        text.replace("We're", "We are"),
    }


def test_a_phrase_is_replaced_wherever_it_may_be(no_resources):
    text = "We ought to go. You say that we ought to stay. They ought to see it."
    made = {new for kind, new in new_texts(text) if kind == "phrase"}
    assert text.replace("ought to", "should") in made
    assert not [new for new in made if "ought to" in new and "should" in new]


@pytest.mark.data
@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("We learned a lot of the words in class.", "many the"),
        ("In the beginning of the century, we were poor.", "At first of"),
        ("It was seen as a frequent return to the good ideas.", "go back"),
        ("Not only were they hurt, but it was also a long way.", "yet"),
        ("You are mobile which is very valuable.", "that is"),
        ("It was right for her—his money was like hers—she soon said so.", "her, his"),
        ("Now that my skills had begun to grow, I was glad.", "Now, that"),
        ("The women and children worked for years in the mills.", "both"),
        ("The house, if it had been empty, would have been sold.", "house if"),
        ("He told us to improve, writing and speaking.", "writing,"),
        ("He may do so without the state.", "might"),
    ],
)
def test_what_readers_found_wrong_is_not_done(text, wrong, resources):
    assert not [new for _, new in new_texts(text) if wrong in new]


def test_a_fragment_stays(no_resources):
    text = "No reason at all. He left in the rain. But he came back to the house."
    assert not [new for _, new in new_texts(text) if "at all;" in new or "at all, and" in new]


@pytest.mark.parametrize(
    "text",
    [
        "“I don't know if everyone began to sing,” he said.",
        'She said "everyone began to sing until noon" twice.',
        "'I'd like everyone to sing until noon,' he said.",
        "'It isn't the boys' fault until noon.'",
        "‘I’d like everyone to sing until noon,’ he said.",
        "She wrote (in haste) 'until noon', that's all.",
        "See www.until-noon.org/among or write to everyone@began.org.",
        "On 3 May 1999 Anna Until met Mr. Among at 10:30.",
    ],
)
def test_quotations_names_and_addresses_are_left_alone(text, no_resources):
    assert not [
        new
        for kind, new in new_texts(text)
        if kind not in ("typography", "spelling", "contract", "expand")
    ]


HARD = (
    "They work hard to win.",
    "They worked very hard to win, and tried so hard to see it.",
    "It was a hard surface, and the bread is hard to the touch.",
    "Old habits die hard.",
    "She is hard of hearing.",
    "The end was hard to hand.",
    "It was raining too hard to see.",
    "He is hard to please, and the crust is too hard to bite.",
)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("He let us go, and they let us stay.", "let's"),
        ("I thought it over and found it easily.", "that it"),
        ("The report stands in regard to money, and this is regarding him.", "concerning"),
        ("He had just left, and it was just noon.", "simply"),
        ("He had just left, and it was just noon.", "only"),
        ("She was simply dressed.", "just"),
        ("I do not know, sir, but I will ask the man.", "sir but"),
        ("Well, but he is a man of the world.", "Well but"),
        ("Well, but he is a man of the world.", "yet"),
        ("We have often seen John, and he was glad.", "John and"),
        ("The book was printed last year, and the next starts today.", "published"),
        ("The book was printed last year, and the next starts today.", "begins"),
        ("The reward systems they have integrate skills.", "they've"),
        ("He knows who I am and what we have to say.", "'"),
        ("The scene of his return was long.", "come back"),
        ("His mind was on the thought that all is well.", "believed"),
        ("In his attempts to win he failed.", "tries"),
        ("They looked forward to the ideals of freedom and lack of trust.", "lack and freedom"),
        ("They looked forward to it.", "forwards"),
        ("The pride of this house is gone.", "home"),
        ("I left just because it was late.", "since"),
        ("He was very tired.", "was tired"),
        ("He said “I know.” He wrote it down.", "; he"),
        ("He had no reason to say this other than to warn us.", "except for to"),
        ("Apart from the pay, the work was hard.", "xcept for"),
        ("Aside from the pay, the work was hard.", "esides"),
        *((text, "difficult") for text in HARD),
        ("It is more difficult to win.", "hard"),
        ("It held from start to finish.", "begin to"),
        ("He has come back from the war.", "return"),
        ("No one answer was right, and no one size fits all.", "nobody"),
        ("The book is about two friends.", "around"),
        ("No more than 50 came, and nothing more than 20 was paid.", "over"),
        ("Give thanks to the king.", "because of"),
        ("We lived close to the king.", "near"),
        ("At first sight he was lost.", "nitially"),
        ("A part of the majority of this group left.", "most this"),
        ("The drafts of the text were lost.", "draughts"),
        ("He said one thing: I am late.", ";"),
        ("We found several tons of coal there.", "a lot"),
        ("In case it rains, we stay.", "If"),
        ("Let me know if you come.", "whether"),
        ("At the moment I saw her, she left.", "ight now"),
    ],
)
def test_what_no_edit_says(text, wrong, no_resources):
    assert not [new for _, new in new_texts(text) if wrong in new]


def test_two_edits_of_the_whole_text_are_not_both_made_where_they_overlap(no_resources):
    blanks, dash = [
        one for one in safe_edits("He came  -- and left.") if one.edits[0].operation == "typography"
    ]
    quotes, far = [
        one for one in safe_edits("“He came”  and left.") if one.edits[0].operation == "typography"
    ]
    assert blanks.clashes(dash) and dash.clashes(blanks) and not quotes.clashes(far)


def test_a_sentence_that_a_rule_cuts_off_opens_with_a_capital():
    text = "He came and he left."
    words = tokens(text, 0, len(text))
    assert (
        _filled(r"\1. \2.", text, words, ["PRP"] * len(words), [(0, 2), (3, 5)], 0)
        == "He came. He left."
    )


@pytest.mark.data
def test_no_synonym_comes_from_a_thesaurus(resources):
    assert not [
        new
        for _, new in new_texts("The book was printed and simply selected.")
        if "published" in new
    ]


@pytest.mark.parametrize("sign", ["'", "’"])
def test_mixed_signs_become_one_kind(sign, no_resources):
    text = (
        f"I do not know. “It{sign}s ‘red’,” he said. They do not come; she cannot. I{sign}m here."
    )
    everything = [
        one for one in safe_edits(text) if one.edits[0].operation in ("typography", "contract")
    ]
    new = "".join(part.obfuscation for part in from_edits(text, _joined(text, everything)))
    assert "don't know" in new and "don't come" in new and not set(new) & set("‘’“”")


def test_words_put_in_keep_their_blanks_where_white_space_is_made_plain(no_resources):
    text = "\tThe boy isn't here. \n  Whilst  he slept, he could\tnot see each other. \n"
    everything = [
        one
        for one in safe_edits(text)
        if one.edits[0].operation in ("typography", "phrase", "expand")
    ]
    new = "".join(part.obfuscation for part in from_edits(text, _joined(text, everything)))
    assert new == "The boy is not here.\nWhile he slept, he could not see one another.\n"


@pytest.mark.data
def test_it_comes_farther_from_the_known_texts(resources, tmp_path):
    (tmp_path / "others.txt").write_text(OTHERS * (4_500 // len(OTHERS.split()) + 1))
    recipe = registry.parse("obfuscator", f"raven-hide(background={str(tmp_path)!r})")
    task = ObfuscationTask("t", TEXT, (KNOWN,), "en")
    first, again = recipe.obfuscate(task, 1), recipe.obfuscate(task, 1)
    assert first.changed and first.text == again.text
    words = next(iter(brown_texts().values())).split()
    printed = ObfuscationTask("b", " ".join(words[:900]), (" ".join(words[900:1800]),), "en")
    assert len({recipe.obfuscate(printed, seed).text for seed in range(6)}) > 1
    panel = HidingPanel((KNOWN,), Crowd.of((OTHERS,), 100), 100)
    assert panel.near(first.text) < panel.near(TEXT)
    assert "by compression" in first.notes[-3] and "cost in meaning" in first.notes[-2]
    assert first.notes[-1].startswith("change these words by hand: ")
    cost = float(re.search(r"cost in meaning ([\d.]+)", first.notes[-2])[1])
    small = registry.parse(
        "obfuscator", f"raven-hide(limit=0.5, background={str(tmp_path)!r})"
    ).obfuscate(task, 1)
    assert float(re.search(r"cost in meaning ([\d.]+)", small.notes[-2])[1]) <= 0.5 < cost
    alone = recipe.obfuscate(ObfuscationTask("t", TEXT, (), "en"), 1)
    assert "cannot measure how recognisable" in alone.notes[0]


def test_a_search_knows_what_an_edit_changes(no_resources):
    edits = safe_edits(TEXT)
    panel = HidingPanel((KNOWN,), Crowd.of((OTHERS, TEXT.upper()), 100), 100)
    search = panel.search(TEXT, edits)
    near = search.near()
    for number in np.linspace(0, len(edits) - 1, 12).astype(int):
        out, at = "", 0
        for edit in sorted(edits[number].edits, key=lambda e: e.start):
            out, at = out + TEXT[at : edit.start] + edit.new, edit.end
        assert near[number] == pytest.approx(panel.near(out + TEXT[at:]), abs=1e-9)
    search.make(0)
    assert search.near()[0] != near[0]


def test_what_it_refuses(no_resources, tmp_path):
    task = ObfuscationTask("t", TEXT, (KNOWN,), "en")
    with pytest.raises(SpecError, match="limit"):
        registry.parse("obfuscator", "raven-hide(limit=0)").obfuscate(task)
    with pytest.raises(InputError, match="no text found here"):
        registry.parse("obfuscator", f"raven-hide(background={str(tmp_path)!r})").obfuscate(task)
    with pytest.raises(
        MissingPart, match=r"nltk.downloader brown, or raven-hide\(background='FOLDER of .txt"
    ):
        registry.parse("obfuscator", "raven-hide").obfuscate(task)
