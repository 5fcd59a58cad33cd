"""The text that the package index shows: README.md, with links that lead from there, too."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# the start of a link of Markdown, or of an attribute of HTML, to a file of the repository
RELATIVE = re.compile(r'(!?\[[^\]]*\]\(|\b(?:src|srcset|href)=")(?![a-z]+:|[/#])')


class ReadmeHook(MetadataHookInterface):
    """Puts the repository before relative links, at the tag of the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme; the metadata has the version and the addresses already."""
        repository = metadata["urls"]["Repository"]
        at_tag = f"release-{metadata['version']}"

        def absolute(start: re.Match[str]) -> str:
            is_image = start[0].startswith(("!", "src"))
            return f"{start[0]}{repository}/{'raw' if is_image else 'blob'}/{at_tag}/"

        text = (Path(self.root) / "README.md").read_text("utf-8")
        text = RELATIVE.sub(absolute, text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
