"""Right inputs of many domains, and usual mistakes: what a reader without guesses says of them.

A right input is a set of labels. Its samples are drawn, with four in five answered right, and are
written as CSV beside columns of other things. A mistake is a pair of columns, or a whole call.
"""

import random

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
# A name of the domain: labels between blanks, or a list.
DOMAINS = {
    # texts
    "sentiment": "positive negative neutral",
    "stars": "1 2 3 4 5",
    "inference": "entailment neutral contradiction",
    "acceptability": "0 1",
    "stance": "FAVOR AGAINST NONE",
    "emotion": "joy anger fear sadness surprise disgust none",
    "toxicity": "toxic non-toxic",
    "questions": "ABBR DESC ENTY HUM LOC NUM",
    "news": ["World", "Sports", "Business", "Sci/Tech"],
    "parts of speech": "NOUN VERB ADJ ADV PRON DET ADP NUM CONJ PRT . X",
    "Penn tags": "NN NNS NNP VB VBD , . : `` '' -LRB- -RRB- $ #",
    "entities": "O B-PER I-PER B-LOC I-LOC",
    "dependencies": "nsubj nsubj:pass obj obl aux aux:pass root",
    "languages": "de en fr no is it as or",
    "scripts": "Latn Cyrl Arab Hans Hant",
    "choices": "A B C D",
    "yes or no": "yes no",
    "truth": "true false",
    "TRUE": "TRUE FALSE",
    "letters T F": "T F",
    "dialogue acts": "% ^q sd b aa ny nn",
    "punctuation": [",", ".", "?", "!", ";", ":", "-", "'"],
    "spelling": ["colour", "color", "Colour-blind"],
    "emoji": "😀 😂 ❤️ 👍 👎",
    "Chinese": "体育 财经 娱乐",
    "Arabic": "نعم لا",
    "Hindi": "हाँ नहीं",
    "Thai": "ใช่ ไม่",
    "Cyrillic": "да нет",
    "accents": "é e è ê",
    "Greek": "π δ λ Ω",
    "text with commas": ["yes, please", 'say "no"', "no, thanks"],
    "text with breaks": ["first\nsecond", "third"],
    "paragraphs": ["A long answer. " * 12, "Another long answer. " * 12],
    # images, sound, sequences
    "digits": "0 1 2 3 4 5 6 7 8 9",
    "letters of both cases": [*ALPHABET[:13], *ALPHABET[:13].upper()],
    "hexadecimal": [*"0123456789abcdef"],
    "synsets": "n01440764 n01443537 n02099712",
    "phonemes": "S s z Z T t D d N n",
    "IPA": "ʃ s θ ð ŋ n",
    "morse": ". - .- -. ----- .....",
    "braille": "⠁ ⠃ ⠉",
    "keys": "C C# Db D d# Eb",
    "time signatures": "3/4 4/4 6/8",
    "commands": "up down left right stop go on off",
    "cards": "A♠ K♥ Q♦ 10♣",
    "chess squares": "e4 e5 d4 Nf3",
    "openings": "A00 B20 C65 E97",
    # biology, medicine, chemistry
    "iris": "setosa versicolor virginica",
    "bases": "A C G T N",
    "amino acids": [*"ACDEFGHIKLMNPQRSTVWY"],
    "genotypes": "0/0 0/1 1/1 ./.",
    "phased genotypes": "0|0 0|1 1|0 1|1",
    "strands": "+ - .",
    "elements": "H He C Co N Na Ni No Os",
    "molecules": "CO Co CO2 NO No2",
    "minerals": ["quartz", "feldspar", "mica"],
    "birds": "GREFLA BARSWA n",
    "blood": "A B AB O",
    "rhesus": "A+ A- O+ O-",
    "diagnoses": "I10 E11.9 J45.909 Z00.00",
    "grades of tumours": "G1 G2 G3 GX",
    "stages": "I II III IV IIIa IIIB",
    "heartbeats": "N S V F Q",
    "sleep": "W N1 N2 N3 REM",
    "triage": "1 2 3 4 5",
    "tests": "0 1",
    "sex": "M F X",
    "Likert": "-2 -1 0 1 2",
    # people, money, places
    "age groups": ["<18", "18-24", "25-34", ">65"],
    "income": "<=50K >50K",
    "credit ratings": "AAA AA A BBB Baa1 D",
    "marks": "A+ A A- B+ B B-",
    "parties": "D R I",
    "votes": ["yea", "nay", "present", "not voting"],
    "currencies": "EUR USD JPY ALL TRY",
    "countries": "DE FR US NO IN IS",
    "states": "MA NY OR IN ME OK",
    "post codes": "02139 10115 00100",
    "wind": "N NE E SE S SW W NW",
    "zodiac": "Aries Leo Virgo",
    "months": "Jan Feb Mar May",
    "weekdays": "Mon Tue Wed",
    "hours": [str(hour) for hour in range(24)],
    "clock": "08:00 12:00 20:00",
    "years": "1999 2000 2001",
    "dates": "2024-01-01 2024-02-01",
    "Roman numerals": "I V X L C D M",
    "sizes": "XS S M L XL XXL",
    "trends": "-1 0 1",
    "prices": ["$", "$$", "$$$"],
    "percent": ["0-10%", "10-20%", "100%"],
    "decimals": "0.5 1.0 1.5 2.0",
    "versions": "1.0 1.1 1.10 2.0",
    # machines
    "attacks": "normal. smurf. neptune. back.",
    "status": "200 301 404 500",
    "levels of logs": "DEBUG INFO WARN ERROR",
    "priorities": "P0 P1 P2 P3",
    "protocols": "tcp udp icmp",
    "ports": "22 80 443 65535",
    "media types": "text/html image/png application/json",
    "file names": "a.py b.py __init__.py",
    "programming languages": "C C++ C# R Go c",
    "operators": "== != <= >= && || ->",
    "licences": "MIT GPL-3.0 Apache-2.0",
    "addresses": "10.0.0.1 192.168.0.1",
    "hashes": "d41d8cd9 9e107d9d e4d909c2",
    "URLs": "https://a.example/x?y=1 https://b.example/",
    "JSON as text": ['{"a": 1}', '{"a": 2}', "[]"],
    "brackets": "<unk> <s> </s> [MASK]",
    "blanks within": ["very good", "very  good", "good"],
    "identifiers of classes": "cls_01 cls_02 cls_10",
    "null hypothesis": "null alternative",  # refused in CSV: one of nine words
    "Namibia": "NA ZA BW",  # likewise
    "Min Nan": "nan yue wuu",  # likewise
}
# Columns that stand beside the labels, of 60 rows: numbers and text of every kind.
BESIDE = {
    **dict.fromkeys(("id", "width", "height", "room", "patient", "year", "age"), "integers"),
    **dict.fromkeys(("n_tokens", "num_words", "length", "rank", "day", "index"), "integers"),
    **dict.fromkeys(("score", "prob", "logit", "time", "loss"), "fractions"),
    **dict.fromkeys(("text", "question", "note", "source", "split"), "text"),
}


