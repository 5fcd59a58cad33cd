"""Sixty questions with four choices, and three models, of which every score is worked out by hand.

The right choices go round A, B, C, B, D: 12 times A, 24 times B, 12 times C and 12 times D. Every
second question holds half of each.
"""

from pathlib import Path

LOGS = Path(__file__).resolve().parents[2] / "examples" / "runs"
LOG = {"lm-eval": "letters", "lighteval": "arithmetic", "inspect": "choice"}  # of one letter each
_NAMES = {
    "lm-eval": "lm-eval/{}/samples_arithmetic_{}_*.jsonl.gz",
    "lighteval": "lighteval/details/{}/*/details_{}_0_*.parquet",
    "inspect": "inspect/{1}_{0}.eval",
}
LETTERS = "ABCD"
REFUSAL = "I cannot answer that."


def _question(index: int) -> dict:
    """A question: id, question, choices (the texts of A to D) and answer (a letter)."""
    answer = "ABCBD"[index % 5]
    first, second = index + 1, index % 7 + 2
    smallest = first + second - LETTERS.index(answer)
    asked, choices = f"What is {first} + {second}?", [str(smallest + step) for step in range(4)]
    return {"id": f"sum-{index:02}", "question": asked, "choices": choices, "answer": answer}


QUESTIONS = [_question(index) for index in range(60)]
GOLDS = [question["answer"] for question in QUESTIONS]
SAID = {  # by each model, to each question
    "refuses": [REFUSAL] * 60,
    "always-b": ["B"] * 60,
    "knows-half": [gold if i % 2 == 0 else "B" for i, gold in enumerate(GOLDS)],
}


def answers(model: str) -> dict[str, str]:
    """What a model says, by question."""
    return dict(zip((x["question"] for x in QUESTIONS), SAID[model], strict=True))


def kept(harness: str, log: str | None = None, model: str = "knows-half") -> Path:
    """The log of a model that is kept."""
    (path,) = LOGS.glob(_NAMES[harness].format(model, log or LOG[harness]))
    return path
