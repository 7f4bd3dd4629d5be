"""Words in every script: nothing is lost, stems move and endings stay, and what cannot be trusted is refused."""

import importlib.util
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.splicing import splice_reference

from ravenbench import registry
from ravenbench.errors import MissingPart, SpecError
from ravenbench.text import segmenters
from ravenbench.text.segmenters import ICU, Characters, Spaces, detect, language_of
from ravenbench.text.splicing import Splicer
from ravenbench.texts import TextTable
from ravenbench.types import Labels

HERE = {name: importlib.util.find_spec(name) is not None for name in ("icu4py", "snowballstemmer")}
icu = pytest.mark.skipif(not HERE["icu4py"], reason="needs ravenbench[languages]")
snowball = pytest.mark.skipif(not HERE["snowballstemmer"], reason="needs ravenbench[languages]")
SEGMENTERS = [Spaces(), Characters(), pytest.param(ICU(), marks=icu)]
REAL = {
    "Chinese": "昨天晚上下了一场大雨。我打着伞走到江边，看见两个孩子在水里放纸船；他们笑着说：“明天还来！”",
    "Japanese": "きのうの夜は、ﾊﾟｿｺﾝの前でずっと手紙を書いていた。ちょっと疲れたけれど、コーヒーを飲んで、また始めた。",
    "Thai": "เมื่อวานนี้ฝนตกหนักมาก ฉันเดินไปที่ตลาดแล้วซื้อผลไม้ให้แม่ แม่ยิ้มและบอกว่าพรุ่งนี้จะทำแกงให้กิน",
    "Lao": "ມື້ວານນີ້ຝົນຕົກແຮງ ຂ້ອຍຍ່າງໄປຕະຫຼາດ",
    "Khmer": "ម្សិលមិញភ្លៀងធ្លាក់ខ្លាំង ខ្ញុំដើរទៅផ្សារ",
    "Burmese": "မနေ့က မိုးအရမ်းရွာတယ်",
    "Korean": "어제 밤에 비가 많이 왔다. 나는 우산을 쓰고 강가까지 걸어가서 배를 띄우는 아이들을 보았다.",
    "Arabic": "نزل المطر أمس بغزارة، فمشيتُ إلى السوق واشتريتُ خبزًا لأمّي، وقالت إنّها ستطبخ غدًا.",
    "Turkish": "Bu gece daha ne çok su ile bir gemi gibi ama için da. "
    "Dün gece çok yağmur yağdı. Ben de şemsiyemi alıp kıyıya yürüdüm ve çocukları gördüm.",
    "Tibetan": "བོད་ཡིག་ནི་བོད་པའི་ཡི་གེ་ཡིན།",
}
MIXED = "我用iPhone 15 Pro拍了３張照片，發給了Anna。𠮷野家の牛丼（大盛）は500円でﾊﾞﾘ旨い！ກິນເຂົ້າ กำ葛\U000e0100城"
MIXED += " e\u0301te\u0301 नमस्ते می\u200cخواهم 👨\u200d👩\u200d👧"
SAMPLE = "".join(
    sorted({*MIXED, *"".join(REAL.values()), *"ｶﾞｧッゃー々〇๑๒\u3099\u309a\u0e33\ufe0f \n"})
)


@pytest.mark.parametrize("segmenter", SEGMENTERS, ids=str)
@settings(deadline=None, max_examples=60)
@given(text=st.text(SAMPLE, max_size=40))
def test_pieces_together_are_the_text(segmenter, text):
    pieces = segmenter.pieces(text)
    assert "".join(pieces) == text and all(pieces)
    assert all(word == word.lower() for word in segmenter.words(text))


@pytest.mark.parametrize("segmenter", SEGMENTERS, ids=str)
@settings(deadline=None, max_examples=40)
@given(
    texts=st.lists(st.text(SAMPLE, max_size=40), min_size=2, max_size=4),
    function_words=st.integers(0, 3),
)
def test_splicing_is_the_plain_reference_over_segments(segmenter, texts, function_words):
    table, rows = TextTable.collect(texts)
    made = Splicer(table, function_words, detected=segmenters.Detected(segmenter))
    for into, donor in pairwise(rows.tolist()):
        if made.cut(donor).contents:
            expected = splice_reference(
                made.texts[into], [made.texts[donor]], made.functions, segmenter
            )
            assert made.splice([(made.cut(into), [made.cut(donor)])]) == [expected.encode()]


def test_mixed_texts_are_parted_script_by_script():
    text = "我用iPhone 15拍了３張"
    assert Spaces().pieces(text) == ["我用iPhone", " ", "15拍了３張"], (
        "as before there were segmenters"
    )
    assert Characters().pieces(text) == ["我", "用", "iPhone", " ", "15", "拍", "了", "３", "張"]
    assert Characters().pieces("ちょっとｶﾞｯｺｳへコーヒー") == [
        "ちょっ",
        "と",
        "ｶﾞｯｺｳ",
        "へ",
        "コーヒー",
    ]
    assert Characters().words("กินข้าว我 3b") == ["กินข้าว", "我"], (
        "letters of a small alphabet are never words"
    )


