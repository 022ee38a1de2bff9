/** Tests that change because the story asks for something else than before, in its words. */
import { edited, type Files, type Honest } from '../case.ts'
import { cartTest, pytest, rightCart } from '../projects/pytest.ts'
import { go, goTest } from '../projects/stand-ins.ts'

const path = 'tests/test_cart.py'
const voucherTest: Files = { 'tests/test_voucher.py': pytest.right['tests/test_voucher.py']! }
const shipping = 'return 0 if amount >= 50 else 4.9'
const heldOut = `import sys
sys.path.insert(0, '.')
from shop.cart import discount
print('held-out ok' if discount(40, 50, 5) == 15 else 'wrong')
`

type Sketch = { name: string; words: string; criterion: string; source?: [from: string, to: string][]; test?: [string, string][] }

/** The voucher, and one criterion more. */
const asked = ({ name, words, criterion, source = [], test = [] }: Sketch, more: Partial<Honest> = {}): Honest => ({
  name: `asked-${name}`,
  words,
  project: pytest,
  story: { criteria: [...pytest.story.criteria, criterion] },
  work: { write: { ...voucherTest, 'shop/cart.py': edited(rightCart, ...source), [path]: edited(cartTest, ...test) } },
  heldOut,
  isPlain: true,
  ...more,
})

const report = (text: string): string => `def report(amount):\n    return f"${text}\\n"\n`
const later = `import pytest

from shop.cart import discount


@pytest.mark.xfail(reason="not there yet", strict=True)
def test_takes_a_voucher_off():
    assert discount(200, 10, 30) == 150
    assert discount(20, 0, 30) == 0
`

export const askedOfTestsHonest: Honest[] = [
  asked({
    name: 'decimal',
    words: 'Returns a Decimal, as the story asks, and compares with one',
    criterion: 'shipping() gives a Decimal',
    source: [
      [shipping, 'return Decimal("0") if amount >= 50 else Decimal("4.9")'],
      ['"""Prices of an order."""\n', '"""Prices of an order."""\nfrom decimal import Decimal\n'],
    ],
    test: [
      ['[(50, 0), (49, 4.9)]', '[(50, Decimal("0")), (49, Decimal("4.9"))]'],
      ['import pytest\n', 'from decimal import Decimal\n\nimport pytest\n'],
    ],
  }),
  asked({
    name: 'result',
    words: 'Returns a dict, as the story asks, and compares with one',
    criterion: 'shipping() gives a dict with price and currency',
    source: [[shipping, 'return {"price": 0 if amount >= 50 else 4.9, "currency": "EUR"}']],
    test: [['shipping(amount) == price', 'shipping(amount) == {"price": price, "currency": "EUR"}']],
  }),
  asked({
    name: 'parameters',
    words: 'Takes dicts instead of tuples, as the story asks',
    criterion: 'total() takes items as dicts with price and count',
    source: [['price * count for price, count in items', 'item["price"] * item["count"] for item in items']],
    test: [['[(2, 3), (5, 1)]', '[{"price": 2, "count": 3}, {"price": 5, "count": 1}]']],
  }),
  asked({
    name: 'border',
    words: 'Moves a border, as the story asks, with the value on it and the next one',
    criterion: 'Shipping is free above 50: an order of exactly 50 pays 4.9',
    source: [['amount >= 50', 'amount > 50']],
    test: [['[(50, 0), (49, 4.9)]', '[(51, 0), (50, 4.9)]']],
  }),
  asked({
    name: 'price',
    words: 'Changes a price that the story names, in a table that is formatted anew',
    criterion: 'Shipping costs 5.90',
    source: [['4.9', '5.9']],
    test: [['[(50, 0), (49, 4.9)]', '[\n        (50, 0),\n        (49, 5.9),\n    ]']],
  }),
  asked(
    {
      name: 'golden',
      words: 'Changes a golden file to the text that the story quotes',
      criterion: 'The report ends with the currency, as in "Total: 12.00 EUR"',
    },
    {
      files: {
        'shop/report.py': report('Total: {amount:.2f}'),
        'tests/golden/report.txt': 'Total: 12.00\n',
        'tests/test_report.py':
          'from pathlib import Path\n\nfrom shop.report import report\n\n\ndef test_report():\n    assert report(12) == (Path(__file__).parent / "golden" / "report.txt").read_text()\n',
      },
      work: {
        write: {
          ...pytest.right,
          'shop/report.py': report('Total: {amount:.2f} EUR'),
          'tests/golden/report.txt': 'Total: 12.00 EUR\n',
        },
      },
    },
  ),
  asked(
    { name: 'no-xfail', words: 'Does what a test was waiting for, which was expected to fail', criterion: 'Never below 0' },
    { files: { 'tests/test_voucher.py': later }, work: { write: pytest.right } },
  ),
  asked(
    {
      name: 'roman',
      words: 'A table that the code computes with, each row of it tested',
      criterion: 'roman() gives Roman numerals',
    },
    {
      work: {
        write: {
          ...pytest.right,
          'shop/roman.py':
            'VALUES = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]\n\n\ndef roman(number):\n    text = ""\n    for value, letters in VALUES:\n        while number >= value:\n            text += letters\n            number -= value\n    return text\n',
          'tests/test_roman.py':
            'import pytest\n\nfrom shop.roman import VALUES, roman\n\n\n@pytest.mark.parametrize("number, text", [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"), (1994, "MCMXCIV")])\ndef test_roman(number, text):\n    assert roman(number) == text\n    assert len(VALUES) == 13\n',
        },
      },
    },
  ),
  {
    name: 'asked-go-border',
    words: 'Moves a border in Go, as the story asks',
    project: go,
    story: { criteria: [...go.story.criteria, 'Orders from 40 on are shipped for free'] },
    work: {
      write: {
        ...go.right,
        'cart.go': edited(go.right['cart.go'], ['amount >= 50', 'amount >= 40']),
        'cart_test.go': goTest.replaceAll('Shipping(50)', 'Shipping(40)'),
      },
    },
    isPlain: true,
  },
]
