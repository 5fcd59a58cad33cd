"""The questions as the data set of a task."""

from arithmetic import LETTERS, QUESTIONS
from datasets import Dataset


def questions(first: int = 60, **_: object) -> dict[str, Dataset]:
    """The first questions, each with its four choices in the prompt and the right position."""
    docs = [
        {
            "prompt": " ".join(
                [sample["question"], *map("{}. {}".format, LETTERS, sample["choices"])]
            ),
            "choices": sample["choices"],
            "answer": sample["answer"],
            "position": LETTERS.index(sample["answer"]),
            "solution": sample["choices"][LETTERS.index(sample["answer"])],
        }
        for sample in QUESTIONS[:first]
    ]
    return {"test": Dataset.from_list(docs)}
