"""Sixty questions with four choices, and three models, of which every score is worked out by hand.

The right choices go round A, B, C, B, D: 12 times A, 24 times B, 12 times C and 12 times D. Every
second question holds half of each.
"""

LETTERS = "ABCD"
MODELS = ("refuses", "always-b", "knows-half")
REFUSAL = "I cannot answer that."


def samples() -> list[dict]:
    """The questions: id, question, choices (the texts of A to D) and answer (a letter)."""
    questions = []
    for index in range(60):
        answer = "ABCBD"[index % 5]
        first, second = index + 1, index % 7 + 2
        smallest = first + second - LETTERS.index(answer)
        questions.append(
            {
                "id": f"sum-{index:02}",
                "question": f"What is {first} + {second}?",
                "choices": [str(smallest + step) for step in range(4)],
                "answer": answer,
            }
        )
    return questions


def answers(model: str, samples: list[dict]) -> list[str]:
    """What a model says to each question."""
    if model == "refuses":
        return [REFUSAL for _ in samples]
    if model == "always-b":
        return ["B" for _ in samples]
    if model == "knows-half":
        return [sample["answer"] if i % 2 == 0 else "B" for i, sample in enumerate(samples)]
    raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}")
