"""The Normalised Information Transfer factor as a Hugging Face `evaluate` metric."""

import datasets
import evaluate

# evaluate fetches the files that are named here and no others, so each helper is named, used or not.
from .information import normal_quantile
from .intervals import result_of
from .labels import plain_label
from .protocol import LabelInputs
from .scores import NIT
from .table import Table

_DESCRIPTION = """\
The Normalised Information Transfer factor (NIT) measures how much information about the
references comes through in the predictions: 2^MI / k, with MI their mutual information in bits
and k the number of classes. It is at most 1, and 1/k (not 0) for predictions that carry no
information.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (`list` of `int` or `str`): Predicted labels.
    references (`list` of `int` or `str`): Ground truth labels, of the same type.
    labels (`list`, *optional*): The classes of the task; all of them count in k. By default the
        classes of the references.
    sample_weight (`list` of `float`, *optional*): A weight for each sample. `add_batch` takes it, too.
    ignore_index (*optional*): Samples whose reference equals it are dropped, as -100 in padding.
    unknown (`str`): Whether a prediction outside `labels` is an "error" (the default) or "wrong".
    zero_division (`str` or `float`): The score where there is one class. "warn" (the default) is
        1.0, which it is by definition, with a warning; 1.0 and nan give no warning.
    confidence_level (`float`, *optional*): Adds the standard error and the confidence interval of
        this level, as 0.95, under "nit_standard_error" and "nit_confidence_interval".
    return_signature (`bool`): Adds a line that names all that decides the score, under
        "nit_signature".
Returns:
    nit (`float`): from 1/k, no information, to 1, all there is between k balanced classes.
Examples:

    >>> import evaluate
    >>> nit = evaluate.load("nit")
    >>> nit.compute(references=["a", "a", "b", "b"], predictions=["a", "a", "b", "b"])
    {'nit': 1.0}

    A classifier that always gives one class passes on nothing, which is 1/k:

    >>> nit.compute(references=[0] * 9 + [1], predictions=[0] * 10)
    {'nit': 0.5}
"""

_CITATION = """\
@article{valverde2014nit,
  title = "100\\% Classification Accuracy Considered Harmful: The Normalized Information Transfer Factor Explains the Accuracy Paradox",
  author = "Valverde-Albacete, Francisco J. and Pel{\\'a}ez-Moreno, Carmen",
  journal = "PLoS ONE",
  volume = "9",
  number = "1",
  year = "2014",
}
@inproceedings{vickers-etal-2023-need,
  title = "We Need to Talk About Classification Evaluation Metrics in {NLP}",
  author = "Vickers, Peter and Barrault, Lo{\\"i}c and Monti, Emilio and Aletras, Nikolaos",
  booktitle = "Proceedings of the 13th International Joint Conference on Natural Language Processing and the 3rd Conference of the Asia-Pacific Chapter of the Association for Computational Linguistics",
  year = "2023",
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Nit(LabelInputs, evaluate.Metric):
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
            references,
            predictions,
            labels=labels,
            sample_weight=sample_weight,
            ignore_index=ignore_index,
            unknown=unknown,
        )
        return result_of(
            NIT,
            table,
            confidence_level,
            return_signature,
            ignore_index=ignore_index,
            zero_division=zero_division,
        )
