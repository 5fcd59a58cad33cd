"""A data set is the files it names, each of them once and whole, or an error that names one.

Covers src: files/opening.py.
"""

import bz2
import gzip
import lzma
import os
import re
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from informedness.files import opening
from informedness.files.joining import read_lines, samples_of_lines, whole_columns
from informedness.files.samples import Samples
from informedness.tables.label_options import read_labels
from inputs.cases import MISSING, warned
from inputs.file_cases import refused_as, table_of
from inputs.tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # see test_every_path.py


def write(path, *rows):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{gold},{model}\n" for gold, model in [("gold", "model"), *rows]))
    return path


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "parts" / "1.csv", "aa", "bb")
    return tmp_path / "parts"


def test_a_folder_and_a_list_of_files_are_one_data_set(tmp_path):
    for number, row in enumerate(("ab", "ba", "bb", "aa")):  # in folders within, as Spark writes
        write(tmp_path / f"day={number % 2}" / f"part-{number:05}.snappy.csv", row)
    files = sorted(tmp_path.rglob("part-0*"))
    for path in (str(tmp_path), [tmp_path / "day=0", *map(str, files[2:])]):
        assert table_of(path) == table_of_labels([*"abba"], [*"baba"])


def test_mixed_formats_can_be_listed_but_not_share_a_folder(tmp_path):
    refused_as([], "`path` must name at least one file")
    refused_as(tmp_path, f"^{tmp_path}: the folder must hold at least one data file; hidden files")
    file, other = write(tmp_path / "p.csv", "aa", "ba"), tmp_path / "p.jsonl"
    other.write_text('{"gold": "a", "model": "b"}\n')
    assert table_of([file, other]) == table_of_labels([*"aba"], [*"aab"])
    refused_as(tmp_path, f"^{tmp_path}: .*must have one format, got csv, jsonl")
    other.unlink()
    file.rename(tmp_path / "part-00000")
    assert table_of(tmp_path, file_format="csv") == table_of_labels([*"ab"], [*"aa"])
    refused_as(tmp_path, r"`file_format` must be one of .*'jsonl'.*, got 'xml'", file_format="xml")


def test_files_with_labels_of_other_types_are_refused_by_name(tmp_path):
    for number, label in enumerate(("1", '"1"')):
        text = f'{{"gold": {label}, "model": {label}}}\n'
        (tmp_path / f"{number}.jsonl").write_text(text * 2)
    said = r"1\.jsonl: after row 2 of the data: `references` must hold labels of one type, got "
    for by, message in ((None, said), ("gold", "`by` must hold labels of one type, got ")):
        with pytest.raises(ValueError, match=message):
            table_of(tmp_path, by=by)


def test_predictions_of_another_type_are_refused_beside_the_references(tmp_path):
    (tmp_path / "0.jsonl").write_text('{"gold": 1, "model": "a"}\n' * 2)
    said = "`predictions` must hold labels of the same type as `references`, got strings"
    with pytest.raises(ValueError, match=said):
        table_of(tmp_path)


def test_links_in_a_folder_are_followed_to_files_only(folder, tmp_path):
    elsewhere, other = write(tmp_path / "more" / "2.csv", "ba"), folder / "2.csv"
    other.symlink_to(elsewhere)
    assert table_of(folder) == table_of_labels(["a", "b", "b"], ["a", "b", "a"])
    for gone in (folder / "gone.csv", elsewhere.parent):
        other.unlink()
        other.symlink_to(gone)
        refused_as(folder, f"^{other}: a folder must not hold links to folders")


def test_an_unreadable_folder_is_an_error(folder, monkeypatch):
    def denied(path):  # a mode of 000 does not keep root out
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", denied)
    refused_as(folder, str(folder), PermissionError)


