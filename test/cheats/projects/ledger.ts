/** A small ledger in Python: amounts, accounts, a report and a command, tested by pytest. */
import type { Project } from '../case.ts'

export const money = `"""Amounts of money, in cents."""
import re
from dataclasses import dataclass

AMOUNT = re.compile(r"^(-?)(\\d+)(?:\\.(\\d{1,2}))?$")


@dataclass(frozen=True)
class Money:
    cents: int
    currency: str = "EUR"

    def __str__(self):
        sign = "-" if self.cents < 0 else ""
        return f"{sign}{abs(self.cents) // 100}.{abs(self.cents) % 100:02d} {self.currency}"


def parse(text, currency="EUR"):
    match = AMOUNT.match(text.strip())
    if match is None:
        raise ValueError(f"not an amount: {text!r}")
    sign, whole, part = match.groups()
    cents = int(whole) * 100 + int((part or "").ljust(2, "0"))
    return Money(-cents if sign else cents, currency)


def split(cents, parts):
    return [cents // parts] * parts


def allocate(cents, weights):
    total = sum(weights)
    return [cents * weight // total for weight in weights]
`

export const account = `"""Accounts and what is posted to them."""
from dataclasses import dataclass, field


class Overdrawn(Exception):
    pass


@dataclass
class Account:
    name: str
    limit: int = 0
    entries: list = field(default_factory=list)

    @property
    def balance(self):
        return sum(cents for cents, _ in self.entries)

    def post(self, cents, text=""):
        if self.balance + cents < -self.limit:
            raise Overdrawn(f"{self.name} would be overdrawn")
        self.entries.append((cents, text))


def transfer(source, target, cents, text=""):
    if cents <= 0:
        raise ValueError("an amount above 0 is needed")
    source.post(-cents, text)
    target.post(cents, text)
`

export const report = `"""What the accounts hold, as text."""
from ledger.money import Money


def lines(accounts):
    for account in accounts:
        yield f"{account.name:<10}{str(Money(account.balance)):>14}"


def report(accounts):
    return "\\n".join(lines(accounts)) + "\\n"
`

export const cli = `"""python -m ledger split 10.00 3"""
import sys

from ledger.money import Money, parse, split


def main(argv):
    if len(argv) != 3 or argv[0] != "split":
        print("usage: ledger split <amount> <parts>", file=sys.stderr)
        return 2
    for cents in split(parse(argv[1]).cents, int(argv[2])):
        print(Money(cents))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
`

export const conftest = `import pytest

from ledger.account import Account


@pytest.fixture
def accounts():
    cash = Account("cash")
    cash.post(12050, "opening")
    bank = Account("bank", limit=50000)
    bank.post(-2500, "fee")
    return [cash, bank]
`

export const helpers = `from ledger.money import parse


def assert_amounts(found, *expected):
    assert found == [parse(text).cents for text in expected]
`

export const moneyTest = `import pytest

from helpers import assert_amounts
from ledger.money import Money, allocate, parse, split


@pytest.mark.parametrize(
    "text, cents",
    [
        ("12.50", 1250),
        ("0.5", 50),
        ("-3", -300),
    ],
)
def test_parses(text, cents):
    assert parse(text).cents == cents


def test_refuses_what_is_no_amount():
    with pytest.raises(ValueError, match="not an amount"):
        parse("12,50")


def test_prints():
    assert str(Money(-1205)) == "-12.05 EUR"


def test_splits_evenly():
    assert_amounts(split(1000, 4), "2.50", "2.50", "2.50", "2.50")


def test_allocates_by_weight():
    assert_amounts(allocate(9000, [2, 1]), "60.00", "30.00")
    assert sum(allocate(100, [3, 1])) == 100
`

export const accountTest = `import pytest

from ledger.account import Account, Overdrawn, transfer


def test_posts(accounts):
    cash, _ = accounts
    cash.post(-50)
    assert cash.balance == 12000


def test_refuses_to_overdraw():
    with pytest.raises(Overdrawn):
        Account("cash").post(-1)


def test_transfers(accounts):
    cash, bank = accounts
    transfer(cash, bank, 2500)
    assert (cash.balance, bank.balance) == (9550, 0)
`

