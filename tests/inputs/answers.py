"""Answers of models by columns, and with other columns."""

from dataclasses import replace

from informedness.logs.answers import Answers
from informedness.logs.verdicts import Sample, find_classes


def column(answers, name):
    """Return a field of all samples."""
    return tuple(getattr(sample, name) for sample in answers.samples)


def with_columns(answers, **columns):
    """Return answers with other values of fields, sample by sample."""
    rows = zip(answers.samples, *columns.values(), strict=True)
    samples = (x._replace(**dict(zip(columns, fields, strict=True))) for x, *fields in rows)
    return replace(answers, samples=tuple(samples))


def inside(rows, choices=None, texts=()):
    """Return the answers in rows of (sample, gold, answer, verdict) inside a run."""
    samples = [Sample(*row) for row in rows]
    if texts:
        samples = [x._replace(choices=y) for x, y in zip(samples, texts, strict=True)]
    return Answers.from_harness(samples, choices)


def classes_found(answers, golds, verdicts, class_names):
    """Return the classes that texts name."""
    columns = zip(range(len(golds)), golds, answers, verdicts, strict=True)
    return find_classes([Sample(*x) for x in columns], class_names)
