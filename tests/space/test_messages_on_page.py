"""Every message of the page and its endpoints reads as tests/messages.json says."""

import pytest

from inputs.messages import endpoint_messages, page_messages
from test_messages_as_before import are_as_before

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    ("surface", "messages"), [("page", page_messages), ("endpoints", endpoint_messages)]
)
def test_messages_are_as_before(surface, messages, page):
    are_as_before(surface, messages(page))
