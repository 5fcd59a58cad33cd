"""Keep the copies of the helper next to the metric scripts identical to the package's files.

python spaces/sync.py           copy what differs
python spaces/sync.py --check   only print what differs, and exit with 1 if anything does
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "informedness"
HELPER = sorted(path for path in (SOURCE / "core").glob("*.py") if path.name != "__init__.py")


def stale_copies() -> list[tuple[Path, Path]]:
    """List (helper file, copy) for each copy that is missing or differs."""
    scripts = [x for x in sorted(ROOT.glob("metrics/*/*.py")) if x.stem == x.parent.name]
    copies = [(path, script.parent / path.name) for script in scripts for path in HELPER]
    return [
        (path, copy)
        for path, copy in copies
        if not copy.is_file() or copy.read_bytes() != path.read_bytes()
    ]


def main() -> int:
    """Copy or check, and return the exit code."""
    is_check, stale = "--check" in sys.argv, stale_copies()
    for path, copy in stale:
        print(f"{'differs' if is_check else 'updated'}: {copy.relative_to(ROOT)}")
        if not is_check:
            copy.write_bytes(path.read_bytes())
    return int(is_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