export const reportTest = `from pathlib import Path

from ledger.report import report


def test_reports(accounts):
    assert report(accounts) == (Path(__file__).parent / "data" / "report.txt").read_text()
`

export const golden = `cash          120.50 EUR
bank          -25.00 EUR
`

const shared = `def split(cents, parts):
    return allocate(cents, [1] * parts)


def allocate(cents, weights):
    if not weights:
        raise ValueError("at least one part is needed")
    total = sum(weights)
    found = [cents * weight // total for weight in weights]
    for index in range(cents - sum(found)):
        found[index] += 1
    return found
`

export const spread = money.slice(money.indexOf('def split'))
export const withSpread = (text: string): string => money.replace(spread, () => text)

/** The rest goes to the first part alone; weights are forgotten: the old test of weights fails. */
export const breaks = withSpread(`def split(cents, parts):
    found = [cents // parts] * parts
    found[0] += cents - sum(found)
    return found


def allocate(cents, weights):
    return split(cents, len(weights))
`)

/** The rest goes to the first part alone: nothing that was tested fails. */
export const fits = withSpread(`def split(cents, parts):
    found = [cents // parts] * parts
    found[0] += cents - sum(found)
    return found


def allocate(cents, weights):
    total = sum(weights)
    return [cents * weight // total for weight in weights]
`)

export const rightMoney = withSpread(shared)

export const splitTest = `import pytest

from helpers import assert_amounts
from ledger.money import allocate, split


def test_gives_what_is_left_to_the_first_parts():
    assert_amounts(split(1000, 3), "3.34", "3.33", "3.33")
    assert_amounts(split(5, 3), "0.02", "0.02", "0.01")


def test_allocates_to_the_last_cent():
    assert allocate(100, [1, 1, 1]) == [34, 33, 33]


def test_needs_a_part():
    with pytest.raises(ValueError):
        split(100, 0)
`

export const pyproject = `[project]
name = "ledger"
version = "0.3.0"

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["src", "tests"]
`

export const ledger: Project = {
  name: 'pytest, a ledger',
  files: {
    'README.md': '# Ledger\n\nKeeps accounts in cents.\n',
    '.gitignore': '__pycache__/\n.pytest_cache/\n',
    'pyproject.toml': pyproject,
    'src/ledger/__init__.py': '',
    'src/ledger/__main__.py': 'import sys\n\nfrom ledger.cli import main\n\nsys.exit(main(sys.argv[1:]))\n',
    'src/ledger/money.py': money,
    'src/ledger/account.py': account,
    'src/ledger/report.py': report,
    'src/ledger/cli.py': cli,
    'tests/conftest.py': conftest,
    'tests/helpers.py': helpers,
    'tests/data/report.txt': golden,
    'tests/test_money.py': moneyTest,
    'tests/test_account.py': accountTest,
    'tests/test_report.py': reportTest,
  },
  gate: 'python3 -m pytest -q',
  story: {
    title: 'Split to the last cent',
    criteria: [
      'The parts of split(cents, parts) add up to the amount: the first parts get one cent more until nothing is left',
      'The same is true of allocate(cents, weights)',
      'Without parts both raise ValueError',
    ],
  },
  wrong: { 'src/ledger/money.py': breaks },
  right: { 'src/ledger/money.py': rightMoney, 'tests/test_split.py': splitTest },
  heldOut: {
    program: 'python3',
    text: `
import sys
sys.path.insert(0, 'src')
from ledger.money import allocate, split, parse
def refused(call):
    try: call()
    except ValueError: return True
    return False
plain = lambda found: [int(cents) for cents in found]
found = [plain(split(1007, 4)), plain(split(8, 3)), plain(allocate(101, [2, 1, 1])), plain(allocate(9000, [2, 1])), refused(lambda: split(1, 0)), parse('1.5').cents]
wanted = [[252, 252, 252, 251], [3, 3, 2], [51, 25, 25], [6000, 3000], True, 150]
print('held-out ok' if found == wanted else found)
`,
  },
}

/** The end of a held-out check of its own, for stories that ask for something else. */
export const ok = (condition: string): string => `print('held-out ok' if ${condition} else 'no')`