def labels_of(domain):
    labels = DOMAINS[domain]
    return labels.split(" ") if isinstance(labels, str) else labels


def samples_of(domain, n=60, seed=0):
    """Return n references of every class, and predictions of which four in five are right."""
    labels, draw = labels_of(domain), random.Random(f"{domain} {seed}")
    references = [labels[i % len(labels)] for i in range(n)]
    draw.shuffle(references)
    predictions = [x if draw.random() < 0.8 else draw.choice(labels) for x in references]
    return references, predictions


def columns_beside(name, n=60, seed=1):
    draw = random.Random(f"{name} {seed}")
    make = {
        "integers": lambda: draw.randrange(1, 500),
        "fractions": lambda: round(draw.random(), 3),
        "text": lambda: "some words, and “quotes”",
    }[BESIDE[name]]
    return [make() for _ in range(n)]


# Mistakes: (what it is, references, predictions), or with options. A reader finds it if it refuses
# or warns.


def _pair(labels, change, n=60):
    """Return references, and predictions of which all are right, but spelt or coded otherwise."""
    references = [labels[i % len(labels)] for i in range(n)]
    return references, [change(x) for x in references]


def _partly(labels, change, share, n=60):
    references, predictions = _pair(labels, change, n)
    keep = int(n * (1 - share))
    return references, references[:keep] + predictions[keep:]


