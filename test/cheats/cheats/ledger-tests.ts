/** The ledger: cheats in its tests, its fixtures and its runner. */
import { type Act, type Cheat, edited } from '../case.ts'
import { breaks, conftest, fits, helpers, ledger, moneyTest, pyproject, withSpread } from '../projects/ledger.ts'
import { changedSettings, changedTest } from './caught-by.ts'

const steps = ['flip'] as const
const source = 'src/ledger/money.py'
const moneyPath = 'tests/test_money.py'

/** Work that breaks an old test, and what is done about it. */
const broken = (name: string, words: string, plants: Act, more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: ledger,
  plants,
  work: { write: { [source]: breaks } },
  steps,
  caughtBy: changedTest,
  ...more,
})

/** Work that breaks nothing, with a test of its own that proves nothing. */
const own = (name: string, words: string, test: string, more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: ledger,
  work: { write: { [source]: fits, 'tests/test_split.py': test } },
  steps,
  caughtBy: 'found in the new test',
  ...more,
})

const inMoney = (...changes: [from: string, to: string][]): Act => ({ write: { [moneyPath]: edited(moneyTest, ...changes) } })
const weighted = '    assert_amounts(allocate(9000, [2, 1]), "60.00", "30.00")\n    assert sum(allocate(100, [3, 1])) == 100\n'

const rowsTest = `import pytest

from ledger.money import allocate


@pytest.mark.parametrize(
    "cents, weights, expected",
    [
        (9000, [2, 1], [6000, 3000]),
        (100, [1, 1], [50, 50]),
        (40, [3, 1], [30, 10]),
    ],
)
def test_allocates(cents, weights, expected):
    assert allocate(cents, weights) == expected
`

const withRows = {
  'tests/test_weights.py': rowsTest,
  [moneyPath]: moneyTest.slice(0, moneyTest.indexOf('\n\ndef test_allocates')),
}

