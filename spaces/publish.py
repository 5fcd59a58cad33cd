"""Publish the Spaces on the Hugging Face Hub, where people try the metrics and load them by name.

python spaces/publish.py --org ORG                     create or update both Spaces
python spaces/publish.py --org ORG --dry-run           only list what they would hold
python spaces/publish.py --org ORG --release 0.2.0     also tag them release-0.2.0, from the commit
                                                       that has this tag, and from nothing else

The token comes from HF_TOKEN or `hf auth login`; it needs write access to ORG.
"""

import argparse
import re
import sys
from typing import Any, NamedTuple

from build import MODULES, Refused, git, space_files
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, get_token
from huggingface_hub.errors import (  # type: ignore[attr-defined]
    HfHubHTTPError,
    HTTPError,  # from httpx or httpx2, whichever the client uses
    RepositoryNotFoundError,
)
from huggingface_hub.hf_api import RepoFile
from huggingface_hub.utils.sha import git_hash

from informedness import __version__  # of this checkout, which `build` puts first in the path

_FROM_THE_HUB = {".gitattributes", "README.md"}  # the files of a new Space
_TIMEOUT = 30  # seconds for the first answer; the client itself would wait for ever


class Plan(NamedTuple):
    """What it takes to make a Space hold what it should; there is no such Space without a head.

    `changes` says for a name whether its file is added (+), changed (~) or removed (-).
    """

    repo_id: str
    head: str | None
    changes: dict[str, str]
    tag: str | None


def make_plan(api: HfApi, repo_id: str, files: dict[str, bytes], tag: str | None) -> Plan:
    """Compare a Space with the files it should hold; this only reads."""
    try:
        space = api.space_info(repo_id, timeout=_TIMEOUT)
    except RepositoryNotFoundError:
        return Plan(repo_id, None, dict.fromkeys(files, "+"), tag)
    listed = api.list_repo_tree(repo_id, recursive=True, revision=space.sha, repo_type="space")
    # others are folders, which go with their last file
    hashes = {entry.path: entry.blob_id for entry in listed if isinstance(entry, RepoFile)}
    script = f"{repo_id.partition('/')[2]}.py"
    if space.sdk != "gradio" or not (script in hashes or hashes.keys() <= _FROM_THE_HUB):
        raise Refused(
            f"{repo_id} is a Space of another kind (of {space.sdk}, or without {script}): delete "
            "it, or publish under another --org"
        )
    changes = {
        name: "~" if name in hashes else "+"
        for name, content in files.items()
        if hashes.get(name) != git_hash(content)
    }
    changes |= dict.fromkeys(sorted(hashes.keys() - files.keys() - {".gitattributes"}), "-")
    refs = api.list_repo_refs(repo_id, repo_type="space").tags if tag else []
    tagged = next((ref.target_commit for ref in refs if ref.name == tag), None)
    if tagged and (changes or tagged != space.sha):
        raise Refused(
            f"the tag {tag} is already on another state of {repo_id} (commit {tagged[:7]}): "
            "release under a new version number"
        )
    return Plan(repo_id, space.sha, changes, None if tagged else tag)


def publish(api: HfApi, plan: Plan, files: dict[str, bytes]) -> None:
    """Carry out a plan."""
    name, head, changes, tag = plan
    if head is None:
        api.create_repo(name, repo_type="space", space_sdk="gradio")
    operations = [
        CommitOperationDelete(path) if mark == "-" else CommitOperationAdd(path, files[path])
        for path, mark in changes.items()
    ]
    if operations:  # refused if someone else changed it first
        options: dict[str, Any] = {"repo_type": "space", "parent_commit": head}
        commit = api.create_commit(name, operations, commit_message=tag or "Update", **options)
        head = commit.oid
    if tag:
        api.create_tag(name, tag=tag, revision=head, repo_type="space")


def _said_by_hub(error: HTTPError) -> str:
    """Return what an error of the Hub says, and what helps against those one meets."""
    if not isinstance(error, HfHubHTTPError):
        return f"cannot reach the Hub at {error.request.url} ({error})"
    answer, reason = error.response, error.server_message or "without a reason"
    hints = {
        401: "; create a token in the settings of your account there",
        403: "; use a token with write access",
        412: "; someone else changed it at the same time: run this again",
    }
    hint = hints.get(answer.status_code, "")
    return f"the Hub answered {answer.status_code} at {answer.url}: {reason}{hint}"


def _check_commit(release: str, *, is_tagged: bool) -> None:
    """Raise Refused unless all is committed, and the release's tag on it, if it must be."""
    if changes := git("status", "--porcelain").splitlines():
        raise Refused(f"--release needs all committed, got {', '.join(changes)}")
    tag = f"release-{release}"
    is_here = tag in git("tag", "--points-at", "HEAD").split()
    if not is_here and (is_tagged or git("tag", "--list", tag)):
        raise Refused(
            f"--release needs the tag {tag} on this commit: check out what is released, or tag it "
            f"with `git tag {tag}`"
        )


def run(options: argparse.Namespace) -> None:
    """Plan everything before sending anything, then carry out the plan."""
    release = options.release
    if release not in (None, __version__):
        raise Refused(
            f"--release must be the version of the code, {__version__}, got {release!r}: "
            "publish from the commit of that release, or set the version first"
        )
    if release:
        _check_commit(release, is_tagged=not options.dry_run)
    ids = {name: f"{options.org}/{name}" for name in MODULES}
    files = {repo_id: space_files(name, repo_id) for name, repo_id in ids.items()}
    if options.dry_run:
        for repo_id, of_space in files.items():
            sizes = [f"{name}, {len(content):,} bytes" for name, content in of_space.items()]
            print("\n  ".join([f"{repo_id} would hold, in {len(sizes)} files:", *sizes]))
        return print("Nothing was sent.")
    token = get_token()
    if not token:
        raise Refused("there is no token: run `hf auth login`, or set HF_TOKEN")
    if not re.fullmatch(r"[!-~]+", token):  # the client's own error would print the token
        raise Refused("the token has characters that no token can have: copy it again")
    api, tag = HfApi(token=token), f"release-{release}" if release else None
    for plan in [make_plan(api, repo_id, files[repo_id], tag) for repo_id in files]:
        publish(api, plan, files[plan.repo_id])
        changes = [f"  {mark} {name}" for name, mark in plan.changes.items()]
        changes += [f"  tag {plan.tag}"] if plan.tag else []
        print(f"{plan.repo_id}{'' if plan.head else ' (new)'}")
        print(*(changes or ["  nothing changed"]), sep="\n")
        revision = f', revision="{tag}"' if tag else ""
        print(f"  {api.endpoint}/spaces/{plan.repo_id}")
        print(f'  evaluate.load("{plan.repo_id}"{revision})', flush=True)


def main() -> None:
    """Publish, or say why not."""
    parser = argparse.ArgumentParser(description="Publish the Spaces on the Hugging Face Hub.")
    parser.add_argument("--org", required=True, help="organisation or user to publish under")
    parser.add_argument("--dry-run", action="store_true", help="send nothing, only list the files")
    parser.add_argument("--release", metavar="X.Y.Z", help="tag the published Spaces release-X.Y.Z")
    try:
        run(parser.parse_args())
    except HTTPError as error:
        sys.exit(f"publish: {_said_by_hub(error)}")
    except (Refused, OSError, ValueError) as error:
        sys.exit(f"publish: {error}")


if __name__ == "__main__":
    main()
