"""Keep the helpers beside each metric script byte-identical to those of the package.

python spaces/sync.py           copy what differs
python spaces/sync.py --check   only say what differs, and exit with 1 if anything does
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HELPERS = (
    "coding.py",
    "contingency.py",
    "estimates.py",
    "intervals.py",
    "protocol.py",
    "reading.py",
)


def stale_copies() -> list[tuple[Path, Path]]:
    """Return (helper, copy) for each copy that is missing or differs."""
    copies = [
        (ROOT / "src" / "informedness" / name, script.parent / name)
        for script in sorted(ROOT.glob("metrics/*/*.py"))
        if script.stem == script.parent.name
        for name in HELPERS
    ]
    return [
        (helper, copy)
        for helper, copy in copies
        if not copy.is_file() or copy.read_bytes() != helper.read_bytes()
    ]


def main() -> int:
    """Copy or check, and return the exit code."""
    parser = argparse.ArgumentParser(description="Keep the copies of the helpers in step.")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if any differ")
    check = parser.parse_args().check
    stale = stale_copies()
    for helper, copy in stale:
        if not check:
            copy.write_bytes(helper.read_bytes())
        print(f"{'differs' if check else 'updated'}: {copy.relative_to(ROOT)}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
