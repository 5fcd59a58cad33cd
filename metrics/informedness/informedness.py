"""Multi-class Bookmaker Informedness as a Hugging Face `evaluate` metric."""

import datasets
import evaluate

# evaluate fetches the files that are named here and no others, so each helper is named, used or not.
from .labels import Label
from .protocol import LabelInputs, result_of
from .scores import informedness
from .table import Table, labels_at

_DESCRIPTION = """\
Informedness says how much better than guessing a classifier is. A perfect classifier
scores 1, and guessing scores 0 on average, no matter how uneven the classes are. It is the
multi-class form of Youden's J: the sum over classes c of bias_c * (TPR_c - FPR_c), where bias_c is
the share of the predictions that are c.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions (`list` of `int` or `str`): Predicted labels.
    references (`list` of `int` or `str`): True labels, of the same type.
    labels (`list`, *optional*): The classes of the task, in order. By default those of the references.
    average (`str`, *optional*): How classes are weighted: "bias" (the default), "prevalence" (to
        train with three or more classes) or "macro". None returns one value per class, in label
        order, and adds "labels".
    prior (`dict`, *optional*): Class shares to score under, a probability or count for each class.
    prior_mode (`str`): "reweight" (the default) weights the samples so that the class shares match
        the prior; "odds" uses the odds that the prior sets.
    sample_weight (`list` of `float`, *optional*): A weight for each sample; `add_batch` takes it too.
    ignore_index (*optional*): Drops samples whose reference equals it, for example -100 for padding.
    unknown (`str`): Whether a prediction that is missing, or outside `labels`, is an "error" (the default) or "wrong".
    zero_division (`"warn"`, 0.0 or nan): The score if all references belong to one class.
    confidence_level (`float`, *optional*): Adds the standard error and a confidence interval at this
        level, for example 0.95, as "informedness_standard_error" and
        "informedness_confidence_interval"; needs the package `informedness`.
    return_signature (`bool`): Adds a line that records the options, the number of samples and the version, as
        "informedness_signature"; needs the package, too.
Returns:
    informedness (`float`, or `list` of `float` if `average` is None): 1 is perfect, 0 is chance.
Examples:

    >>> import evaluate
    >>> informedness = evaluate.load("informedness")
    >>> informedness.compute(references=["a", "b", "a"], predictions=["a", "b", "b"])
    {'informedness': 0.5}

    A classifier that always gives the most common class knows nothing:

    >>> informedness.compute(references=[0] * 9 + [1], predictions=[0] * 10)
    {'informedness': 0.0}

    >>> informedness.compute(references=[0, 0, 1, 2, 2], predictions=[0, 0, 1, 2, 1], average=None)
    {'informedness': [1.0, 0.75, 0.5], 'labels': [0, 1, 2]}
"""

_CITATION = r"""
@inproceedings{vickers2023need,
  title = {We Need to Talk About Classification Evaluation Metrics in {NLP}},
  author = {Vickers, Peter and Barrault, Lo{\"i}c and Monti, Emilio and Aletras, Nikolaos},
  booktitle = {Proceedings of the 13th International Joint Conference on Natural Language Processing and the 3rd Conference of the Asia-Pacific Chapter of the Association for Computational Linguistics},
  year = {2023},
  eprint = {2401.03831},
  archivePrefix = {arXiv}
}
@inproceedings{powers2003recall,
  title = {Recall and Precision versus the Bookmaker},
  author = {Powers, David M. W.},
  booktitle = {International Conference on Cognitive Science},
  year = {2003}
}
@article{powers2011evaluation,
  title = {Evaluation: From Precision, Recall and {F}-Measure to {ROC}, Informedness, Markedness \& Correlation},
  author = {Powers, David M. W.},
  journal = {Journal of Machine Learning Technologies},
  volume = {2},
  number = {1},
  pages = {37--63},
  year = {2011}
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
            references=references,
            predictions=predictions,
            labels=labels,
            sample_weight=sample_weight,
            ignore_index=ignore_index,
            unknown=unknown,
        )
        options = {
            "average": average,
            "prior": prior,
            "prior_mode": prior_mode,
            "zero_division": zero_division,
        }
        score = informedness(table, **options)
        result = result_of(
            "informedness",
            score,
            table,
            confidence_level,
            return_signature,
            ignore_index=ignore_index,
            **options,
        )
        if average is None:
            # bytes as their literals, which JSON can hold
            classes = labels_at(table, table.is_class)
            result["labels"] = [repr(x) if isinstance(x, bytes) else x for x in classes]
        return result
