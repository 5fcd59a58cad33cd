"""The page on other loops in several processes; `test_documents.py` runs it in one."""

import os
import re
import subprocess
import sys

import pytest

from test_documents import ROOT, snippets

pytestmark = pytest.mark.slow


def test_the_loop_of_accelerate_counts_each_sample_once_in_two_processes(tmp_path):
    """And as the page says, not so where batches are filled up."""
    page = [code for _, code, _ in snippets(ROOT / "docs" / "other-loops.md")]
    (loop,) = (code for code in page if "gather_object" in code)
    filled_up = loop.replace("even_batches=False", "even_batches=True")
    assert filled_up != loop
    script = tmp_path / "loop.py"
    script.write_text("\n".join([page[0], loop, page[0], filled_up]), encoding="utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    environment = {**os.environ, "ACCELERATE_USE_CPU": "1"}  # as `accelerate launch --cpu`
    result = subprocess.run([*command, script], capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    # lines of two processes may run together
    counted = re.findall(r"(1\d\d) mails: (0\.\d{4})", result.stdout)
    assert [number for number, _ in counted] == ["100", "160"]
    assert counted[0][1] == "0.7333" != counted[1][1]
