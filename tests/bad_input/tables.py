"""Malformed corpora: tables."""

from __future__ import annotations

from datetime import date

from bad_input.cases import DEEP, GOOD_CSV, LONE, TEXT, Case, parquet, row, zipped

TABLES = [
    Case("a file that is not there", "corpus", "essays.csv: there is no such file or folder", {}, "essays.csv"),
    Case(
        "a name close to one that is there",
        "corpus",
        "esays.csv: there is no such file or folder",
        {"essays.csv": GOOD_CSV},
        "esays.csv",
    ),
    Case(
        "parts of a data set as one folder of Parquet",
        "corpus",
        "c: these are parts of a data set, of which one is the test of another",
        {
            "c/train-00000.parquet": parquet(text=[TEXT], author=["ann"], topic=["a"]),
            "c/test-00000.parquet": parquet(text=[TEXT], author=["bob"], topic=["a"]),
        },
        "c",
    ),
    Case(
        "names of cells that were merged",
        "corpus",
        "fix: fill it in, or remove this document, or where cells were merged, fill each name down",
        {"c.csv": f"text,author,topic\n{TEXT} One.,ann,a\n{TEXT} Two.,,a\n{TEXT} Three.,,b\n"},
    ),
    Case(
        "values of pandas without names",
        "corpus",
        "fix: write a list of objects (pandas: to_json(orient='records'))",
        {"c.json": f'[["{TEXT}", "ann"]]'},
    ),
    Case(
        "a frame of pandas under another ending",
        "corpus",
        "a whole table, as pandas writes it without lines=True: call the file .json",
        {"c.jsonl": f'{{"text": {{"0": "{TEXT}"}}, "author": {{"0": "ann"}}, "topic": {{"0": "a"}}}}\n'},
    ),
    Case(
        "an author who is an object",
        "corpus",
        "put the name itself in its place, as author: Ann Roe",
        {"c.jsonl": row(author={"name": "Ann Roe", "id": 3})},
    ),
    Case("an empty CSV", "corpus", "c.csv: the file is empty", {"c.csv": ""}),
    Case("a CSV of a header alone", "corpus", "c.csv: the corpus has no documents", {"c.csv": "text,author,topic\n"}),
    Case(
        "a CSV without a column of texts",
        "corpus",
        "c.csv: there is no column 'text', and none that looks like it",
        {"c.csv": "words,author,topic\n1,ann,a\n"},
    ),
    Case(
        "a CSV without a column of authors",
        "corpus",
        "c.csv: there is no column 'author', and none that looks like it",
        {"c.csv": f"text,topic\n{TEXT},a\n"},
    ),
    Case(
        "a CSV row with too many fields",
        "corpus",
        "c.csv:5: this row has another number of fields than the header",
        {"c.csv": GOOD_CSV + "a,b,c,d\n"},
    ),
    Case(
        "a CSV row with too few fields",
        "corpus",
        "c.csv:5: this row has another number of fields than the header",
        {"c.csv": GOOD_CSV + "a,b\n"},
    ),
    Case(
        "a CSV with a column that stands twice",
        "corpus",
        "c.csv:1: a column stands twice in the header",
        {"c.csv": GOOD_CSV.replace("topic", "author")},
    ),
    Case(
        "a CSV in Windows-1252 that was read as Latin-1",
        "corpus",
        "c.csv:5: control characters stand in the text",
        {"c.csv": GOOD_CSV + "It\x92s his.,ann,a\n"},
    ),
    Case(
        "JSON lines in Windows-1252 that were read as Latin-1",
        "corpus",
        "c.jsonl:1: control characters stand in the text",
        {"c.jsonl": row(text="It\x92s \x93his\x94.")},
    ),
    Case(
        "a CSV with a quote that never ends",
        "corpus",
        "c.csv:5: this is not CSV",
        {"c.csv": GOOD_CSV + '"open,ann,a\n'},
    ),
    Case(
        "a CSV with a quote within a field", "corpus", "c.csv:5: this is not CSV", {"c.csv": GOOD_CSV + '"a"b,ann,a\n'}
    ),
    Case(
        "a CSV in Latin-1",
        "corpus",
        "c.csv:5: the text is not UTF-8",
        {"c.csv": GOOD_CSV.encode() + "Füße,ann,a\n".encode("latin-1")},
    ),
    Case(
        "a CSV in UTF-16 with its mark", "corpus", "c.csv:1: the text is UTF-16", {"c.csv": GOOD_CSV.encode("utf-16")}
    ),
    Case(
        "a CSV in UTF-16 without a mark",
        "corpus",
        "c.csv:1: the text is UTF-16",
        {"c.csv": GOOD_CSV.encode("utf-16-le")},
    ),
    Case(
        "a CSV in big-endian UTF-16 without a mark",
        "corpus",
        "c.csv:1: the text is UTF-16",
        {"c.csv": GOOD_CSV.encode("utf-16-be")},
    ),
    Case(
        "a CSV with a NUL byte",
        "corpus",
        "c.csv:5: a NUL byte stands in the text",
        {"c.csv": GOOD_CSV + "a\0b,ann,a\n"},
    ),
    Case(
        "a CSV with the line ends of old Macs",
        "corpus",
        "c.csv:1: lines end as on old Macs, or a carriage return stands within one",
        {"c.csv": GOOD_CSV.replace("\n", "\r")},
    ),
    Case("a CSV with an empty text", "corpus", "c.csv:5: text is empty", {"c.csv": GOOD_CSV + ",ann,a\n"}),
    Case("a CSV with an empty author", "corpus", "c.csv:5: author is empty", {"c.csv": GOOD_CSV + "Some text.,,a\n"}),
    Case("a CSV with an empty topic", "corpus", "c.csv:5: topic is empty", {"c.csv": GOOD_CSV + "Some text.,ann,\n"}),
    Case(
        "a CSV with an author of 501 characters",
        "corpus",
        "c.csv:5: the author is too long to be a name",
        {"c.csv": GOOD_CSV + f"Some text.,{'a' * 501},a\n"},
    ),
    Case(
        "a CSV with a topic of 60,000 characters",
        "corpus",
        "c.csv:5: the topic is too long to be a name",
        {"c.csv": GOOD_CSV + f"Text.,ann,{'a' * 60000}\n"},
    ),
    Case(
        "a CSV with one author",
        "corpus",
        "c.csv: every document has one author, so there is no different-author pair",
        {"c.csv": "text,author,topic\nOne.,ann,a\nTwo.,ann,b\n"},
    ),
    Case(
        "a CSV where nobody wrote twice",
        "corpus",
        "c.csv: no author wrote two documents, so there is no same-author pair",
        {"c.csv": "text,author,topic\nOne.,ann,a\nTwo.,bob,b\n"},
    ),
    Case(
        "topics that differ in case only",
        "corpus",
        "c.csv: two topics are equal up to case",
        {"c.csv": GOOD_CSV + "Some text.,bob,A\n"},
    ),
    Case(
        "a CSV that is a zip",
        "corpus",
        "c.csv: the file is not what its name says",
        {"c.csv": zipped({"c.csv": GOOD_CSV})},
    ),
    Case(
        "a CSV that is compressed",
        "corpus",
        "c.csv: the file is not what its name says",
        {"c.csv": b"\x1f\x8b\x08\x00rest"},
    ),
    Case(
        "a quotation mark that swallows rows",
        "corpus",
        "c.tsv:3: a quotation mark joins this row and the next ones to one field",
        {"c.tsv": 'author\ttopic\ttext\na\tx\tOne.\na\tx\t"Two.\nb\tx\tThree.\nb\tx\tFour."\nb\tx\tFive.\n'},
    ),
    Case("JSON that is no list", "corpus", "c.json: this JSON is no list of records", {"c.json": '{"a":\n 1}'}),
    Case(
        "a spreadsheet",
        "corpus",
        "c.xlsx: this workbook cannot be read",
        {"c.xlsx": zipped({"xl/workbook.xml": "<x/>"})},
    ),
    Case("a file with another ending", "corpus", "c.docx: not a table Raven reads", {"c.docx": b"PK\x03\x04rest"}),
    Case(
        "an id twice",
        "corpus",
        "c.csv:3: the id stands twice",
        {"c.csv": "id,text,author,topic\n1,One.,a,x\n1,Two.,a,x\n2,Three.,b,x\n"},
    ),
    Case("an id with a NUL", "corpus", "c.jsonl:1: the id holds a NUL character", {"c.jsonl": row(id="a\0")}),
    Case(
        "an id of 60,000 characters",
        "corpus",
        "c.jsonl:1: the id is too long to be a name",
        {"c.jsonl": row(id="a" * 60_000)},
    ),
    Case(
        "half a character in an id",
        "corpus",
        "c.jsonl:1: the id is not valid Unicode: a lone surrogate stands in it",
        {"c.jsonl": row(id=LONE)},
    ),
    Case(
        "half a character in an author",
        "corpus",
        "c.jsonl:1: the author is not valid Unicode: a lone surrogate stands in it",
        {"c.jsonl": row(author=f"a{LONE}")},
    ),
    Case(
        "half a character in a topic",
        "corpus",
        "c.jsonl:1: the topic is not valid Unicode: a lone surrogate stands in it",
        {"c.jsonl": row(topic=f"a{LONE}")},
    ),
    Case(
        "half a character in a language",
        "corpus",
        "c.jsonl:1: the language is not valid Unicode: a lone surrogate stands in it",
        {"c.jsonl": row(language=LONE)},
    ),
    Case(
        "half a character in a text",
        "corpus",
        "c.jsonl:1: the text is not valid Unicode: a lone surrogate stands in it",
        {"c.jsonl": row(text=f"{TEXT} {LONE}")},
    ),
    Case(
        "a text with a NUL in JSON",
        "corpus",
        "c.jsonl:1: a NUL character stands in the text",
        {"c.jsonl": row(text=f"{TEXT}\0")},
    ),
    Case(
        "a text with a NUL in Parquet",
        "corpus",
        "c.parquet:1: a NUL character stands in the text",
        {"c.parquet": parquet(text=[f"{TEXT}\0"], author=["a"], topic=["b"])},
    ),
    Case(
        "a binary column of authors",
        "corpus",
        "c.parquet:1: author is not a name",
        {"c.parquet": parquet(text=[TEXT], author=[b"ann"], topic=["b"])},
    ),
    Case(
        "a column of dates as authors",
        "corpus",
        "c.parquet:1: author is not a name",
        {"c.parquet": parquet(text=[TEXT], author=[date(2000, 1, 1)], topic=["b"])},
    ),
    Case(
        "a binary column of ids",
        "corpus",
        "c.parquet:1: id is not a name",
        {"c.parquet": parquet(id=[b"d1"], text=[TEXT], author=["ann"], topic=["b"])},
    ),
    Case(
        "half a character in a further column",
        "corpus",
        "c.jsonl:1: genre is not valid Unicode: a lone surrogate stands in it",
        {"c.jsonl": row(genre=LONE)},
    ),
    Case(
        "half a character in the name of a column",
        "corpus",
        "c.jsonl:1: the name of a column is not valid Unicode: a lone surrogate stands in it",
        {"c.jsonl": row(**{LONE: "x"})},
    ),
    Case("an author who is a list", "corpus", "c.jsonl:1: author is not a name", {"c.jsonl": row(author=["ann"])}),
    Case("an author who is a fraction", "corpus", "c.jsonl:1: author is not a name", {"c.jsonl": row(author=1.5)}),
    Case("an author who is true", "corpus", "c.jsonl:1: author is not a name", {"c.jsonl": row(author=True)}),
    Case("an author of blanks", "corpus", "c.jsonl:1: author is not a name", {"c.jsonl": row(author="  ")}),
    Case("a text that is a number", "corpus", "c.jsonl:1: the text is not a string", {"c.jsonl": row(text=7)}),
    Case("a text that is null", "corpus", "c.jsonl:1: text is empty", {"c.jsonl": row(text=None)}),
    Case("a text of blanks", "corpus", "c.jsonl:1: the text is empty", {"c.jsonl": row(text=" \n ")}),
    Case("a line that is not JSON", "corpus", "c.jsonl:2: this line is not JSON", {"c.jsonl": row() + "text\n"}),
    Case(
        "a JSON array instead of lines", "corpus", "c.jsonl:1: not a JSON object", {"c.jsonl": f"[{row().strip()}]\n"}
    ),
    Case("JSON over several lines", "corpus", "c.jsonl:1: this line is not JSON", {"c.jsonl": '{\n"text": "a"\n}\n'}),
    Case("a line that is a number", "corpus", "c.jsonl:1: not a JSON object", {"c.jsonl": "7\n"}),
    Case(
        "JSON nested two hundred thousand deep", "corpus", "c.jsonl:1: this line is not JSON", {"c.jsonl": DEEP + "\n"}
    ),
    Case(
        "a JSON number of many digits",
        "corpus",
        "c.jsonl:1: this line is not JSON",
        {"c.jsonl": '{"text": ' + "9" * 5000 + "}\n"},
    ),
    Case(
        "JSON lines in UTF-16 without a mark",
        "corpus",
        "c.jsonl:1: the text is UTF-16",
        {"c.jsonl": row().encode("utf-16-le")},
    ),
    Case("JSON lines in UTF-32", "corpus", "c.jsonl:1: the text is UTF-32", {"c.jsonl": row().encode("utf-32")}),
    Case(
        "JSON lines that end as on old Macs",
        "corpus",
        "c.jsonl:1: lines end as on old Macs, or a carriage return stands within one",
        {"c.jsonl": (row() + row(author="b")).replace("\n", "\r")},
    ),
    Case(
        "a damaged Parquet file",
        "corpus",
        "c.parquet: this Parquet file cannot be read",
        {"c.parquet": b"PAR1 and then nothing"},
    ),
    Case(
        "a Parquet file that is text",
        "corpus",
        "c.parquet: the file is not what its name says",
        {"c.parquet": GOOD_CSV},
    ),
    Case(
        "a Parquet file without texts",
        "corpus",
        "c.parquet: there is no column 'text', and none that looks like it",
        {"c.parquet": parquet(author=["a"], topic=["b"])},
    ),
    Case(
        "a Parquet file with numbers as texts",
        "corpus",
        "c.parquet:1: the text is not a string",
        {"c.parquet": parquet(text=[1], author=["a"], topic=["b"])},
    ),
    Case(
        "a Parquet file with a missing author",
        "corpus",
        "c.parquet:2: author is empty",
        {"c.parquet": parquet(text=[TEXT, "Two."], author=["a", None], topic=["b", "b"])},
    ),
    Case("an empty Parquet file", "corpus", "c.parquet: the file is empty", {"c.parquet": b""}),
]
