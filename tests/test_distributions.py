"""The version of a generated distribution follows that of its document."""

import pytest
from packaging.version import Version

from specwright.distributions import version

VERSIONS = {
    "1.2.3": "1.2.3",
    "v2": "2",
    "0.3.0": "0.3.0",
    "1.2.3-alpha": "1.2.3a0",
    "1.2.3-beta.1": "1.2.3b1",
    "1.2.3-rc.2": "1.2.3rc2",
    "1.2.3rc2": "1.2.3rc2",
    "1.2.3-SNAPSHOT": "1.2.3.dev0",
    "1.2.3.dev4": "1.2.3.dev4",
    "1.2.3.post1": "1.2.3.post1",
    "1.2.3+build.5": "1.2.3",
    "2024-01-15": "2024.01.15",
    "2024-01-15-preview": "2024.01.15rc0",
    "1.0.0-oas3": "1.0.0",
    "Release 7": "7",
    "unversioned": "0",
    "1.2.3-beta.99999999999": "1.2.3b999999999",
    "": "0",
}


@pytest.mark.parametrize(("written", "expected"), VERSIONS.items())
def test_a_version_is_one_that_installers_read(written: str, expected: str) -> None:
    assert version(written) == expected
    Version(expected)


def test_a_release_comes_after_what_led_to_it() -> None:
    order = ["1.2.3-SNAPSHOT", "1.2.3-alpha.2", "1.2.3-beta.1", "1.2.3-rc.1", "1.2.3", "1.2.4"]
    assert sorted(order, key=lambda each: Version(version(each))) == order