def test_a_file_given_twice_and_what_is_no_path_is_an_error(folder, tmp_path):
    file, link, hard = folder / "1.csv", tmp_path / "link.csv", tmp_path / "hard.csv"
    link.symlink_to(file)
    hard.hardlink_to(file)
    for first, second in ((file, f"{folder}/../parts/1.csv"), (folder, file), (file, link)):
        refused_as([first, second], f"^{re.escape(str(second))}: each file must be listed once")
    refused_as(
        [hard, file], f"^{file}: each file must be listed once; the same file is listed as {hard}"
    )
    refused_as(["-", "-"], "^-: each file must be listed once", file_format="csv")
    for path in (None, b"p.csv", [3, "p.csv"]):
        refused_as(path, "`path` must be a path or a sequence of paths, got ")
    for path in ("hf://datasets/me/it/p.parquet", Path("s3://b/p.csv")):
        refused_as(path, "No such file", FileNotFoundError)
    copy = write(tmp_path / "copy.csv", "aa", "bb")
    assert table_of([file, copy]).read[0].sources == (str(file), str(copy))


COMPRESSED = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda text: pa.compress(text, "zstd", asbytes=True),
}


@pytest.mark.parametrize("size", [1 << 20, 3])
@pytest.mark.parametrize("ending", COMPRESSED)
def test_every_stream_of_a_compressed_file_is_read(ending, size, monkeypatch, tmp_path):
    monkeypatch.setattr(opening, "_N_BYTES", size)
    compress, path = COMPRESSED[ending], tmp_path / f"p.csv.{ending}"
    whole, more = compress(b"gold,model\na,a\na,a\n"), compress(b"a,a\na,a\n")
    padded = whole + b"\0" * 8 + more + b"\0" * 4  # as gz alone may be
    # servers compress once more
    for written in (whole + more, compress(whole + more), *[padded] * (ending == "gz")):
        path.write_bytes(written)
        assert table_of(path).n_samples == 4
    magic = bytes([more[0] ^ 1]) + more[1:]
    for rest in (magic, more[:2], more[:-4], b"what is not compressed", b"\0\0" + magic):
        path.write_bytes(whole + rest)
        refused_as(path, rf"^{path}: the file cannot be decompressed \({ending}\): \w")
    path.write_bytes(whole[:-4])
    refused_as(path, rf"^{path}: the file cannot be decompressed \({ending}\): \w")


def test_a_zip_archive_is_refused_whatever_it_is_called(tmp_path):
    with zipfile.ZipFile(tmp_path / "p.csv", "w") as archive:
        archive.writestr("p.csv", "gold,model\na,a\n")
    refused_as(tmp_path / "p.csv", "the file is a ZIP archive. Unpack it.")


BESIDE = ["README.md", "_SUCCESS", "_part.csv", "~$book.xlsx", "dataset_info.json", "Citation"]
LEFT_OUT = "informedness: {}: left out hidden entries and files without data, such as"


def test_what_cannot_be_data_in_a_folder_is_left_out_and_named(tmp_path):
    names = ["citation", "data", "LICENSE", "readme", "Readme.old"]
    table = table_of([write(tmp_path / f"{name}.csv", "aa", "bb") for name in names])
    assert warned(table_of, tmp_path) == (table, "")
    for name in BESIDE:
        (tmp_path / name).touch()
        assert warned(table_of, tmp_path) == (table, f"{LEFT_OUT.format(tmp_path)} {name}")
        (tmp_path / name).unlink()
    for name in ("notes.md", "notes.text.gz"):  # which may be data
        (tmp_path / name).touch()
        refused_as(tmp_path, f"{name}: the format must be one of")
        (tmp_path / name).unlink()
    for name, where in ((".1.crc", "gone"), ("_old", "."), ("_temporary", ".")):
        (tmp_path / name).symlink_to(tmp_path / where, target_is_directory=True)
    (tmp_path / "LICENSE").touch()
    first = f"{LEFT_OUT.format(tmp_path)} .1.crc, LICENSE, _old"
    assert warned(table_of, tmp_path) == (table, first)


