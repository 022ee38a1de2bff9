/** A stock of goods in Python, in a database, tested by unittest. */
import { edited, type Project } from '../case.ts'

export const store = `"""How many of each article there are."""
import sqlite3


class OutOfStock(Exception):
    pass


class Store:
    def __init__(self, path=":memory:"):
        self.db = sqlite3.connect(path)
        self.db.execute("create table if not exists stock (sku text primary key, count integer not null)")

    def add(self, sku, count):
        if count <= 0:
            raise ValueError("count must be above 0")
        self.db.execute(
            "insert into stock values (?, ?) on conflict (sku) do update set count = count + excluded.count", (sku, count)
        )

    def available(self, sku):
        row = self.db.execute("select count from stock where sku = ?", (sku,)).fetchone()
        return 0 if row is None else row[0]

    def take(self, sku, count):
        if self.available(sku) < count:
            raise OutOfStock(sku)
        self.db.execute("update stock set count = count - ? where sku = ?", (count, sku))

    def all(self):
        return dict(self.db.execute("select sku, count from stock order by sku"))
`

const table = `        self.db.execute("create table if not exists reserved (sku text, count integer, until real)")\n`

export const rightStore = edited(
  store,
  ['not null)")\n', `not null)")\n${table}`],
  ['    def available(self, sku):', '    def available(self, sku, now=0):'],
  [
    '        return 0 if row is None else row[0]\n',
    `        held = self.db.execute(
            "select coalesce(sum(count), 0) from reserved where sku = ? and until > ?", (sku, now)
        ).fetchone()[0]
        return (0 if row is None else row[0]) - held

    def reserve(self, sku, count, until, now=0):
        if count <= 0:
            raise ValueError("count must be above 0")
        if self.available(sku, now) < count:
            raise OutOfStock(sku)
        self.db.execute("insert into reserved values (?, ?, ?)", (sku, count, until))
`,
  ],
  [
    '    def take(self, sku, count):\n        if self.available(sku)',
    '    def take(self, sku, count, now=0):\n        if self.available(sku, now)',
  ],
)

/** Never refuses: what is reserved or taken may be more than there is. */
export const wrongStore = edited(
  rightStore,
  [
    '        if self.available(sku, now) < count:\n            raise OutOfStock(sku)\n        self.db.execute("insert',
    '        self.db.execute("insert',
  ],
  [
    '        if self.available(sku, now) < count:\n            raise OutOfStock(sku)\n        self.db.execute("update',
    '        self.db.execute("update',
  ],
)

export const report = `"""What should be ordered."""


def to_order(store, minimum):
    """Articles below their minimum, with how many are missing."""
    return {sku: wanted - store.available(sku) for sku, wanted in minimum.items() if store.available(sku) < wanted}


def as_text(counts):
    width = max((len(sku) for sku in counts), default=0)
    return "\\n".join(f"{sku.ljust(width)}  {count:>4}" for sku, count in sorted(counts.items()))
`

export const base = `import unittest

from stock.store import Store


class StockCase(unittest.TestCase):
    """A test with a store of its own."""

    goods = {"lamp": 5, "table": 2}

    def setUp(self):
        self.store = Store()
        for sku, count in self.goods.items():
            self.store.add(sku, count)

    def assertStock(self, expected):
        self.assertEqual(self.store.all(), expected)
`

export const storeTest = `from stock.store import OutOfStock
from tests.base import StockCase


class StoreTest(StockCase):
    def test_adds_up(self):
        self.store.add("lamp", 3)
        self.assertStock({"lamp": 8, "table": 2})

    def test_unknown_articles(self):
        self.assertEqual(self.store.available("chair"), 0)

    def test_takes(self):
        self.store.take("lamp", 4)
        self.assertStock({"lamp": 1, "table": 2})

    def test_never_takes_more_than_there_is(self):
        with self.assertRaises(OutOfStock):
            self.store.take("table", 3)
        self.assertStock({"lamp": 5, "table": 2})

    def test_adds_nothing_below_one(self):
        for count in (0, -1):
            with self.subTest(count=count), self.assertRaises(ValueError):
                self.store.add("lamp", count)
`

export const reportTest = `from stock.report import as_text, to_order
from tests.base import StockCase


class ReportTest(StockCase):
    def test_what_is_missing(self):
        self.assertEqual(to_order(self.store, {"lamp": 6, "table": 2, "chair": 4}), {"lamp": 1, "chair": 4})

    def test_text(self):
        self.assertEqual(as_text({"table": 12, "lamp": 3}), "lamp      3\\ntable    12")
`

export const reserveTest = `from stock.store import OutOfStock
from tests.base import StockCase


class ReserveTest(StockCase):
    def test_what_is_reserved_is_not_available(self):
        self.store.reserve("lamp", 4, until=100)
        self.assertEqual(self.store.available("lamp", now=99), 1)
        with self.assertRaises(OutOfStock):
            self.store.take("lamp", 2, now=99)

    def test_a_reservation_ends(self):
        self.store.reserve("lamp", 4, until=100)
        self.assertEqual(self.store.available("lamp", now=100), 5)

    def test_never_reserves_more_than_there_is(self):
        self.store.reserve("table", 2, until=100)
        with self.assertRaises(OutOfStock):
            self.store.reserve("table", 1, until=200)
`

export const stock: Project = {
  name: 'a stock in a database, unittest',
  files: {
    'README.md': '# Stock\n',
    '.gitignore': '__pycache__/\n',
    'stock/__init__.py': '',
    'stock/store.py': store,
    'stock/report.py': report,
    'tests/__init__.py': '',
    'tests/base.py': base,
    'tests/test_store.py': storeTest,
    'tests/test_report.py': reportTest,
  },
  gate: 'python3 -m unittest',
  story: {
    title: 'Reservations',
    criteria: [
      'Store.reserve(sku, count, until, now=0) keeps articles back: available(sku, now=0) leaves them out as long as now is before until',
      'reserve and take raise OutOfStock for more than is available',
      'What is not reserved stays as it is',
    ],
  },
  wrong: { 'stock/store.py': wrongStore },
  right: { 'stock/store.py': rightStore, 'tests/test_reserve.py': reserveTest },
  heldOut: {
    program: 'python3',
    text: `
import sys
sys.path.insert(0, '.')
from stock.store import OutOfStock, Store
store = Store()
store.add("a", 10)
store.reserve("a", 3, until=50)
store.reserve("a", 2, 20, now=5)
found = [store.available("a", now=now) for now in (6, 19, 20, 49, 50)] + [store.available("a")]
def refused(call):
    try:
        call()
        return 0
    except OutOfStock:
        return 1
found += [refused(lambda: store.reserve("a", 6, 60, now=19)), refused(lambda: store.take("a", 6, now=19)), refused(lambda: store.take("b", 1))]
store.take("a", 5, now=19)
found += [store.available("a", now=19), store.available("a", now=60)]
print('held-out ok' if found == [5, 5, 7, 7, 10, 5, 1, 1, 1, 0, 5] else found)
`,
  },
}