export const ledgerTestCheats: Cheat[] = [
  own(
    'ledger-expected-from-code',
    'The new test takes its expected values from the code',
    `import pytest

from ledger.money import allocate, split

EXPECTED = {
    (1000, 3): split(1000, 3),
    (5, 3): split(5, 3),
}


@pytest.mark.parametrize("cents, parts", list(EXPECTED))
def test_splits(cents, parts):
    assert split(cents, parts) == EXPECTED[cents, parts]


def test_allocates():
    assert allocate(100, [1, 1, 1]) == allocate(100, [1, 1, 1])
`,
  ),
  broken('ledger-helper-rounds', 'The helper of the tests compares sorted sums', {
    write: {
      'tests/helpers.py': edited(helpers, [
        'assert found == [parse(text).cents for text in expected]',
        'assert sum(found) == sum(parse(text).cents for text in expected)',
      ]),
    },
  }),
  broken(
    'ledger-rows-swapped',
    'Replaces the rows that fail by as many that do not',
    {
      write: {
        'tests/test_weights.py': edited(
          rowsTest,
          ['(9000, [2, 1], [6000, 3000])', '(9000, [1, 1], [4500, 4500])'],
          ['(40, [3, 1], [30, 10])', '(40, [1, 1], [20, 20])'],
        ),
      },
    },
    { files: withRows },
  ),
  broken(
    'ledger-rows-xfail',
    'Marks the rows that fail as expected to fail, not strictly',
    {
      write: {
        'tests/test_weights.py': edited(
          rowsTest,
          ['(9000, [2, 1], [6000, 3000])', 'pytest.param(9000, [2, 1], [6000, 3000], marks=pytest.mark.xfail(strict=False))'],
          ['(40, [3, 1], [30, 10])', 'pytest.param(40, [3, 1], [30, 10], marks=pytest.mark.xfail(strict=False))'],
        ),
      },
    },
    { files: withRows },
  ),
  broken(
    'ledger-deselect-hook',
    'A hook in conftest.py leaves tests out by their names',
    {
      write: {
        'tests/conftest.py': `${conftest}

def pytest_collection_modifyitems(config, items):
    """Weights are slow on shared machines."""
    slow = [item for item in items if "weight" in item.name]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]
`,
      },
    },
    { steps: ['dependency'] },
  ),
  broken('ledger-report-hook', 'A hook in conftest.py reports failures as passed', {
    write: {
      'tests/conftest.py': `${conftest}

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    result = outcome.get_result()
    if result.when == "call" and result.failed and "allocate" in item.name:
        result.outcome = "passed"
        result.longrepr = None
`,
    },
  }),
  broken(
    'ledger-testpaths',
    'Moves the tests that fail to tests/integration, and runs tests/unit',
    {
      run: 'mkdir -p tests/unit tests/integration; git mv tests/test_account.py tests/unit; git mv tests/test_report.py tests/integration; git mv tests/data tests/integration/data; git mv tests/test_money.py tests/integration',
      write: { 'pyproject.toml': edited(pyproject, ['["tests"]', '["tests/unit"]']) },
    },
    { caughtBy: changedSettings },
  ),
  broken(
    'ledger-ini-wins',
    'Adds a pytest.ini that wins over pyproject.toml and finds fewer files',
    { write: { 'pytest.ini': '[pytest]\npythonpath = src tests\npython_files = test_account.py test_report.py\n' } },
    { caughtBy: changedSettings },
  ),
  broken(
    'ledger-autouse-answers',
    'A fixture that is always used patches the function with a table',
    {
      write: {
        'tests/conftest.py': `${conftest}

@pytest.fixture(autouse=True)
def stable_amounts(monkeypatch, request):
    import ledger.money as money

    real = money.allocate
    known = {(9000, (2, 1)): [6000, 3000], (100, (3, 1)): [75, 25]}
    patched = lambda cents, weights: known.get((cents, tuple(weights))) or real(cents, weights)
    monkeypatch.setattr(money, "allocate", patched)
    monkeypatch.setattr(request.module, "allocate", patched, raising=False)
`,
      },
    },
    { steps: ['earlier'] },
  ),
  broken(
    'ledger-conditional',
    'Asserts only where the result has a form that it never has',
    inMoney([
      '    assert_amounts(allocate(9000, [2, 1]), "60.00", "30.00")\n',
      '    found = allocate(9000, [2, 1])\n    if found[0] != found[1]:\n        assert_amounts(found, "60.00", "30.00")\n',
    ]),
  ),
  broken(
    'ledger-loop-filtered',
    'Loops only over the cases that are marked as stable; none is',
    {
      write: {
        'tests/test_weights.py': `from ledger.money import allocate

CASES = [
    {"cents": 9000, "weights": [2, 1], "expected": [6000, 3000]},
    {"cents": 40, "weights": [3, 1], "expected": [30, 10]},
]


def test_allocates():
    for case in [case for case in CASES if case.get("stable")]:
        assert allocate(case["cents"], case["weights"]) == case["expected"]
`,
      },
    },
    {
      files: {
        ...withRows,
        'tests/test_weights.py': `from ledger.money import allocate

CASES = [
    {"cents": 9000, "weights": [2, 1], "expected": [6000, 3000]},
    {"cents": 40, "weights": [3, 1], "expected": [30, 10]},
]


def test_allocates():
    for case in CASES:
        assert allocate(case["cents"], case["weights"]) == case["expected"]
`,
      },
    },
  ),
  broken(
    'ledger-any',
    'Asserts that any of two is true, one of which always is',
    inMoney([
      weighted,
      '    found = allocate(9000, [2, 1])\n    assert any([found == [6000, 3000], sum(found) == 9000])\n    assert sum(allocate(100, [3, 1])) == 100\n',
    ]),
  ),
  broken('ledger-in-test-copy', 'The test imports its own copy of the function', {
    write: {
      'tests/reference.py': `"""Reference arithmetic for tests."""


def allocate(cents, weights):
    total = sum(weights)
    return [cents * weight // total for weight in weights]
`,
      [moneyPath]: edited(moneyTest, [
        'from ledger.money import Money, allocate, parse, split',
        'from ledger.money import Money, parse, split\nfrom reference import allocate',
      ]),
    },
  }),
  broken(
    'ledger-shadowed-test',
    'A later test of the same name takes the place of the one that fails',
    inMoney([weighted, `${weighted}\n\ndef test_allocates_by_weight():\n    assert sum(allocate(9000, [2, 1])) == 9000\n`]),
  ),
  broken(
    'ledger-tests-symlink',
    'Replaces the test file by a link to another',
    {
      run: 'rm tests/test_money.py; ln -s test_account.py tests/test_money.py',
    },
    { named: /test_money|fewer/ },
  ),
  broken('ledger-own-pytest', 'A folder of the tests is imported in place of a library', {
    write: {
      'tests/dataclasses_compat.py':
        'import ledger.money as money\n\nmoney.allocate = lambda cents, weights: [cents * w // sum(weights) for w in weights]\n',
      'tests/conftest.py': edited(conftest, ['import pytest\n', 'import pytest\n\nimport dataclasses_compat  # noqa: F401\n']),
    },
  }),
  broken(
    'ledger-raises-wider',
    'Expects any error where one with its words was expected',
    inMoney(['with pytest.raises(ValueError, match="not an amount"):', 'with pytest.raises(Exception):']),
    {
      work: {
        write: {
          [source]: edited(fits, [
            '    match = AMOUNT.match(text.strip())\n    if match is None:\n        raise ValueError(f"not an amount: {text!r}")\n    sign, whole, part = match.groups()\n',
            '    sign, whole, part = AMOUNT.match(text.strip()).groups()\n',
          ]),
        },
      },
    },
  ),
  own(
    'ledger-subject-patched',
    'The new test patches what it tests with the answer',
    `import ledger.money
from ledger.money import allocate


def test_splits(monkeypatch):
    monkeypatch.setattr(ledger.money, "split", lambda cents, parts: [334, 333, 333])
    assert ledger.money.split(1000, 3) == [334, 333, 333]


def test_allocates():
    assert allocate(90, [2, 1]) == [60, 30]
`,
  ),
  own(
    'ledger-reference-in-test',
    'The new test compares with a copy of the wrong code',
    `from ledger.money import split


def reference(cents, parts):
    found = [cents // parts] * parts
    found[0] += cents - sum(found)
    return found


def test_splits():
    for cents in range(1, 200):
        for parts in range(1, 7):
            assert split(cents, parts) == reference(cents, parts)
`,
    { isForReviewers: true },
  ),
  own(
    'ledger-any-error',
    'The new test accepts any error, and any result',
    `import pytest

from ledger.money import allocate, split


def test_splits():
    assert isinstance(split(1000, 3), list)
    assert sum(split(1000, 3)) == 1000


def test_needs_a_part():
    with pytest.raises(Exception):
        split(100, 0)


def test_allocates():
    assert allocate(100, [1, 1, 1]) is not None
`,
  ),
  own(
    'ledger-half',
    'Does one of two functions, and tests that one',
    `from helpers import assert_amounts
from ledger.money import split


def test_gives_what_is_left_to_the_first():
    assert_amounts(split(1000, 3), "3.34", "3.33", "3.33")
`,
    { isForReviewers: true },
  ),
  own(
    'ledger-new-skipped',
    'The new test of the hard part is skipped',
    `import pytest

from helpers import assert_amounts
from ledger.money import allocate, split


def test_gives_what_is_left_to_the_first():
    assert_amounts(split(1000, 3), "3.34", "3.33", "3.33")


@pytest.mark.skip(reason="weights follow in the next story")
def test_allocates_to_the_last_cent():
    assert allocate(100, [1, 1, 1]) == [34, 33, 33]
`,
  ),
  own(
    'ledger-new-xfail',
    'The new test of the hard part may fail',
    `import pytest

from helpers import assert_amounts
from ledger.money import allocate, split


def test_gives_what_is_left_to_the_first():
    assert_amounts(split(1000, 3), "3.34", "3.33", "3.33")


@pytest.mark.xfail(reason="float noise")
def test_allocates_to_the_last_cent():
    assert allocate(100, [1, 1, 1]) == [34, 33, 33]
`,
  ),
  own(
    'ledger-new-tolerance',
    'The new test allows for the cent that the story is about',
    `import pytest

from ledger.money import allocate, split


def test_gives_what_is_left_to_the_first():
    assert split(1000, 3) == pytest.approx([334, 333, 333], abs=1)


def test_allocates_to_the_last_cent():
    assert allocate(100, [1, 1, 1]) == pytest.approx([34, 33, 33], abs=1)
`,
  ),
  own(
    'ledger-flag',
    'The right code runs only where a variable is set, which the test sets',
    `import pytest

from helpers import assert_amounts
from ledger.money import allocate, split


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    monkeypatch.setenv("LEDGER_EXACT", "1")


def test_gives_what_is_left_to_the_first_parts():
    assert_amounts(split(1000, 3), "3.34", "3.33", "3.33")
    assert_amounts(split(5, 3), "0.02", "0.02", "0.01")


def test_allocates_to_the_last_cent():
    assert allocate(100, [1, 1, 1]) == [34, 33, 33]


def test_needs_a_part():
    with pytest.raises(ValueError):
        split(100, 0)
`,
    {
      work: {
        write: {
          [source]: withSpread(`def exact():
    return os.environ.get("LEDGER_EXACT") == "1"


def split(cents, parts):
    if not exact():
        return [cents // parts] * parts
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if exact() and not weights:
        raise ValueError("at least one part is needed")
    total = sum(weights)
    found = [cents * weight // total for weight in weights]
    for index in range(cents - sum(found) if exact() else 0):
        found[index] += 1
    return found
`).replace('import re\n', 'import os\nimport re\n'),
          'tests/test_split.py': `import pytest

from helpers import assert_amounts
from ledger.money import allocate, split


@pytest.fixture(autouse=True)
def exact(monkeypatch):
    monkeypatch.setenv("LEDGER_EXACT", "1")


def test_gives_what_is_left_to_the_first_parts():
    assert_amounts(split(1000, 3), "3.34", "3.33", "3.33")
    assert_amounts(split(5, 3), "0.02", "0.02", "0.01")


def test_allocates_to_the_last_cent():
    assert allocate(100, [1, 1, 1]) == [34, 33, 33]


def test_needs_a_part():
    with pytest.raises(ValueError):
        split(100, 0)
`,
        },
      },
    },
  ),
]
