"""The expectations of JUnit XML readers on the elements that we write, and no others."""

import re
from typing import NamedTuple
from xml.etree import ElementTree


class Shape(NamedTuple):
    """The attributes of an element and how often each child may be there, in their order."""

    attributes: frozenset[str]
    children: dict[str, range]


MANY = range(10**6)
ONE, AT_MOST_ONE = range(1, 2), range(2)
SHAPES = {
    "testsuites": Shape(frozenset(), {"testsuite": MANY}),
    "testsuite": Shape(
        frozenset({"name", "package", "id", "hostname", "time", "timestamp"})
        | {"tests", "failures", "errors", "skipped"},
        {"properties": ONE, "testcase": MANY, "system-out": ONE, "system-err": ONE},
    ),
    "properties": Shape(frozenset(), {"property": MANY}),
    "property": Shape(frozenset({"name", "value"}), {}),
    "testcase": Shape(
        frozenset({"classname", "name", "time"}), {"skipped": AT_MOST_ONE, "failure": AT_MOST_ONE}
    ),
    "skipped": Shape(frozenset({"message"}), {}),
    "failure": Shape(frozenset({"message", "type"}), {}),
    "system-out": Shape(frozenset(), {}),
    "system-err": Shape(frozenset(), {}),
}
# What is tried at no known time has no time.
_MAY_MISS = {"timestamp"}
# The forms of attributes, as the schema of Ant has them.
_FORMS = {
    "time": r"\d+\.\d+",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    "id": r"\d+",
    "hostname": ".+",
    "classname": ".+",
}


def read(document: str) -> ElementTree.Element:
    """Return the only suite of a document that fits the table and has correct numbers."""
    root = ElementTree.fromstring(document)
    assert root.tag == "testsuites"
    _fits(root)
    [suite] = root
    cases = suite.findall("testcase")
    assert suite.attrib["tests"] == str(len(cases))
    for number, outcome in (("failures", "failure"), ("skipped", "skipped")):
        assert suite.attrib[number] == str(sum(case.find(outcome) is not None for case in cases))
    assert all(case.find("failure") is None or case.find("skipped") is None for case in cases)
    return suite


def _fits(element: ElementTree.Element) -> None:
    shape = SHAPES[element.tag]
    assert shape.attributes - _MAY_MISS <= element.attrib.keys() <= shape.attributes
    for name, form in _FORMS.items():
        assert name not in element.attrib or re.fullmatch(form, element.attrib[name], re.DOTALL)
    tags = [child.tag for child in element]
    order = list(shape.children)
    assert tags == sorted(tags, key=order.index)
    assert all(tags.count(tag) in times for tag, times in shape.children.items())
    for child in element:
        _fits(child)
