"""Where data may be: files of every format, and frames of every engine."""

import datasets
import duckdb
import ibis
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from informedness import table_from_file, table_from_frame
from inputs.file_cases import COLUMNS, WRITERS

DATABASE = duckdb.connect()  # which relations do not keep open in the lowest version


def of_dask(frame):
    import dask.dataframe  # only where it is used: the import takes a second

    is_bytes = any(type(x) is bytes for x in np.ravel(frame))
    with dask.config.set({"dataframe.convert-string": not is_bytes}):  # or it decodes them
        return dask.dataframe.from_pandas(frame, npartitions=3)


ENGINES = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda data: DATABASE.from_arrow(pa.table(data)),
    "dask": lambda data: of_dask(pd.DataFrame(data)),
    "ibis": lambda data: ibis.memtable(pa.table(data)),
    "narwhals": lambda data: narwhals.from_native(pl.DataFrame(data)),
    "datasets": datasets.Dataset.from_dict,
}
SOURCES = [*WRITERS, *ENGINES]


def reader_of(source, data, folder):
    """Return what reads a table from this data, once it is in a file or frame."""
    if source in ENGINES:
        frame = ENGINES[source](data)
        return lambda **options: table_from_frame(frame, **COLUMNS | options)
    WRITERS[source](pa.table(data), folder / source)
    return lambda **options: table_from_file(folder / source, **COLUMNS | options)
