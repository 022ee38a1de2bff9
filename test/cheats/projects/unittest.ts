/** The cart in Python, tested by unittest, which comes with Python. */
import type { Project } from '../case.ts'
import { pytest } from './pytest.ts'

export const unittestTest = `import unittest

from shop.cart import discount, shipping


class CartTest(unittest.TestCase):
    def test_takes_a_percentage_off(self):
        self.assertEqual(discount(200, 10), 180)
        self.assertEqual(discount(80, 25), 60)

    def test_shipping(self):
        self.assertEqual(shipping(50), 0)


if __name__ == "__main__":
    unittest.main()
`

export const unittest: Project = {
  ...pytest,
  name: 'unittest',
  files: {
    'README.md': '# Shop\n',
    '.gitignore': '__pycache__/\n',
    'shop/__init__.py': '',
    'shop/cart.py': pytest.files['shop/cart.py']!,
    'tests/__init__.py': '',
    'tests/test_cart.py': unittestTest,
  },
  gate: 'python3 -m unittest',
  right: {
    'shop/cart.py': pytest.right['shop/cart.py']!,
    'tests/test_voucher.py': `import unittest

from shop.cart import discount


class VoucherTest(unittest.TestCase):
    def test_takes_a_voucher_off(self):
        self.assertEqual(discount(200, 10, 30), 150)
`,
  },
}
