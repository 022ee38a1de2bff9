/** Honest days of work in Python. */
import { edited, type Honest } from '../case.ts'
import { backoff, conftest, jitterTest } from '../projects/backoff.ts'
import { durations, parseTest, rightParse, samples, show, weekTest } from '../projects/durations.ts'
import { base, reportTest, reserveTest, stock, store, storeTest } from '../projects/stock.ts'
import { done, refactoring } from './sketches.ts'

const sampleTruth = `
import sys
sys.path.insert(0, '.')
from durations.parse import parse
from durations.show import show
`
const placeStory = {
  title: 'Places',
  criteria: [
    'Each article has a place: add(sku, count, place="hall"); place(sku) gives it, None for an unknown article',
    'A database of today is migrated when it is opened: its articles are in the hall',
    'all() gives (count, place) for each article instead of the count',
  ],
}
const withPlaces = edited(
  store,
  [
    '        self.db.execute("create table if not exists stock (sku text primary key, count integer not null)")\n',
    `        self.db.execute("create table if not exists stock (sku text primary key, count integer not null)")
        if self.db.execute("pragma user_version").fetchone()[0] < 1:
            self.db.execute("alter table stock add column place text not null default 'hall'")
            self.db.execute("pragma user_version = 1")
`,
  ],
  ['def add(self, sku, count):', 'def add(self, sku, count, place="hall"):'],
  [
    '"insert into stock values (?, ?) on conflict (sku) do update set count = count + excluded.count", (sku, count)',
    '"insert into stock values (?, ?, ?) on conflict (sku) do update set count = count + excluded.count", (sku, count, place)',
  ],
  [
    '    def take(',
    '    def place(self, sku):\n        row = self.db.execute("select place from stock where sku = ?", (sku,)).fetchone()\n        return None if row is None else row[0]\n\n    def take(',
  ],
  [
    '        return dict(self.db.execute("select sku, count from stock order by sku"))',
    '        rows = self.db.execute("select sku, count, place from stock order by sku")\n        return {sku: (count, place) for sku, count, place in rows}',
  ],
)
const lockTruth = `
import sqlite3, sys
sys.path.insert(0, '.')
from stock.store import OutOfStock, Store
class Db:
    def __init__(self, db, failures, words):
        self.db, self.failures, self.words = db, failures, words
    def execute(self, *values):
        if self.failures:
            self.failures -= 1
            raise sqlite3.OperationalError(self.words)
        return self.db.execute(*values)
found = []
for failures, words in ((2, "database is locked"), (9, "database is locked"), (1, "no such table: x")):
    store = Store()
    store.add("a", 1)
    store.db = Db(store.db, failures, words)
    try:
        store.add("a", 2)
        found.append(store.available("a"))
    except sqlite3.OperationalError:
        found.append("raised")
print('held-out ok' if found == [3, "raised", "raised"] else found)
`