SENTIMENT, ANIMALS = ["positive", "negative", "neutral"], ["cat", "dog", "horse"]
ONE_HOT = [[1, 0], [0, 1]] * 30
HALF = [0.1, 0.9, 0.4, 0.6] * 15
MISTAKES = {
    # spelt otherwise
    "capitals": _pair(SENTIMENT, str.capitalize),
    "upper case": _pair(SENTIMENT, str.upper),
    "some capitals": _partly(SENTIMENT, str.capitalize, 0.2),
    "blank in front": _pair(SENTIMENT, lambda x: f" {x}"),
    "blank behind": _partly(SENTIMENT, lambda x: f"{x} ", 0.3),
    "line break behind": _pair(SENTIMENT, lambda x: f"{x}\n"),
    "abbreviated": _pair(SENTIMENT, lambda x: x[:3]),
    "prefix of a tool": _pair(["0", "1", "2"], lambda x: f"LABEL_{x}"),
    "prefix of fastText": _pair(ANIMALS, lambda x: f"__label__{x}"),
    "in brackets": _pair(["A", "B", "C", "D"], lambda x: f"({x})"),
    "whole sentence": _pair(["A", "B", "C", "D"], lambda x: f"The answer is {x}"),
    "typing error": _partly(ANIMALS, lambda x: x.replace("horse", "hrose"), 0.5),
    "hyphen or underscore": _pair(["not-spam", "spam"], lambda x: x.replace("-", "_")),
    "other language": _pair(["yes", "no"], {"yes": "ja", "no": "nein"}.get),
    "composed otherwise": _pair(["café", "bar"], lambda x: x.replace("é", "e\u0301")),
    # coded otherwise
    "names and positions": (ANIMALS * 20, [0, 1, 2] * 20),
    "names and positions as text": _pair(ANIMALS, lambda x: str(ANIMALS.index(x))),
    "from 1 on": _pair([0, 1, 2], lambda x: x + 1),
    "yes and 1": _pair(["yes", "no"], {"yes": "1", "no": "0"}.get),
    "true and 1": _pair(["true", "false"], {"true": "1", "false": "0"}.get),
    "TRUE and True": _pair(["True", "False"], str.upper),
    "integers and text": ([0, 1] * 30, ["0", "1"] * 30),
    "leading zeros": _pair(["01", "02", "03"], lambda x: x.lstrip("0")),
    "-1 for 0": _pair([0, 1], lambda x: 2 * x - 1),
    "None as text for no answer": (["a", "b"] * 30, ["a", "b", "None"] * 20),
    "nan as text": (["a", "b"] * 30, ["a", "nan"] * 30),
    "padding": ([0, 1, -100] * 20, [0, 1, 1] * 20),
    "empty text": (["a", "b", ""] * 20, ["a", "b", "a"] * 20),
    # not labels
    "probabilities": ([0, 1] * 30, HALF),
    "logits of two columns": ([0, 1] * 30, [[0.1, 0.9]] * 60),
    "one-hot rows": (ONE_HOT, ONE_HOT),
    "several labels": ([["a", "b"]] * 60, [["a"]] * 60),
    "probabilities as text": (["0", "1"] * 30, [str(x) for x in HALF]),
    "a missing prediction": (["a", "b"] * 30, ["a", None] * 30),
    "a missing reference": (["a", None] * 30, ["a", "b"] * 30),
    "nan among integers": ([0.0, 1.0] * 30, [0.0, float("nan")] * 30),
    "free text": _pair(ANIMALS, lambda x: f"I think that this is a {x}, but I am not sure"),
    # other samples, or other classes, of which no table shows a thing
    "numbered otherwise": _pair([0, 1, 2], lambda x: (x + 1) % 3),
    "sides swapped": (["a", "b", "b"] * 20, ["a", "a", "b"] * 20),
    "rows twice": (["a", "b"] * 60, ["a", "b", "b", "a"] * 30),
    "one class for two": (["a", "b", "c"] * 20, ["a", "b", "b"] * 20),
    "shuffled": (ANIMALS * 20, random.Random(0).sample(ANIMALS * 20, 60)),
    # other samples
    "one row fewer": (["a", "b"] * 30, ["a", "b"] * 29 + ["a"]),
    "another column": (ANIMALS * 20, [f"text number {i}" for i in range(60)]),
    "identifiers": (["a", "b"] * 30, [f"id-{i}" for i in range(60)]),
    "sides swapped, named so": ("pred", "gold"),
    "counts of a GROUP BY": "counts",
    "totals in a matrix": "totals",
    "shares of rows in a matrix": "shares",
    "another order of an index": "index",
}
