"""Data frames of PySpark give the table of their samples, also as on the page on files.

`make test-spark` runs this, in an environment of its own; `make test` does not.
"""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from informedness import table_from_frame
from inputs.frame_cases import COLUMNS, labels_and_weights
from inputs.tables import table_of_labels

LABELS, WEIGHTS = labels_and_weights(22, 3000)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Return a session with two workers on this machine, which starts in an empty folder."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("spark"))
        session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
        yield session
        session.stop()


@pytest.mark.parametrize("kind", LABELS)
def test_spark_gives_the_table_of_the_samples(spark, kind):
    rows = list(zip(*LABELS[kind], WEIGHTS, strict=True))
    frame = spark.createDataFrame(rows, ["gold", "model", "w"]).repartition(3)
    assert table_from_frame(frame, **COLUMNS) == table_of_labels(*LABELS[kind])
    wanted = table_of_labels(*LABELS[kind], sample_weight=WEIGHTS)
    assert table_from_frame(frame, **COLUMNS, weights="w") == wanted
    if kind == "integers":
        options = {"labels": [*range(-2, 12)], "unknown": "wrong", "ignore_index": -3}
        wanted = table_of_labels(*LABELS[kind], sample_weight=WEIGHTS, **options)
        assert table_from_frame(frame, **COLUMNS, weights="w", **options) == wanted


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UNICODE_AI", "UNICODE", "UTF8_BINARY_RTRIM"])
def test_a_collation_that_merges_labels_is_refused(spark, collation):
    rows = "values ('Ham', 'ham'), ('ham', 'ham'), ('ham ', 'e') t(gold, model)"
    frame = spark.sql(f"select gold, model collate {collation} as model from {rows}")
    with pytest.raises(ValueError, match="the collation of column 'model' treats"):
        table_from_frame(frame, **COLUMNS)
    frame = frame.selectExpr("gold", "model collate UTF8_BINARY as model")
    expected = table_of_labels(["Ham", "ham", "ham "], ["ham", "ham", "e"])
    assert table_from_frame(frame, **COLUMNS) == expected


def test_the_frame_of_the_page_on_files_is_counted(spark):
    text = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"`(spark\.read\..*?)`", text)
    labels = ["ham"] * 90 + ["spam"] * 10, ["ham"] * 84 + ["spam"] * 8 + ["ham"] * 8
    frame = spark.createDataFrame(list(zip(*labels, strict=True)), ["label", "model"])
    frame.repartition(4).write.parquet("predictions")
    read = eval(code, {"spark": spark})
    expected = table_of_labels(*labels)
    assert table_from_frame(read, references="label", predictions="model") == expected
