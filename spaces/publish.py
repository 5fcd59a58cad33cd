"""Publish the Spaces on the Hugging Face Hub, where people try the metrics and load them by name.

python spaces/publish.py --org ORG                     create or update both Spaces
python spaces/publish.py --org ORG --dry-run           only print what would change
python spaces/publish.py --org ORG --release 0.2.0     also tag them release-0.2.0, from the commit
                                                       that has this tag, and from nothing else

The token comes from HF_TOKEN or `hf auth login`; it needs write access to ORG.
"""

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from build import MODULES, BuildError, git, space_files
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import (  # type: ignore[attr-defined]
    HfHubHTTPError,
    HTTPError,  # from httpx or httpx2, whichever the client uses
    RepositoryNotFoundError,
)
from huggingface_hub.hf_api import RepoFile
from sync import ROOT

from informedness import __version__  # of this checkout, which `build` puts first in the path

_FROM_THE_HUB = {".gitattributes", "README.md"}  # the files of a new Space
_KEPT = {".gitattributes"}  # it tells the Hub which files are binary
_TIMEOUT = 30  # seconds for the first answer; the client itself would wait for ever


class PublishError(Exception):
    """The message says what is wrong, in one sentence."""


@dataclass(frozen=True)
class Plan:
    """What it takes to make a Space hold `files`; `head` is None while there is no such Space.

    `changes` says for a name whether its file is added (+), changed (~) or removed (-).
    """

    repo_id: str
    files: dict[str, bytes]
    head: str | None
    changes: dict[str, str]
    tag: str | None

    def __str__(self) -> str:
        """Return the changes, one per line."""
        said = [f"{mark} {name}" for name, mark in self.changes.items()]
        said += [f"tag {self.tag}"] if self.tag else []
        state = "" if self.head else " (new)"
        return "\n  ".join([f"{self.repo_id}{state}", *(said or ["nothing changed"])])


def make_plan(
    api: HfApi, repo_id: str, files: dict[str, bytes], *, private: bool, release: str | None
) -> Plan:
    """Compare a Space with the files it should hold; this only reads."""
    tag = f"release-{release}" if release else None
    try:
        space = api.space_info(repo_id, timeout=_TIMEOUT)
    except RepositoryNotFoundError:
        return Plan(repo_id, files, None, dict.fromkeys(files, "+"), tag)
    if private and not space.private:
        raise PublishError("it is already public: make it private in its settings on the Hub")
    listed = api.list_repo_tree(repo_id, recursive=True, revision=space.sha, repo_type="space")
    # others are folders, which go with their last file
    there = {entry.path: entry.blob_id for entry in listed if isinstance(entry, RepoFile)}
    script = f"{repo_id.partition('/')[2]}.py"
    is_ours = script in there or not there.keys() - _FROM_THE_HUB
    if space.sdk != "gradio" or not is_ours:
        why = f"there is no {script} in it" if space.sdk == "gradio" else f"{space.sdk}, not gradio"
        raise PublishError(
            f"it is a Space of another kind ({why}): delete it, or publish under another --org"
        )
    changes = {name: "~" if name in there else "+" for name in files}
    same = [name for name in files if there.get(name) == _git_oid(files[name])]
    changes = {name: mark for name, mark in changes.items() if name not in same}
    changes |= dict.fromkeys(sorted(there.keys() - files.keys() - _KEPT), "-")
    refs = api.list_repo_refs(repo_id, repo_type="space").tags if tag else []
    if commits := [ref.target_commit for ref in refs if ref.name == tag]:
        if changes or commits != [space.sha]:
            raise PublishError(
                f"the tag {tag} is already on another state of it (commit {commits[0][:7]}): "
                "release under a new version number"
            )
        tag = None
    return Plan(repo_id, files, space.sha, changes, tag)


def publish(api: HfApi, plan: Plan, *, private: bool, release: str | None) -> None:
    """Carry out a plan."""
    head, name = plan.head, plan.repo_id
    if head is None:  # whether it is private: None is the default of the organisation
        api.create_repo(name, repo_type="space", space_sdk="gradio", private=private or None)
    operations = [
        CommitOperationDelete(path) if mark == "-" else CommitOperationAdd(path, plan.files[path])
        for path, mark in plan.changes.items()
    ]
    if operations:
        head = api.create_commit(
            name,
            operations,
            commit_message=f"Release {release}" if release else "Update",
            repo_type="space",
            parent_commit=head,  # refused if someone else changed it first
        ).oid
    if plan.tag:
        api.create_tag(name, tag=plan.tag, revision=head, repo_type="space")


