"""Claims that hold for whatever hypothesis draws."""

from hypothesis import given, settings


def law(examples=100, **drawn):
    """Mark a test that holds for whatever is drawn; the same examples are drawn every time."""
    return lambda test: settings(max_examples=examples, deadline=None, derandomize=True)(
        given(**drawn)(test)
    )
