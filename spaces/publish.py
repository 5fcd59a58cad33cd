"""Publish the Spaces on the Hugging Face Hub, where people try the metrics and load them by name.

python spaces/publish.py --org ORG                     create or update both Spaces
python spaces/publish.py --org ORG --dry-run           only list what they would hold
python spaces/publish.py --org ORG --release 0.2.0     also tag them release-0.2.0, from the commit
                                                       that has this tag, and from nothing else

The token comes from HF_TOKEN or `hf auth login`; it needs write access to ORG.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from build import MODULES, Refused, git, space_files, stage
from huggingface_hub import HfApi
from huggingface_hub.errors import (  # type: ignore[attr-defined]
    HfHubHTTPError,
    HTTPError,  # from httpx or httpx2, whichever the client uses
    RepositoryNotFoundError,
)

from informedness import __version__  # of this checkout, which `build` puts first in the path


def find_head(api: HfApi, repo_id: str, tag: str) -> tuple[str | None, bool]:
    """Find the newest commit of a Space, None without a Space, and whether it is released.

    Tags are never moved, and a Space with other content is never replaced.
    """
    try:
        space = api.space_info(repo_id, timeout=30)  # the client itself would wait for ever
    except RepositoryNotFoundError:
        return None, False
    files, script = {file.rfilename for file in space.siblings or ()}, f"{Path(repo_id).name}.py"
    if script not in files and not files <= {".gitattributes", "README.md"}:  # a new Space has both
        raise Refused(f"{repo_id} is another Space, without {script}: delete it, or change --org")
    refs = api.list_repo_refs(repo_id, repo_type="space").tags
    tagged = next((ref.target_commit for ref in refs if ref.name == tag), None)
    if tagged and tagged != space.sha:
        raise Refused(
            f"the tag {tag} is already on another state of {repo_id} (commit {tagged[:7]}): "
            "release under a new version number"
        )
    return space.sha, tagged is not None


def publish(api: HfApi, repo_id: str, head: str | None, files: dict[str, bytes], tag: str) -> str:
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


def run(org: str, release: str, is_dry_run: bool) -> None:
    """Plan everything before sending anything, then carry out the plan."""
    tag = f"release-{release}" if release else ""
    if release:
        if release != __version__:
            raise Refused(f"--release must be {__version__}, as in the code, got {release!r}")
        if changes := git("status", "--porcelain").splitlines():
            raise Refused(f"--release needs all committed, got {', '.join(changes)}")
        if not is_dry_run and tag not in git("tag", "--points-at", "HEAD").split():
            raise Refused(f"--release needs the tag {tag} on this commit")
    spaces = {f"{org}/{name}": space_files(name, f"{org}/{name}") for name in MODULES}
    if is_dry_run:
        for repo_id, files in spaces.items():
            sizes = [f"{name}, {len(content):,} bytes" for name, content in files.items()]
            print("\n  ".join([f"{repo_id} would hold, in {len(sizes)} files:", *sizes]))
        return print("Nothing was sent.")
    api = HfApi(token=True)  # a missing token is an error
    heads = {repo_id: find_head(api, repo_id, tag) for repo_id in spaces}
    for repo_id, (head, is_released) in heads.items():
        change = f"is {tag} already, and stays as it is"
        if not is_released:
            change = publish(api, repo_id, head, spaces[repo_id], tag)
        revision = f', revision="{tag}"' if tag else ""
        print(f"{repo_id}: {change}\n  {api.endpoint}/spaces/{repo_id}")
        print(f'  evaluate.load("{repo_id}"{revision})', flush=True)


def main() -> None:
    """Publish, or exit with the reason why not."""
    parser = argparse.ArgumentParser(description="Publish the Spaces on the Hugging Face Hub.")
    parser.add_argument("--org", required=True, help="organisation or user to publish under")
    parser.add_argument("--dry-run", action="store_true", help="send nothing, only list the files")
    parser.add_argument("--release", metavar="X.Y.Z", help="tag the published Spaces release-X.Y.Z")
    options = parser.parse_args()
    try:
        run(options.org, options.release or "", options.dry_run)
    except (Refused, HTTPError, OSError, ValueError) as error:
        # errors of the client below HTTP may print the token
        is_hidden = isinstance(error, HTTPError) and not isinstance(error, HfHubHTTPError)
        reason = f"the Hub cannot be reached ({type(error).__name__})" if is_hidden else str(error)
        sys.exit(f"publish: {' '.join(reason.split())}")


if __name__ == "__main__":
    main()