@icu
def test_dictionaries_find_words():
    found = {
        name: ICU().words(REAL[name])
        for name in ("Chinese", "Japanese", "Thai", "Lao", "Khmer", "Burmese")
    }
    assert {"大雨", "孩子", "他们"} <= set(found["Chinese"]) and {"手紙", "コーヒー"} <= set(
        found["Japanese"]
    )
    assert {"ตลาด", "ฝน", "แล้ว"} <= set(found["Thai"]) and all(
        len(words) > 3 for words in found.values()
    )
    assert (
        "".join(ICU().pieces("𠮷野家で𠀀𠀁")) == "𠮷野家で𠀀𠀁"
        and "野" not in ICU().pieces("𠮷が野に")[0]
    )


@snowball
@pytest.mark.parametrize(
    ("code", "word", "parts"),
    [
        ("tr", "evlerimizden", ("", "ev", "lerimizden")),
        ("hu", "barátaimnak", ("", "barát", "aimnak")),
        ("fi", "taloissammekin", ("", "talo", "issammekin")),
        ("ar", "بالقلم", ("بال", "قلم", "")),
        ("hu", "almát", ("", "alm", "át")),
        ("tr", "ve", ("", "ve", "")),
    ],
)
def test_endings(code, word, parts):
    begin, end = Spaces(endings=code).stem(word)
    assert (word[:begin], word[begin:end], word[end:]) == parts


@snowball
def test_stems_move_and_endings_stay():
    table, (into, donor) = TextTable.collect(
        ["Evlerde ve KİTAPLARIN ve okulda", "ve arabalar ve sokaktan"]
    )
    made = Splicer(table, 1, detected=segmenters.Detected(Spaces(endings="tr")))
    assert made.functions == {"ve"} and made.cut(into).lengths[2] == 1
    new = made.splice([(made.cut(into), [made.cut(donor)])])[0].decode()
    assert new == "Sokaklerde ve ARABALARIN ve arabada", "every place keeps its ending"
    whole = Splicer(table, 1, detected=segmenters.Detected(Spaces()))
    assert (
        whole.splice([(whole.cut(into), [whole.cut(donor)])])[0]
        .decode()
        .startswith("Arabalar ve SOKAKTAN ve ")
    )


@snowball
def test_turkish_letters_keep_their_dots():
    table, (into, donor) = TextTable.collect(["Ev ve KIZ ve ve Isı", "ve izmir ve ılık ve irmik"])
    made = Splicer(table, 1, detected=segmenters.Detected(Spaces(endings="tr")))
    assert (
        made.splice([(made.cut(into), [made.cut(donor)])])[0].decode()
        == "Ilık ve İZMİR ve ve İrmikı"
    )
    assert made.segmenter.words("ISI İyi") == ["ısı", "iyi"]


@icu
@snowball
def test_detection_by_script_and_language():
    chosen = {name: detect([text]) for name, text in REAL.items()}
    assert {name for name, one in chosen.items() if isinstance(one.segmenter, ICU)} == {
        "Thai",
        "Lao",
        "Khmer",
        "Burmese",
    }
    for name in ("Chinese", "Japanese", "Thai", "Korean", "Tibetan"):
        assert name in chosen[name].why and chosen[name].refusal is None
    assert chosen["Chinese"].segmenter == chosen["Japanese"].segmenter == Characters()
    assert "and move with them" in chosen["Korean"].why
    assert chosen["Arabic"].segmenter == Spaces(endings="ar") and chosen[
        "Turkish"
    ].segmenter == Spaces(endings="tr")
    assert (
        detect([REAL["Turkish"]], "").why.startswith("The texts have several languages")
        and detect([REAL["Turkish"]], "en").why == ""
    )
    assert detect(["The cat sat on the mat. 猫 " + "word " * 40]) == segmenters.Detected(Spaces())
    assert detect([]) == segmenters.Detected(Spaces())


def test_a_corpus_of_two_scripts_is_named():
    two = detect([REAL["Chinese"] * 3, REAL["Turkish"] * 3])
    assert two.why.startswith(
        "The texts have several scripts: Raven finds words by spaces if the script has them; Chinese"
    )
    assert detect([REAL["Chinese"]]).why.startswith("Chinese has no spaces")


def test_without_the_extra(monkeypatch):
    monkeypatch.setattr(segmenters, "find_spec", lambda name: None)
    chinese, thai, turkish = (detect([REAL[name]]) for name in ("Chinese", "Thai", "Turkish"))
    assert chinese.segmenter == Characters() and chinese.refusal is None, "Chinese needs nothing"
    assert "Thai" in thai.refusal and "ravenbench[languages]" in thai.refusal
    assert turkish.segmenter == Spaces() and "move with their endings" in turkish.why
    assert detect(["Thecatsatonthemat." * 9]).refusal.endswith("Raven cannot find words")
    for missing in (ICU(), Spaces(endings="tr")):
        with pytest.raises(MissingPart, match=r"ravenbench\[languages\]"):
            missing.require()
    with pytest.raises(SpecError, match="no endings of this language"):
        registry.parse("segmenter", "spaces(endings='en')").require()


def test_the_language_of_a_corpus():
    for labels, language in (
        (["Turkish"] * 3, "tr"),
        (["tr-TR", None], "tr"),
        (["hun"], "hu"),
        (["en"], "en"),
    ):
        assert language_of(Labels.of(labels)) == language
    assert language_of(None) is language_of(Labels.of([None])) is None
    assert language_of(Labels.of(["tr", "en"])) == ""
