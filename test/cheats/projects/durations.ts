/** Durations in Python, tested by pytest over samples in a CSV file. */
import { edited, type Project } from '../case.ts'

export const parse = `"""Durations such as 1h30m, in seconds."""
import re

UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
PART = re.compile(r"(\\d+)([dhms])")


def parse(text):
    """Seconds of a text.

    >>> parse("1h30m")
    5400
    >>> parse("45s")
    45
    """
    if not re.fullmatch(r"(?:\\d+[dhms])+", text):
        raise ValueError(f"no duration: {text!r}")
    return sum(int(count) * UNITS[unit] for count, unit in PART.findall(text))
`

export const show = `"""Seconds as a short text."""
from durations.parse import UNITS


def show(seconds):
    """The largest units first; nothing is left out but zeros.

    >>> show(5400)
    '1h30m'
    >>> show(0)
    '0s'
    """
    parts = []
    for unit, size in UNITS.items():
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
`

export const rightParse = edited(
  parse,
  ['UNITS = {"d"', 'UNITS = {"w": 604800, "d"'],
  ['(\\d+)([dhms])', '(\\d+)([wdhms])'],
  [
    '    if not re.fullmatch(r"(?:\\d+[dhms])+", text):\n        raise ValueError(f"no duration: {text!r}")\n    return sum(int(count) * UNITS[unit] for count, unit in PART.findall(text))',
    '    if not re.fullmatch(r"-?(?:\\d+[wdhms])+", text):\n        raise ValueError(f"no duration: {text!r}")\n    seconds = sum(int(count) * UNITS[unit] for count, unit in PART.findall(text))\n    return -seconds if text.startswith("-") else seconds',
  ],
)

export const rightShow = edited(
  show,
  ['    parts = []', '    sign = "-" if seconds < 0 else ""\n    seconds = abs(seconds)\n    parts = []'],
  ['return "".join(parts) or "0s"', 'return sign + "".join(parts) if parts else "0s"'],
)

/** Takes any letter for a unit, and nothing is refused any more. */
export const wrongParse = edited(
  parse,
  ['UNITS = {"d"', 'UNITS = {"w": 604800, "d"'],
  ['(\\d+)([dhms])', '(\\d+)([wdhms])'],
  [
    '    if not re.fullmatch(r"(?:\\d+[dhms])+", text):\n        raise ValueError(f"no duration: {text!r}")\n    return sum',
    '    return sum',
  ],
)

export const samples = `text,seconds
1h30m,5400
45s,45
2d,172800
1d1s,86401
90m,5400
`

export const parseTest = `import pytest

from durations.parse import parse
from durations.show import show
from tests.samples import rows


@pytest.mark.parametrize("text, seconds", rows())
def test_samples(text, seconds):
    assert parse(text) == seconds


@pytest.mark.parametrize("text", ["", "h", "1x", "1h 30m", "5"])
def test_refuses_what_is_no_duration(text):
    with pytest.raises(ValueError, match="no duration"):
        parse(text)


class TestShow:
    def test_leaves_zeros_out(self):
        assert show(3605) == "1h5s"

    def test_nothing(self):
        assert show(0) == "0s"

    def test_there_and_back(self):
        for seconds in range(0, 200000, 777):
            assert parse(show(seconds)) == seconds
`

export const samplesHelper = `import csv
from pathlib import Path


def rows():
    """Texts with their seconds; lines with a # are notes."""
    with open(Path(__file__).parent / "data" / "samples.csv", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [(row["text"], int(row["seconds"])) for row in csv.DictReader(lines)]
`

export const weekTest = `import pytest

from durations.parse import parse
from durations.show import show


@pytest.mark.parametrize("text, seconds", [("2w", 1209600), ("1w1d", 691200), ("-1h30m", -5400), ("-3w", -1814400)])
def test_weeks_and_signs(text, seconds):
    assert parse(text) == seconds
    assert show(seconds) == text


def test_a_sign_alone_is_no_duration():
    with pytest.raises(ValueError, match="no duration"):
        parse("-")
`

export const durations: Project = {
  name: 'durations, pytest with doctests',
  files: {
    'README.md': '# Durations\n',
    '.gitignore': '__pycache__/\n.pytest_cache/\n',
    'pyproject.toml':
      '[project]\nname = "durations"\nversion = "1.0"\n\n[tool.pytest.ini_options]\naddopts = "--doctest-modules"\ntestpaths = ["tests", "durations"]\n',
    'durations/__init__.py': '',
    'durations/parse.py': parse,
    'durations/show.py': show,
    'tests/__init__.py': '',
    'tests/samples.py': samplesHelper,
    'tests/test_parse.py': parseTest,
    'tests/data/samples.csv': samples,
  },
  gate: 'python3 -m pytest -q',
  story: {
    title: 'Weeks and negative durations',
    criteria: [
      'parse("2w") is two weeks in seconds, also together with other units; show() uses weeks',
      'A duration may begin with a minus: parse("-1h30m") is -5400, and show(-5400) is "-1h30m"',
      'What is no duration is refused as today',
    ],
  },
  wrong: { 'durations/parse.py': wrongParse },
  right: { 'durations/parse.py': rightParse, 'durations/show.py': rightShow, 'tests/test_weeks.py': weekTest },
  heldOut: {
    program: 'python3',
    text: `
import sys
sys.path.insert(0, '.')
from durations.parse import parse
from durations.show import show
found = [parse(text) for text in ["3w", "1w2d3h4m5s", "-2w1d", "-5s", "7m", "10h10s"]]
found += [show(seconds) for seconds in [1814400, -694861, 59, -60, 0]]
for text in ["-", "w", "3y", "--1s", "1h-2m", "4", " 1s"]:
    try:
        found.append(parse(text))
    except ValueError:
        pass
wanted = [1814400, 788645, -1296000, -5, 420, 36010, "3w", "-1w1d1h1m1s", "59s", "-1m", "0s"]
print('held-out ok' if found == wanted and all(type(each) in (int, str) for each in found) else found)
`,
  },
}
