"""A model that is small enough to be made for a test."""

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A model for `transformers`, with a token for each character."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("model") / "tiny"
    vocabulary = {"<end>": 0, "\n": 1, **{chr(i): i - 30 for i in range(32, 127)}}
    characters = Tokenizer(models.WordLevel(vocabulary, unk_token="<end>"))
    characters.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    special = dict.fromkeys(("eos_token", "pad_token", "unk_token"), "<end>")
    PreTrainedTokenizerFast(tokenizer_object=characters, **special).save_pretrained(folder)
    size = {"n_positions": 512, "n_embd": 8, "n_layer": 1, "n_head": 1}
    config = GPT2Config(vocab_size=len(vocabulary), bos_token_id=0, eos_token_id=0, **size)
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