def test_nulls_are_refused_with_count_and_first_file(tmp_path):
    for number, rows in enumerate((("aa", ("b", "")), ("aa",), (("", "a"),))):
        write(tmp_path / f"{number}.csv", *rows)
    said = "`references` .* in 1 of 4 rows of column 'gold'; `predictions` .* in 1 of 4 rows"
    refused_as(tmp_path, f"^{tmp_path}/0.csv and 1 more: {said}")


@pytest.mark.parametrize("missing", MISSING)  # test_every_path.py refuses them
def test_text_for_missing_values_is_null_in_text_files(missing, tmp_path):
    gold, model, path = ["a", missing, "b", "a"], ["a", "a", missing, "b"], tmp_path / "p.csv"
    write(path, *zip(gold, model, strict=True))
    assert table_of(path, drop_null=True) == table_of_labels(["a", "a"], ["a", "b"])
    whole = table_of_labels(gold, model)
    for options in ({"labels": ["a", "b", missing]}, {"ignore_index": missing}):
        assert table_of(path, **options) == table_of_labels(gold, model, **options)
    assert warned(table_of, path, keep_missing=True) == (whole, "")


DROP, KEEP = {"drop_null": True}, {"keep_missing": True}
GAPS = {  # labels in lines, of which some are empty
    "a\r\n\r\nb\r\n\r\n\r\n\r\n": ["a", "", "b", "", "", ""],
    "aé🎯\n\n\n\n\nb": ["aé🎯", "", "", "", "", "b"],
    "a\r\rb\r\rc\r\r\r": ["a", "", "b", "", "c", "", ""],
}
LINES = [
    *((text, KEEP, labels) for text, labels in GAPS.items()),
    *((text, DROP, list(filter(None, labels))) for text, labels in GAPS.items()),
    # lines at the end that are empty are no samples, and others have no label
    *((x, {}, y) for x, y in zip(GAPS, ("in 1 of 3 r", "in 4 of 6 r", "in 2 of 5 r"), strict=True)),
    ("a\nNA\nb\n\na\n\n", {}, r".* in 2 of 5 rows of column 'r\.txt'; `predictions` .* 2 of 5"),
    ("a\nNA\nb\n\na\n\n", DROP, ["a", "b", "a"]),
    ("a\nNA\n\n", KEEP, ["a", "NA", ""]),
    ("a\0\n\0b\0\n\0", {}, "line 1 is not text in UTF-8"),
    (b"a\n" * 9 + b"\xff", {}, "line 10 is not text in UTF-8"),
    # morse, and whatever else somebody calls a class
    ("--\n|\n-----\nlabel\ta\n", {}, ["--", "|", "-----", "label\ta"]),
    *(
        ((end.join("aéb") + end * last).encode(encoding), {}, ["a", "é", "b"])
        for end in ("\n", "\r\n", "\r")
        for last in (0, 1)
        for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32")
    ),
]
SIDES = {"references": "r.txt", "predictions": "p.txt"}


def test_lines_are_read_as_labels(tmp_path):
    path = tmp_path / "p.txt"
    for text, options, expected in LINES:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        samples = Samples(SIDES, **options)

        def read_both(samples=samples):
            lines = samples_of_lines({side: read_lines(path, None) for side in SIDES}, samples)
            return whole_columns(samples, lines)

        if isinstance(expected, str):
            with pytest.raises(ValueError, match=f"^({path}: |`references` .*){expected}"):
                read_both()
        else:
            read = read_both().columns.values()
            assert [column.tolist() for column in read] == [expected] * 2, text


def test_files_of_different_lengths_are_refused():
    for n, m in ((9, 12), (12, 9)):
        sides = {side: read_labels(["a"] * x, side) for side, x in zip(SIDES, (n, m), strict=True)}
        with pytest.raises(
            ValueError, match=rf"rows in each file, got {n} in r\.txt, {m} in p\.txt"
        ):
            samples_of_lines(sides, Samples(SIDES))
