"""Pin the versions of all packages of a Space, so that a restart runs the tested ones.

python spaces/lock.py

They are the newest versions for the Python named in the cards, on the system of the Hub.
"""

import subprocess
import sys

from build import LOCK, MODULES, of_card, space_needs


def main() -> int:
    """Resolve and write the versions; return the exit code."""
    needs = "\n".join(dict.fromkeys(x for metric in MODULES for x in space_needs(metric)))
    python = of_card(MODULES[0], "python_version")
    options = ["--no-header", "--no-annotate", "--only-binary", ":all:", "--upgrade"]
    options += ["--python-version", python, "--python-platform", "x86_64-manylinux_2_28"]
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", *options, "-o", str(LOCK)]
    return subprocess.run(command, input=needs, text=True, stdout=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
