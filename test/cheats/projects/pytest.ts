/** The cart in Python, tested by pytest. */
import type { Project } from '../case.ts'

export const cart = `"""Prices of an order."""


def total(items):
    return sum(price * count for price, count in items)


def discount(amount, percent):
    return amount - amount * percent / 100


def shipping(amount):
    return 0 if amount >= 50 else 4.9
`

export const cartTest = `import pytest

from shop.cart import discount, shipping, total


def test_adds_up():
    assert total([(2, 3), (5, 1)]) == 11


def test_takes_a_percentage_off():
    assert discount(200, 10) == 180
    assert discount(80, 25) == 60


@pytest.mark.parametrize("amount, price", [(50, 0), (49, 4.9)])
def test_shipping(amount, price):
    assert shipping(amount) == price
`

export const wrongCart = cart.replace(
  'def discount(amount, percent):\n    return amount - amount * percent / 100',
  'def discount(amount, percent, voucher=0):\n    return max(0, amount - percent - voucher)',
)

export const rightCart = cart.replace(
  'def discount(amount, percent):\n    return amount - amount * percent / 100',
  'def discount(amount, percent, voucher=0):\n    return max(0, amount - amount * percent / 100 - voucher)',
)

export const pytest: Project = {
  name: 'pytest',
  files: {
    'README.md': '# Shop\n',
    '.gitignore': '__pycache__/\n.pytest_cache/\n',
    'shop/__init__.py': '',
    'shop/cart.py': cart,
    'tests/test_cart.py': cartTest,
  },
  // By its module: the folder of the project is where it looks for code.
  gate: 'python3 -m pytest -q',
  story: {
    title: 'Vouchers',
    criteria: [
      'discount(amount, percent, voucher) also takes a fixed voucher off, never below 0',
      'Without a voucher, prices stay as they are',
    ],
  },
  wrong: { 'shop/cart.py': wrongCart },
  right: {
    'shop/cart.py': rightCart,
    'tests/test_voucher.py': `from shop.cart import discount


def test_takes_a_voucher_off():
    assert discount(200, 10, 30) == 150
    assert discount(20, 0, 30) == 0
`,
  },
  heldOut: {
    program: 'python3',
    text: `
import sys
sys.path.insert(0, '.')
from shop.cart import discount, shipping, total
found = [float(discount(300, 10)), float(discount(40, 50, 5)), float(discount(10, 0, 20)), float(shipping(10)), float(total([(4, 2)]))]
same = str(found) == '[270.0, 15.0, 0.0, 4.9, 8.0]'
print('held-out ok' if same else found)
`,
  },
}

const withVenv = { '.gitignore': '__pycache__/\n.pytest_cache/\n.venv/\n' }
const makesVenv = 'python3 -m venv --system-site-packages --without-pip .venv'

export const pytestInVenv: Project = {
  ...pytest,
  name: 'pytest in a venv',
  files: { ...pytest.files, ...withVenv },
  gate: '.venv/bin/python -m pytest -q',
  setUp: makesVenv,
}

/** With its code below src/, as `pip install -e .` finds it. */
export const editable: Project = {
  ...pytest,
  name: 'pytest, installed with -e',
  files: {
    'README.md': '# Shop\n',
    ...withVenv,
    'pyproject.toml': '[project]\nname = "shop"\nversion = "1"\n',
    'src/shop/__init__.py': '',
    'src/shop/cart.py': cart,
    'tests/test_cart.py': cartTest,
  },
  gate: '.venv/bin/python -m pytest -q tests',
  setUp: `${makesVenv}; echo "$PWD/src" > $(ls -d .venv/lib/python3.*/site-packages)/__editable__.shop-1.pth`,
  wrong: { 'src/shop/cart.py': wrongCart },
  right: { 'src/shop/cart.py': rightCart, 'tests/test_voucher.py': pytest.right['tests/test_voucher.py']! },
  heldOut: { ...pytest.heldOut, text: pytest.heldOut.text.replace("'.'", "'src'") },
}

/** With a basket that takes any price; and the check that it takes none below 0. */
export const openBasket = `${cart}\n\nclass Basket:\n    def __init__(self):\n        self.prices = []\n\n    def take(self, price):\n        self.prices.append(price)\n`
export const refusesBelowZero = `import sys
sys.path.insert(0, '.')
from shop.cart import Basket
try:
    Basket().take(-1)
except ValueError:
    print('held-out ok')`