def _git_oid(content: bytes) -> str:
    """Return the name git gives to a file of this content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@contextmanager
def _in_one_sentence(api: HfApi, repo_id: str) -> Iterator[None]:
    """Turn an error of the Hub about a Space into one sentence."""
    try:
        yield
    except HfHubHTTPError as error:
        raise PublishError(f"{repo_id}: {_refusal(error, api, repo_id)}") from error
    except (PublishError, ValueError) as error:
        raise PublishError(f"{repo_id}: {_one_line(error)}") from error
    except (HTTPError, OSError) as error:
        reason = f"cannot reach the Hub at {api.endpoint} ({_one_line(error)})"
        raise PublishError(f"{repo_id}: {reason}") from error


def _refusal(error: HfHubHTTPError, api: HfApi, repo_id: str) -> str:
    status, org = error.response.status_code, repo_id.partition("/")[0]
    if status == 401:
        return f"the Hub does not accept the token: create one at {api.endpoint}/settings/tokens"
    if status == 402:
        return f"{org} needs a paid plan on the Hub to run a Gradio Space"
    if status in (403, 404):
        return f"the token has no write access to Spaces of {org}, or {org} does not exist"
    if status in (409, 412):
        return "someone else changed it at the same time: run this again"
    return f"the Hub answered {status} ({_one_line(error.server_message or 'without a reason')})"


def _one_line(text: object) -> str:
    return " ".join(str(text).split())


def _check_commit(release: str, *, is_tagged: bool) -> None:
    """Raise PublishError unless all is committed, and the release's tag on it, if it must be."""
    if not (ROOT / ".git").exists():
        raise PublishError("--release needs a checkout under git: clone the repository")
    if changes := git("status", "--porcelain").splitlines():
        raise PublishError(f"--release needs all committed, got {', '.join(changes)}")
    head, name = git("rev-parse", "HEAD").strip(), f"release-{release}"
    where = "--format=%(if)%(*objectname)%(then)%(*objectname)%(else)%(objectname)%(end)"
    tagged = git("for-each-ref", where, f"refs/tags/{name}").strip()
    if tagged != head and (tagged or is_tagged):
        there = f"commit {tagged[:7]}" if tagged else "no commit"
        raise PublishError(
            f"--release needs the tag {name} on this commit, {head[:7]}, and it is on {there}: "
            f"check out what is released, or tag it with `git tag {name}`"
        )


def run(options: argparse.Namespace) -> None:
    """Plan everything before sending anything, then carry out the plan."""
    release = options.release
    if release not in (None, __version__):
        raise PublishError(
            f"--release must be the version of the code, {__version__}, got {release!r}: "
            "publish from the commit of that release, or set the version first"
        )
    if release:
        _check_commit(release, is_tagged=not options.dry_run)
    token = get_token()
    if not token:
        raise PublishError("there is no token: run `hf auth login`, or set HF_TOKEN")
    if not re.fullmatch(r"[!-~]+", token):  # the client's own error would print the token
        raise PublishError("the token has characters that no token can have: copy it again")
    api = HfApi(token=token)
    wishes = {"private": options.private, "release": release}
    names, plans = {f"{options.org}/{name}": name for name in MODULES}, {}
    for repo_id, files in {x: space_files(name, x) for x, name in names.items()}.items():
        with _in_one_sentence(api, repo_id):
            plans[repo_id] = make_plan(api, repo_id, files, **wishes)
    if options.dry_run:
        print("Nothing is sent. This would change:")
    for repo_id, plan in plans.items():
        if not options.dry_run:
            with _in_one_sentence(api, repo_id):
                publish(api, plan, **wishes)
        revision = f', revision="release-{release}"' if release else ""
        print(f"{plan}\n  {api.endpoint}/spaces/{repo_id}")
        print(f'  evaluate.load("{repo_id}"{revision})', flush=True)


def main() -> int:
    """Publish, and return the exit code."""
    parser = argparse.ArgumentParser(description="Publish the Spaces on the Hugging Face Hub.")
    parser.add_argument("--org", required=True, help="organisation or user to publish under")
    parser.add_argument("--private", action="store_true", help="make new Spaces private")
    parser.add_argument(
        "--dry-run", action="store_true", help="send nothing, only print what would change"
    )
    parser.add_argument("--release", metavar="X.Y.Z", help="tag the published Spaces release-X.Y.Z")
    try:
        run(parser.parse_args())
    except (PublishError, BuildError, OSError) as error:
        print(f"publish: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
