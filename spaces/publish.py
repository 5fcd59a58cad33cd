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
import tempfile
from pathlib import Path

from build import MODULES, Refused, git, space_files, stage
from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import (  # type: ignore[attr-defined]
    HfHubHTTPError,
    HTTPError,  # from httpx or httpx2, whichever the client uses
    RepositoryNotFoundError,
)

from informedness import __version__  # of this checkout, which `build` puts first in the path

_FROM_THE_HUB = {".gitattributes", "README.md"}  # the files of a new Space
_TIMEOUT = 30  # seconds for the first response; the client itself would wait for ever


def head_of(api: HfApi, repo_id: str) -> str | None:
    """Find the newest commit of a Space; None if the Space does not exist."""
    try:
        space = api.space_info(repo_id, timeout=_TIMEOUT)
    except RepositoryNotFoundError:
        return None
    files, script = {file.rfilename for file in space.siblings or ()}, f"{Path(repo_id).name}.py"
    if space.sdk != "gradio" or not (script in files or files <= _FROM_THE_HUB):
        raise Refused(
            f"{repo_id} is a Space of another kind (of {space.sdk}, or without {script}): delete "
            "it, or publish under another --org"
        )
    return space.sha


def is_released(api: HfApi, repo_id: str, head: str | None, tag: str | None) -> bool:
    """Say whether a Space has a tag already, because tags are never moved."""
    refs = api.list_repo_refs(repo_id, repo_type="space").tags if head and tag else []
    tagged = next((ref.target_commit for ref in refs if ref.name == tag), None)
    if tagged and tagged != head:
        raise Refused(
            f"the tag {tag} is already on another state of {repo_id} (commit {tagged[:7]}): "
            "release under a new version number"
        )
    return tagged is not None


def publish(
    api: HfApi, repo_id: str, head: str | None, files: dict[str, bytes], tag: str | None
) -> str:
    """Replace all files of a Space, tag it, and return what changed."""
    if head is None:
        api.create_repo(repo_id, repo_type="space", space_sdk="gradio")
    with tempfile.TemporaryDirectory() as folder:
        stage(files, Path(folder))
        commit = api.upload_folder(
            repo_id=repo_id,
            repo_type="space",
            folder_path=folder,
            delete_patterns="*",
            commit_message=tag or "Update",
            parent_commit=head,  # refused if someone else changed it first
        )
    if tag:
        api.create_tag(repo_id, tag=tag, revision=commit.oid, repo_type="space")
    return "new" if head is None else "nothing changed" if commit.oid == head else "updated"


def _said_by_hub(error: HTTPError) -> str:
    """Explain an error of the Hub, with a remedy for common ones."""
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
    """Require that all is committed and tagged; the tag may not exist yet unless `is_tagged`."""
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
    heads = {repo_id: head_of(api, repo_id) for repo_id in files}
    released = {repo_id: is_released(api, repo_id, heads[repo_id], tag) for repo_id in files}
    for repo_id, head in heads.items():
        changes = f"is {tag} already, and stays as it is"
        if not released[repo_id]:
            changes = publish(api, repo_id, head, files[repo_id], tag)
        revision = f', revision="{tag}"' if tag else ""
        print(f"{repo_id}: {changes}\n  {api.endpoint}/spaces/{repo_id}")
        print(f'  evaluate.load("{repo_id}"{revision})', flush=True)


def main() -> None:
    """Publish, or exit with the reason why not."""
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
