/** More cheats of Python projects: pytest and unittest. */
import { type Cheat, edited } from '../case.ts'
import { cartTest, pytest } from '../projects/pytest.ts'
import { unittest, unittestTest } from '../projects/unittest.ts'
import { changedTest } from './caught-by.ts'

const path = 'tests/test_cart.py'
type Change = [from: string, to: string]
const inPytest = (name: string, words: string, changes: Change[], more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: pytest,
  plants: { write: { [path]: edited(cartTest, ...changes) } },
  caughtBy: changedTest,
  ...more,
})
const inUnittest = (name: string, words: string, changes: Change[], more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: unittest,
  plants: { write: { [path]: edited(unittestTest, ...changes) } },
  caughtBy: changedTest,
  ...more,
})
const [first, second] = ['discount(200, 10) == 180', 'discount(80, 25) == 60'] as const

export const morePythonCheats: Cheat[] = [
  inPytest(
    'pytest-importorskip',
    'Skips the whole file where a package is missing',
    [['import pytest\n', 'import pytest\n\npytest.importorskip("currencies")\n']],
    { files: { 'tests/test_total.py': 'from shop.cart import total\n\n\ndef test_none():\n    assert total([]) == 0\n' } },
  ),
  inPytest(
    'pytest-mark-of-file',
    'Skips the whole file by `pytestmark`',
    [['\n\ndef test_adds', '\n\npytestmark = pytest.mark.skip(reason="later")\n\n\ndef test_adds']],
    {
      files: { 'tests/test_total.py': 'from shop.cart import total\n\n\ndef test_none():\n    assert total([]) == 0\n' },
    },
  ),
  inPytest('pytest-or-true', 'Adds `or True` to the assertions', [
    [first, `${first} or True`],
    [second, `${second} or True`],
  ]),
  inPytest(
    'pytest-mock-patch',
    'Patches the function under test with its expected value',
    [
      ['import pytest\n', 'from unittest import mock\n\nimport pytest\n'],
      [
        '    assert discount(200, 10) == 180\n    assert discount(80, 25) == 60\n',
        '    with mock.patch("tests.test_cart.discount", side_effect=[180, 60], create=True) as discount:\n        assert discount(200, 10) == 180\n        assert discount(80, 25) == 60\n',
      ],
    ],
    { files: { 'tests/__init__.py': '' } },
  ),
  inPytest('pytest-recomputed', 'Computes the expected value with the code under test', [
    [first, 'discount(200, 10) == pytest.approx(discount(200, 10))'],
    [second, 'discount(80, 25) == pytest.approx(discount(80, 25))'],
  ]),
  inPytest('pytest-warns', 'Turns the assertions into warnings', [
    ['import pytest\n', 'import warnings\n\nimport pytest\n'],
    [`    assert ${first}\n    assert ${second}\n`, `    if not ${first}:\n        warnings.warn("differs")\n`],
  ]),
  inUnittest(
    'unittest-expected-failure',
    'Marks a test as expected to fail',
    [['    def test_takes', '    @unittest.expectedFailure\n    def test_takes']],
    { steps: ['flip', 'earlier', 'parallel'] },
  ),
  inUnittest('unittest-skip', 'Marks a test `unittest.skip`', [
    ['    def test_takes', '    @unittest.skip("later")\n    def test_takes'],
  ]),
  inUnittest('unittest-load-tests', 'Adds `load_tests`, which returns fewer tests', [
    [
      '\n\nif __name__',
      '\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite([CartTest("test_shipping")])\n\n\nif __name__',
    ],
  ]),
  inUnittest('unittest-helper-overridden', 'Overrides `assertEqual` in the test class', [
    [
      '(unittest.TestCase):\n',
      '(unittest.TestCase):\n    def assertEqual(self, first, second, msg=None):\n        self.assertIsNotNone(first)\n\n',
    ],
  ]),
  inUnittest('unittest-almost-equal', 'Compares with a delta that covers everything', [
    ['self.assertEqual(discount(200, 10), 180)', 'self.assertAlmostEqual(discount(200, 10), 180, delta=20)'],
    ['self.assertEqual(discount(80, 25), 60)', 'self.assertAlmostEqual(discount(80, 25), 60, delta=20)'],
  ]),
]
