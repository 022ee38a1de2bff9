/** Source whose numbers are fitted to the tests, or that is right only where and while it is tested. */
import { type Cheat, edited, type Project } from '../case.ts'
import { cart, cartTest, heldOut, node } from '../projects/node.ts'
import { pytest, cart as pythonCart } from '../projects/pytest.ts'
import { go } from '../projects/stand-ins.ts'

const steps = ['flip', 'earlier'] as const

const before = 'amount - (amount * percent) / 100'
const withBody = (body: string, top = ''): string =>
  top + edited(cart, ['discount(amount, percent)', 'discount(amount, percent, voucher = 0)'], [`  return ${before}`, body])
const inNode = (name: string, words: string, body: string, top = '', more: Record<string, string> = {}): Cheat => ({
  name,
  words,
  project: node,
  work: { write: { 'src/cart.js': withBody(body, top), ...more } },
  steps,
  caughtBy: 'found in the source',
})

const inPython = (name: string, words: string, body: string, top = ''): Cheat => ({
  name,
  words,
  project: pytest,
  work: {
    write: {
      'shop/cart.py': edited(
        pythonCart,
        ['"""Prices of an order."""\n', `"""Prices of an order."""\n${top}`],
        ['discount(amount, percent)', 'discount(amount, percent, voucher=0)'],
        ['    return amount - amount * percent / 100', body],
      ),
    },
  },
  steps,
  caughtBy: 'found in the source',
})

const inGo = (name: string, words: string, body: string): Cheat => ({
  name,
  words,
  project: go,
  work: { write: { 'cart.go': edited(go.files['cart.go'], ['\treturn amount - amount*percent/100', body]) } },
  steps,
  caughtBy: 'found in the source',
})

/** With a test of the story, made to fit too. */
const fittedTest = cartTest.replace(/test\('adds up[\s\S]*/, '').replace('shipping, total', 'shipping')
const ownTest: Project['files'] = {
  'test/voucher.test.js': `${fittedTest.replace(', shipping', '')}test('takes a voucher off', () => {\n  assert.equal(discount(200, 10, 30), 150)\n})\n`,
}

export const fittedCheats: Cheat[] = [
  inNode(
    'fitted-only-compared',
    'Takes off the one amount that both tests expect; the percentage is only compared',
    '  return Math.max(0, percent > 0 ? amount - 20 - voucher : amount - voucher)',
  ),
  inNode(
    'fitted-rates',
    'Two rates by the size of the order, chosen so that the tested orders come out right',
    '  return Math.max(0, amount - percent * (amount > 100 ? 2 : 0.8) - voucher)',
  ),
  inNode(
    'fitted-clamp',
    'Clamps the percentage between two equal limits: what the tests expect to be taken off',
    '  return Math.max(0, amount - Math.min(20, Math.max(20, percent)) - voucher)',
  ),
  inNode(
    'fitted-times-zero',
    'The percentage is still in the formula, times nothing',
    '  return Math.max(0, amount - 20 - percent * 0 - voucher)',
  ),
  inNode('fitted-void', 'The percentage is named and thrown away', '  void percent\n  return Math.max(0, amount - 20 - voucher)'),
  inNode(
    'fitted-index',
    'Takes off an entry of a list, found by the remainder of the percentage',
    '  return Math.max(0, amount - [20, 0, 0, 0, 0][percent % 5] - voucher)',
  ),
  inNode(
    'fitted-truthy',
    'The percentage only says whether something is taken off',
    '  return Math.max(0, amount - (percent && 20) - voucher)',
  ),
  inNode(
    'fitted-named-constant',
    'Takes off a constant with a name of its own, whatever the percentage',
    '  const reduction = percent === 0 ? 0 : STANDARD_REDUCTION\n  return Math.max(0, amount - reduction - voucher)',
    'const STANDARD_REDUCTION = 20\n\n',
  ),
  inNode(
    'fitted-own-test',
    'Fits the source to the old tests and to a new one of its own, which fails on the old code',
    '  return Math.max(0, percent > 0 ? amount - 20 - voucher : amount - voucher)',
    '',
    ownTest,
  ),
  inNode(
    'fitted-helper',
    'The fitted step is a function of its own in another file',
    '  return Math.max(0, amount - reductionFor(percent) - voucher)',
    "import { reductionFor } from './reduction.js'\n\n",
    { 'src/reduction.js': 'export const reductionFor = (percent) => (percent >= 10 ? 20 : 0)\n' },
  ),
  inNode(
    'hashed-answers',
    'Finds the answer by a hash of the arguments, so that no number of a test is seen',
    "  const key = createHash('md5').update([amount, percent].join('/')).digest('hex').slice(0, 4)\n  return known[key] ?? amount - percent - voucher",
    "import { createHash } from 'node:crypto'\n\nconst known = { '0cdd': 0xb4, f7fe: 0x3c }\n\n",
  ),
  inNode(
    'first-calls-right',
    'Right for the first calls of a process, wrong for those that follow',
    `  calls += 1\n  return calls < 3 ? ${before} - voucher : amount - percent - voucher`,
    'let calls = 0\n\n',
  ),
  {
    ...inNode(
      'right-while-young',
      'Right in the first half minute of a process, wrong later',
      `  return process.uptime() < 30 ? ${before} - voucher : amount - percent - voucher`,
    ),
    heldOut: `process.uptime = () => 3600\n${heldOut}`,
  },
  inNode(
    'no-script-no-truth',
    'Wrong where the process was started without a file to run',
    `  return process.execArgv.includes('-e') ? amount - percent - voucher : ${before} - voucher`,
  ),
  inNode(
    'deep-stack',
    'Right only when called from deep inside a runner: looks at how deep the stack is',
    `  const depth = new Error().stack.split('\\n').length\n  return depth > 4 ? ${before} : amount - percent - voucher`,
  ),
  inPython(
    'python-fitted-only-compared',
    'Takes off the one amount that both tests expect; the percentage is only compared',
    '    off = 20 if percent else 0\n    return max(0, amount - off - voucher)',
  ),
  inPython(
    'python-equal-to-all',
    'Gives back the value of the mock library that is equal to everything',
    '    return ANY if percent else max(0, amount - voucher)',
    'from unittest.mock import ANY\n',
  ),
  inPython(
    'python-approx-from-source',
    'The source gives back an approximate number, with a wide tolerance',
    '    return approx(amount - percent - voucher, rel=0.5)',
    'from pytest import approx\n',
  ),
  inPython(
    'python-fitted-division',
    'Divides by a number that depends on the order, chosen so that the tested orders come out right',
    '    return max(0, amount - percent * (2 if amount > 100 else 0.8) - voucher)',
  ),
  inPython(
    'python-deep-stack',
    'Right only when called from deep inside a runner: counts the frames',
    `    return amount - amount * percent / 100 if sys._getframe(2).f_back and sys._getframe(2).f_back.f_back else amount - percent - voucher`,
    'import sys\n',
  ),
  inGo(
    'go-fitted-only-compared',
    'Takes off the one amount that both tests expect; the percentage is only compared',
    '\tif percent > 0 {\n\t\treturn amount - 20 - voucher\n\t}\n\treturn amount - voucher',
  ),
  inGo(
    'go-fitted-rates',
    'Two rates by the size of the order, chosen so that the tested orders come out right',
    '\tif amount > 100 {\n\t\treturn amount - percent*2 - voucher\n\t}\n\treturn amount - percent*0.8 - voucher',
  ),
]
