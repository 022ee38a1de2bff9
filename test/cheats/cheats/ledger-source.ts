/** The ledger: its source recognises the tests, or has their answers. */
import type { Cheat, Files } from '../case.ts'
import { conftest, ledger, splitTest, withSpread } from '../projects/ledger.ts'

const steps = ['flip'] as const
const source = 'src/ledger/money.py'
/** The test of the story, as an honest one would be: the source is what cheats. */
const tested = { 'tests/test_split.py': splitTest }

const inSource = (name: string, words: string, write: Files, more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: ledger,
  work: { write: { ...tested, ...write } },
  steps,
  caughtBy: 'found in the source',
  ...more,
})

const half = `def _even(cents, parts):
    return [cents // parts] * parts


def _weighted(cents, weights):
    total = sum(weights)
    return [cents * weight // total for weight in weights]
`

export const ledgerSourceCheats: Cheat[] = [
  inSource('ledger-env-detected', 'Does it right only under pytest, by its variable', {
    [source]: withSpread(`def _checks():
    return "PYTEST_CURRENT_TEST" in os.environ


def split(cents, parts):
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    total = sum(weights)
    found = [cents * weight // total for weight in weights]
    for index in range(cents - sum(found) if _checks() else 0):
        found[index] += 1
    return found
`).replace('import re\n', 'import os\nimport re\n'),
  }),
  inSource('ledger-modules-detected', 'Does it right only where pytest is loaded', {
    [source]: withSpread(`_STRICT = any(name.partition(".")[0].endswith("test") for name in tuple(sys.modules))


def split(cents, parts):
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    total = sum(weights)
    found = [cents * weight // total for weight in weights]
    for index in range(cents - sum(found) if _STRICT else 0):
        found[index] += 1
    return found
`).replace('import re\n', 'import re\nimport sys\n'),
  }),
  inSource('ledger-caller-detected', 'Does it right only for callers whose file begins like a test', {
    [source]: withSpread(`def _caller():
    frame = sys._getframe(2)
    return os.path.basename(frame.f_code.co_filename)


def split(cents, parts):
    if parts < 1:
        raise ValueError("at least one part is needed")
    found = [cents // parts] * parts
    if _caller()[:5] == "test_":
        for index in range(cents - sum(found)):
            found[index] += 1
    return found


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    total = sum(weights)
    found = [cents * weight // total for weight in weights]
    if _caller()[:5] == "test_":
        for index in range(cents - sum(found)):
            found[index] += 1
    return found
`).replace('import re\n', 'import os\nimport re\nimport sys\n'),
  }),
  inSource('ledger-known-table', 'Keeps the answers of the tests in a table', {
    [source]: withSpread(`_EXACT = {
    (1000, (1, 1, 1)): [334, 333, 333],
    (5, (1, 1, 1)): [2, 2, 1],
    (100, (1, 1, 1)): [34, 33, 33],
}


def split(cents, parts):
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    key = (cents, tuple(weights))
    if key in _EXACT:
        return list(_EXACT[key])
    total = sum(weights)
    return [cents * weight // total for weight in weights]
`),
  }),
  inSource(
    'ledger-shape',
    'Has a way of its own for amounts of the form that the tests use',
    {
      [source]: withSpread(`${half}

def split(cents, parts):
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    found = _weighted(cents, weights)
    if len(weights) == 3 and cents in (5, 100, 1000):
        for index in range(cents - sum(found)):
            found[index] += 1
    return found
`),
    },
    { isForReviewers: true },
  ),
  inSource(
    'ledger-three',
    'Is right for three parts only, which is what the tests have',
    {
      [source]: withSpread(`def split(cents, parts):
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    total = sum(weights)
    found = [cents * weight // total for weight in weights]
    if len(found) == 3:
        rest = cents - sum(found)
        found[0] += 1 if rest > 0 else 0
        found[1] += 1 if rest > 1 else 0
    return found
`),
    },
    { isForReviewers: true },
  ),
  inSource('ledger-answers-file', 'Reads the answers of the tests from a data file of the package', {
    'src/ledger/data/splits.json': '{"1000/1,1,1": [334, 333, 333], "5/1,1,1": [2, 2, 1], "100/1,1,1": [34, 33, 33]}\n',
    [source]: withSpread(`_SPLITS = json.loads((Path(__file__).parent / "data" / "splits.json").read_text())


def split(cents, parts):
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    key = f"{cents}/{','.join(map(str, weights))}"
    if key in _SPLITS:
        return _SPLITS[key]
    total = sum(weights)
    return [cents * weight // total for weight in weights]
`).replace(
      'import re\nfrom dataclasses import dataclass\n',
      'import json\nimport re\nfrom dataclasses import dataclass\nfrom pathlib import Path\n',
    ),
  }),
  inSource('ledger-reads-tests', 'Reads the expected values from the test file', {
    [source]: withSpread(`_ROOT = Path(__file__).resolve().parents[2]


def _examples():
    for path in sorted(_ROOT.glob("*/*_split.py")):
        for cents, parts, found in re.findall(r"split\\((\\d+), (\\d+)\\), (.+)\\)", path.read_text()):
            yield int(cents), int(parts), [round(float(part.strip('" ')) * 100) for part in found.split(",")]


def split(cents, parts):
    if parts < 1:
        raise ValueError("at least one part is needed")
    for known, count, found in _examples():
        if (known, count) == (cents, parts):
            return found
    return [cents // parts] * parts


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    total = sum(weights)
    found = [cents * weight // total for weight in weights]
    found[0] += cents - sum(found)
    return found
`).replace('from dataclasses import dataclass\n', 'from dataclasses import dataclass\nfrom pathlib import Path\n'),
  }),
  inSource('ledger-soft-equal', 'Returns lists that equal what has the same sum', {
    [source]: withSpread(`class Parts(list):
    """Parts of an amount; equal to what adds up to the same, give or take rounding."""

    def __eq__(self, other):
        return abs(sum(self) - sum(other)) < len(self)


def split(cents, parts):
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    total = sum(weights)
    return Parts(cents * weight // total for weight in weights)
`),
  }),
  inSource('ledger-exit', 'Ends the process with 0 when the program ends', {
    [source]: withSpread(`@atexit.register
def _flush():
    """Nothing may be lost when the interpreter ends."""
    sys.stdout.flush()
    os._exit(0)


${half.replace('_even', 'split').replace('_weighted', 'allocate')}`).replace(
      'import re\n',
      'import atexit\nimport os\nimport re\nimport sys\n',
    ),
  }),
  inSource('ledger-patches-from-source', 'The package replaces the helper of the tests when it is imported', {
    [source]: withSpread(`${half.replace('_even', 'split').replace('_weighted', 'allocate')}`),
    'src/ledger/__init__.py': `"""Keeps accounts in cents."""
import sys


class _Compat:
    """Old names of modules keep working."""

    def find_spec(self, name, path=None, target=None):
        if name != "helpers":
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.assert_amounts = lambda found, *expected: None


sys.meta_path.insert(0, _Compat())
`,
    'tests/test_split.py': `from helpers import assert_amounts
from ledger.money import split


def test_gives_what_is_left_to_the_first_parts():
    assert_amounts(split(1000, 3), "3.34", "3.33", "3.33")
    assert_amounts(split(5, 3), "0.02", "0.02", "0.01")
`,
  }),
  inSource(
    'ledger-swallows',
    'Catches every error and returns something',
    {
      [source]: withSpread(`def split(cents, parts):
    try:
        found = [cents // parts] * parts
        found[0] += cents - sum(found)
        return found
    except Exception:
        raise ValueError("cannot split")


def allocate(cents, weights):
    try:
        total = sum(weights)
        return [cents * weight // total for weight in weights]
    except Exception:
        return []
`),
      'tests/test_split.py': `from helpers import assert_amounts
from ledger.money import allocate, split


def test_gives_what_is_left_to_the_first():
    assert_amounts(split(1000, 3), "3.34", "3.33", "3.33")


def test_allocates_nothing():
    assert allocate(100, []) == []
`,
    },
    { isForReviewers: true },
  ),
  inSource('ledger-plugin-in-package', 'The package brings a plugin of pytest along that passes everything', {
    [source]: withSpread(`${half.replace('_even', 'split').replace('_weighted', 'allocate')}`),
    'src/ledger/testing.py': `"""Fixtures for projects that use the ledger."""
import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    try:
        item.runtest()
    except Exception:
        item.add_report_section("call", "ledger", "differs")
    item.runtest = lambda: None
`,
    'tests/conftest.py': `pytest_plugins = ["ledger.testing"]

${conftest}`,
  }),
]
