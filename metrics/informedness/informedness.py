"""Multi-class Bookmaker Informedness as a Hugging Face `evaluate` metric."""

import datasets
import evaluate

# evaluate fetches the files that are named here and no others, so each helper is named, used or not.
from .information import normal_quantile
from .intervals import result_of
from .labels import plain_label
from .protocol import LabelInputs
from .scores import INFORMEDNESS
from .table import Table

_DESCRIPTION = """\
Informedness is the share of decisions that are informed rather than guessed: 1 for a perfect
classifier, 0 for one that guesses, whatever it guesses and however uneven the classes, and
negative for one that does worse. It is the multi-class form of Youden's J,
sum over classes c of bias_c * (TPR_c - FPR_c), where bias_c is the share of predictions of c.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (`list` of `int` or `str`): Predicted labels.
    references (`list` of `int` or `str`): Ground truth labels, of the same type.
    labels (`list`, *optional*): The classes of the task, in order. By default those that occur.
    average (`str`, *optional*): "bias" (the default), "prevalence" or "macro" weights of the
        classes; None gives one value for each class, in label order, and adds "labels".
    prior (`dict`, *optional*): Class shares to score under, a probability for each class.
    prior_mode (`str`): "reweight" (the default) the references to the prior, or let it set the "odds".
    sample_weight (`list` of `float`, *optional*): A weight for each sample. `add_batch` takes it, too.
    ignore_index (*optional*): Samples whose reference equals it are dropped, as -100 in padding.
    unknown (`str`): Whether a prediction outside `labels` is an "error" (the default) or "wrong".
    zero_division (`"warn"`, 0.0 or nan): The score where all references are of one class.
    confidence_level (`float`, *optional*): Adds the standard error and the confidence interval of
        this level, as 0.95, under "informedness_standard_error" and "informedness_confidence_interval".
    return_signature (`bool`): Adds a line that names all that decides the score, under
        "informedness_signature".
Returns:
    informedness (`float`, or `list` of `float` where `average` is None): best 1, chance 0.
Examples:

    >>> import evaluate
    >>> informedness = evaluate.load("informedness")
    >>> informedness.compute(references=["a", "b", "a"], predictions=["a", "b", "b"])
    {'informedness': 0.5}

    A classifier that always gives the majority class is informed of nothing:

    >>> informedness.compute(references=[0] * 9 + [1], predictions=[0] * 10)
    {'informedness': 0.0}

    >>> informedness.compute(references=[0, 1, 2, 2], predictions=[0, 1, 2, 1], average=None)
    {'informedness': [1.0, 0.6666666666666667, 0.5], 'labels': [0, 1, 2]}
"""

_CITATION = """\
@inproceedings{vickers-etal-2023-need,
  title = "We Need to Talk About Classification Evaluation Metrics in {NLP}",
  author = "Vickers, Peter and Barrault, Lo{\\"i}c and Monti, Emilio and Aletras, Nikolaos",
  booktitle = "Proceedings of the 13th International Joint Conference on Natural Language Processing and the 3rd Conference of the Asia-Pacific Chapter of the Association for Computational Linguistics",
  year = "2023",
}
@inproceedings{powers2003recall,
  title = "Recall and Precision versus the Bookmaker",
  author = "Powers, David M. W.",
  booktitle = "International Conference on Cognitive Science",
  year = "2003",
}
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Informedness(LabelInputs, evaluate.Metric):
    """Bookmaker Informedness; see the description above."""

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
            reference_urls=["https://arxiv.org/abs/2401.03831"],
        )

    def _compute(
        self,
        predictions,
        references,
        labels=None,
        average="bias",
        prior=None,
        prior_mode="reweight",
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
        result = result_of(
            INFORMEDNESS.averaged(average),
            table,
            confidence_level,
            return_signature,
            prior=prior,
            prior_mode=prior_mode,
            zero_division=zero_division,
            ignore_index=ignore_index,
        )
        if average is None:
            result["labels"] = [plain_label(label) for label in table.labels]
        return result