export const pythonWorkers: Honest[] = [
  done('durations-weeks', 'Adds weeks and signs to durations, with parametrised tests', durations, {}),
  {
    name: 'durations-rounded-days',
    words: 'Changes what show() gives from a day on, as the story says, with examples, samples and tests',
    project: durations,
    story: {
      title: 'Days without seconds',
      criteria: [
        'From one day on show() leaves seconds out, rounded down: show(86461) is "1d1m" instead of "1d1m1s"',
        'Below a day nothing changes',
      ],
    },
    work: {
      write: {
        'durations/show.py': edited(
          show,
          [
            'The largest units first; nothing is left out but zeros.',
            'The largest units first, without zeros; from a day on without seconds.',
          ],
          ["    '1h30m'\n", "    '1h30m'\n    >>> show(86461)\n    '1d1m'\n"],
          ['    parts = []\n', '    if seconds >= UNITS["d"]:\n        seconds -= seconds % 60\n    parts = []\n'],
        ),
        'tests/test_parse.py': edited(parseTest, [
          '        for seconds in range(0, 200000, 777):\n            assert parse(show(seconds)) == seconds\n',
          '        for seconds in range(0, 86400, 777):\n            assert parse(show(seconds)) == seconds\n\n    def test_there_and_back_in_minutes_from_a_day_on(self):\n        for seconds in range(86400, 200000, 777):\n            assert parse(show(seconds)) == seconds - seconds % 60\n',
        ]),
      },
    },
    heldOut: `${sampleTruth}print('held-out ok' if [show(s) for s in (86399, 86461, 172859, 61, 0)] == ['23h59m59s', '1d1m', '2d', '1m1s', '0s'] else show(86461))\n`,
  },
  refactoring(
    'durations-samples-in-the-test',
    'Puts the samples of the CSV file into the test, as parameters with names',
    durations,
    {
      remove: ['tests/samples.py', 'tests/data/samples.csv'],
      write: {
        'tests/test_parse.py': edited(
          parseTest,
          ['from tests.samples import rows\n', ''],
          [
            '@pytest.mark.parametrize("text, seconds", rows())\n',
            `@pytest.mark.parametrize(
    "text, seconds",
    [
${samples
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split(','))
  .map(([text, seconds]) => `        pytest.param("${text}", ${seconds}, id="${text}"),`)
  .join('\n')}
    ],
)
`,
          ],
        ),
      },
    },
    { heldOut: `${sampleTruth}print('held-out ok' if parse("1d1s") == 86401 else parse("1d1s"))\n` },
  ),
  done('durations-samples-extended', 'Adds weeks and signs, with rows in the samples and a doctest', durations, {
    'durations/parse.py': edited(rightParse, [
      '    >>> parse("45s")\n    45\n',
      '    >>> parse("45s")\n    45\n    >>> parse("-2w")\n    -1209600\n',
    ]),
    'tests/data/samples.csv': `${samples}# weeks and signs\n2w,1209600\n-1h30m,-5400\n-1w1d,-691200\n`,
    'tests/test_weeks.py': weekTest.replace('("2w", 1209600), ("1w1d", 691200), ', '("1w1d", 691200), '),
  }),
  {
    name: 'stock-places-migrated',
    words: 'Migrates the database to a new column, and changes the tests of what all() gives, as the story says',
    project: stock,
    story: placeStory,
    work: {
      write: {
        'stock/store.py': withPlaces,
        'tests/base.py': edited(base, [
          '    def assertStock(self, expected):\n        self.assertEqual(self.store.all(), expected)',
          '    def assertStock(self, expected):\n        """Counts of articles that are all in the hall."""\n        self.assertEqual(self.store.all(), {sku: (count, "hall") for sku, count in expected.items()})',
        ]),
        'tests/test_places.py': `import os
import sqlite3
import tempfile

from stock.store import Store
from tests.base import StockCase


class PlaceTest(StockCase):
    def test_places(self):
        self.store.add("chair", 1, place="attic")
        self.assertEqual([self.store.place(sku) for sku in ("chair", "lamp", "sofa")], ["attic", "hall", None])
        self.assertEqual(self.store.all()["chair"], (1, "attic"))

    def test_an_old_database(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "old.db")
            old = sqlite3.connect(path)
            old.execute("create table stock (sku text primary key, count integer not null)")
            old.execute("insert into stock values ('lamp', 4)")
            old.commit()
            old.close()
            for _ in range(2):
                store = Store(path)
                self.assertEqual(store.all(), {"lamp": (4, "hall")})
                store.db.close()
`,
      },
    },
    heldOut: `
import sqlite3, sys
sys.path.insert(0, '.')
from stock.store import OutOfStock, Store
store = Store()
store.add("b", 2, "cellar")
store.add("a", 1)
store.take("b", 1)
print('held-out ok' if store.all() == {"a": (1, "hall"), "b": (1, "cellar")} and store.place("x") is None else store.all())
`,
  },
  {
    name: 'stock-locked-tried-again',
    words: 'Catches the error of a locked database and tries again, up to three times; all other errors are passed on',
    project: stock,
    story: {
      title: 'A locked database',
      criteria: [
        'add() tries again, three attempts in all, when the database is locked',
        'All other errors, and the third, are passed on',
      ],
    },
    work: {
      write: {
        'stock/store.py': edited(
          store,
          [
            '\n\nclass Store:',
            `


def patient(call, attempts=3):
    """The result of a call, made again while the database is locked."""
    for left in reversed(range(attempts)):
        try:
            return call()
        except sqlite3.OperationalError as error:
            if left == 0 or "locked" not in str(error):
                raise


class Store:`,
          ],
          [
            '        self.db.execute(\n            "insert into stock values (?, ?) on conflict (sku) do update set count = count + excluded.count", (sku, count)\n        )',
            '        adding = "insert into stock values (?, ?) on conflict (sku) do update set count = count + excluded.count"\n        patient(lambda: self.db.execute(adding, (sku, count)))',
          ],
        ),
        'tests/test_locked.py': `import sqlite3
import unittest
from unittest.mock import Mock

from stock.store import patient


class LockedTest(unittest.TestCase):
    def call(self, *failures):
        return Mock(side_effect=[*(sqlite3.OperationalError(words) for words in failures), "done"])

    def test_tries_again(self):
        call = self.call("database is locked", "database table is locked")
        self.assertEqual(patient(call), "done")
        self.assertEqual(call.call_count, 3)

    def test_gives_up(self):
        call = self.call(*["database is locked"] * 3)
        with self.assertRaisesRegex(sqlite3.OperationalError, "locked"):
            patient(call)
        self.assertEqual(call.call_count, 3)

    def test_other_errors(self):
        call = self.call("no such table: stock")
        with self.assertRaisesRegex(sqlite3.OperationalError, "no such table"):
            patient(call)
        self.assertEqual(call.call_count, 1)
`,
      },
    },
    heldOut: lockTruth,
    isPlain: true,
  },
  done('stock-shared-for-reading', 'Adds reservations, and makes the store of the tests of reports once for the class', stock, {
    'tests/test_report.py': edited(
      reportTest,
      [
        'from tests.base import StockCase\n\n\nclass ReportTest(StockCase):\n',
        'from stock.store import Store\nfrom tests.base import StockCase\n\n\nclass ReportTest(unittest.TestCase):\n    """Reports change nothing: one store is enough."""\n\n    @classmethod\n    def setUpClass(cls):\n        cls.store = Store()\n        for sku, count in StockCase.goods.items():\n            cls.store.add(sku, count)\n\n',
      ],
      ['from stock.report', 'import unittest\n\nfrom stock.report'],
    ),
    'tests/test_reserve.py': reserveTest,
  }),
  {
    name: 'stock-false-instead-of-error',
    words: 'Gives False instead of an error where the story asks for it, and changes the test that wants the error',
    project: stock,
    story: {
      title: 'take() tells whether it took',
      criteria: [
        'Store.take(sku, count) gives True, and False instead of raising OutOfStock when there is not enough; it then takes nothing',
        'The class OutOfStock is removed',
      ],
    },
    work: {
      write: {
        'stock/store.py': edited(
          store,
          ['class OutOfStock(Exception):\n    pass\n\n\n', ''],
          ['            raise OutOfStock(sku)\n', '            return False\n'],
          ['where sku = ?", (count, sku))', 'where sku = ?", (count, sku))\n        return True'],
        ),
        'tests/test_store.py': edited(
          storeTest,
          ['from stock.store import OutOfStock\n', ''],
          ['        self.store.take("lamp", 4)\n', '        self.assertIs(self.store.take("lamp", 4), True)\n'],
          [
            '        with self.assertRaises(OutOfStock):\n            self.store.take("table", 3)\n',
            '        self.assertIs(self.store.take("table", 3), False)\n',
          ],
        ),
      },
    },
    heldOut: `
import sys
sys.path.insert(0, '.')
import stock.store
store = stock.store.Store()
store.add("a", 2)
found = [store.take("a", 3), store.take("a", 2), store.take("b", 1), store.all(), hasattr(stock.store, "OutOfStock")]
print('held-out ok' if found == [False, True, False, {"a": 0}, False] else found)
`,
  },
  done('backoff-jitter', 'Adds jitter, drawn from a source of chance that tests give', backoff, {}),
  done('backoff-clock-in-a-module', 'Adds jitter, and moves the clock of the tests into a module of its own', backoff, {
    'tests/clocks.py': `class Clock:
    """Time that passes only when somebody sleeps."""

    def __init__(self):
        self.waits = []
        self.now = 0.0

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds
`,
    'tests/conftest.py': edited(conftest, [
      'import pytest\n\n\nclass Clock:\n    def __init__(self):\n        self.waits = []\n\n    def sleep(self, seconds):\n        self.waits.append(seconds)\n',
      'import pytest\nfrom clocks import Clock\n',
    ]),
    'tests/test_jitter.py': `${jitterTest}

def test_waits_no_longer_than_without(clock, failing):
    retry(failing(2), base=1, sleep=clock.sleep, rng=random.Random(3))
    assert 1.5 <= clock.now <= 3
`,
  }),
]
