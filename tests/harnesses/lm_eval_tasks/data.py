"""The questions as the data set of a task."""

from arithmetic import LETTERS, QUESTIONS
from datasets import Dataset


def questions(first: int = 60, **_: object) -> dict[str, Dataset]:
    """The first questions, each with its four choices in the prompt and the right position."""
    docs = []
    for sample in QUESTIONS[:first]:
        choices, answer = sample["choices"], sample["answer"]
        prompt = " ".join([sample["question"], *map("{}. {}".format, LETTERS, choices)])
        doc = {"prompt": prompt, "choices": choices, "answer": answer}
        position = LETTERS.index(answer)
        docs.append({**doc, "position": position, "solution": choices[position]})
    return {"test": Dataset.from_list(docs)}
