"""Of right inputs of 115 domains 3 are refused, each with a way out; of 50 mistakes 45 are found.

The inputs are in battery.py.
"""

import csv
import warnings

import numpy as np
import pandas as pd
import pytest

import battery
from informedness import ContingencyTable, informedness_score, table_from_file
from informedness.core.labels import LabelsWarning, UndefinedMetricWarning

# In text files the words of these are nulls, and elsewhere a class that is warned of.
NULLS = {"null hypothesis", "Namibia", "Min Nan"}
# Of these no table shows that they are a mistake.
NOT_FOUND = {"shuffled", "numbered otherwise", "sides swapped", "rows twice", "one class for two"}


def said_of(call, *given, **options):
    """Return "refused" or "warned", or an empty text if the call says nothing of labels."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call(*given, **options)
        except (ValueError, TypeError):
            return "refused"
    about_labels = (LabelsWarning, UndefinedMetricWarning)
    is_warned = any(
        issubclass(x.category, about_labels) or "sums to 1" in str(x.message) for x in caught
    )
    return "warned" if is_warned else ""


def write(path, columns):
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


COLUMNS = {"references": "label", "predictions": "model"}


def test_the_battery_is_as_large_as_it_says():
    assert (len(battery.DOMAINS), len(battery.MISTAKES)) == (115, 50)


def test_labels_of_every_domain_are_scored_without_a_word(tmp_path):
    said = {}
    for domain in battery.DOMAINS:
        references, predictions = battery.samples_of(domain)
        beside = {name: battery.columns_beside(name) for name in battery.BESIDE}
        path = write(tmp_path / "p.csv", {**beside, "label": references, "model": predictions})
        said[domain] = (
            said_of(table_from_file, path, **COLUMNS),
            said_of(informedness_score, references, predictions),
            said_of(table_from_file, path, labels=battery.labels_of(domain), **COLUMNS),
        )
    assert {domain: what for domain, what in said.items() if any(what)} == dict.fromkeys(
        NULLS, ("refused", "warned", "")
    )


def test_no_column_beside_a_few_rows_is_taken_for_anything(tmp_path):
    for name in battery.BESIDE:
        rows = {name: battery.columns_beside(name, 6), "label": [*"aabbcc"], "model": [*"aabbca"]}
        path = write(tmp_path / "p.csv", rows)
        assert said_of(table_from_file, path, **COLUMNS) == "", name


def scored(name, tmp_path):
    """Score a mistake as somebody would who does not know of it."""
    given = battery.MISTAKES[name]
    if isinstance(given[0], list):
        return informedness_score(*given)
    counts = pd.DataFrame({"label": [*"aabb"], "model": [*"abab"], "n": [40, 10, 5, 45]})
    matrix = np.array([[40, 10], [5, 45]])
    if given == "counts":
        return table_from_file(write(tmp_path / "p.csv", counts.to_dict("list")), **COLUMNS)
    if given == "totals":
        whole = pd.crosstab([*"aab"], [*"abb"], margins=True)
        return ContingencyTable.from_matrix(whole)
    if given == "shares":
        return ContingencyTable.from_matrix(matrix / matrix.sum(axis=1, keepdims=True))
    if given == "index":
        series = pd.Series([*"aabb"]), pd.Series([*"abab"])
        return informedness_score(series[0], series[1][::-1])
    columns = {"pred": [*"aabb"], "gold": [*"abab"]}
    references, predictions = given
    path = write(tmp_path / "p.csv", columns)
    return table_from_file(path, references=references, predictions=predictions)


@pytest.mark.parametrize("name", battery.MISTAKES)
def test_usual_mistakes_are_found_but_those_that_no_table_shows(name, tmp_path):
    said = said_of(scored, name, tmp_path)
    assert (said == "") == (name in NOT_FOUND), said
