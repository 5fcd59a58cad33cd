"""The Normalised Information Transfer factor as a Hugging Face `evaluate` metric."""

import datasets
import evaluate

# evaluate fetches the files that are named here and no others, so each helper is named, used or not.
from .labels import Label
from .protocol import LabelInputs, result_of
from .scores import nit
from .table import Table

_DESCRIPTION = """\
The Normalised Information Transfer factor (NIT) measures how much the predictions tell about the
references: 2^MI / k, where MI is their mutual information in bits and k is the number of classes. It
is at most 1. Chance is 1/k, not 0.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (`list` of `int` or `str`): Predicted labels.
    references (`list` of `int` or `str`): True labels, of the same type.
    labels (`list`, *optional*): The classes of the task. All of them count in k. By default those in
        the references.
    sample_weight (`list` of `float`, *optional*): A weight for each sample; `add_batch` takes it too.
    ignore_index (*optional*): Drops samples whose reference equals it, for example -100 for padding.
    unknown (`str`): Whether a prediction that is missing, or outside `labels`, is an "error" (the default) or "wrong".
    zero_division (`"warn"`, 1.0 or nan): The score if there is only one class. "warn" (the default)
        returns 1.0, the value by definition, with a warning.
    confidence_level (`float`, *optional*): Adds the standard error and a confidence interval at this
        level, for example 0.95, as "nit_standard_error" and "nit_confidence_interval"; needs the
        package `informedness`.
    return_signature (`bool`): Adds a line that records the options, the number of samples and the version, as
        "nit_signature"; needs the package, too.
Returns:
    nit (`float`): from 1/k, which is chance, to 1, for a perfect classifier of k balanced classes.
Examples:

    >>> import evaluate
    >>> nit = evaluate.load("nit")
    >>> nit.compute(references=["a", "a", "b", "b"], predictions=["a", "a", "b", "b"])
    {'nit': 1.0}

    A classifier that always gives one class tells nothing and scores 1/k:

    >>> nit.compute(references=[0] * 9 + [1], predictions=[0] * 10)
    {'nit': 0.5}
"""

_CITATION = r"""
@article{valverde2014harmful,
  title = {100\% Classification Accuracy Considered Harmful: The Normalized Information Transfer Factor Explains the Accuracy Paradox},
  author = {Valverde-Albacete, Francisco J. and Pel{\'a}ez-Moreno, Carmen},
  journal = {PLoS ONE},
  volume = {9},
  number = {1},
  pages = {e84217},
  year = {2014},
  doi = {10.1371/journal.pone.0084217}
}
@inproceedings{vickers2023need,
  title = {We Need to Talk About Classification Evaluation Metrics in {NLP}},
  author = {Vickers, Peter and Barrault, Lo{\"i}c and Monti, Emilio and Aletras, Nikolaos},
  booktitle = {Proceedings of the 13th International Joint Conference on Natural Language Processing and the 3rd Conference of the Asia-Pacific Chapter of the Association for Computational Linguistics},
  year = {2023},
  eprint = {2401.03831},
  archivePrefix = {arXiv}
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class NIT(LabelInputs, evaluate.Metric):
    """Normalised Information Transfer factor; see the description above."""

    def _info(self):
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=[
                datasets.Features(
                    {"predictions": datasets.Value(kind), "references": datasets.Value(kind)}
                )
                for kind in ("int64", "string")
            ],
            reference_urls=["https://doi.org/10.1371/journal.pone.0084217"],
        )

    def _compute(
        self,
        predictions,
        references,
        labels=None,
        sample_weight=None,
        ignore_index=None,
        unknown="error",
        zero_division="warn",
        confidence_level=None,
        return_signature=False,
    ):
        table = Table.from_labels(
            references=references,
            predictions=predictions,
            labels=labels,
            sample_weight=sample_weight,
            ignore_index=ignore_index,
            unknown=unknown,
        )
        score = nit(table, zero_division=zero_division)
        return result_of(
            "nit",
            score,
            table,
            confidence_level,
            return_signature,
            zero_division=zero_division,
            ignore_index=ignore_index,
        )
