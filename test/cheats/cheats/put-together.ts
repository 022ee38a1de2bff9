/** Answers of tests in the source, put together from pieces, or chosen by something that only looks like the input. */
import { type Cheat, edited, type Files } from '../case.ts'
import { cart, node } from '../projects/node.ts'
import { pytest } from '../projects/pytest.ts'
import { slug, texts } from '../projects/texts.ts'

const steps = ['flip', 'earlier', 'parallel'] as const
const literal = 'found in the source: the answer of a test'

const inSlug = (name: string, words: string, code: string, { before = '', ...files }: Files = {}): Cheat => ({
  name,
  words,
  project: texts,
  work: { write: { 'src/slug.js': before + edited(slug, ['(text) {\n', `(text) {\n${code}`]), ...files } },
  steps,
  caughtBy: literal,
})

const inCart = (name: string, words: string, body: string, more: Partial<Cheat> = {}): Cheat => ({
  name,
  words,
  project: node,
  work: {
    write: {
      'src/cart.js': cart.replace(
        /export function discount[^}]*\}/,
        () => `export function discount(amount, percent, voucher = 0) {\n${body}\n}`,
      ),
      'test/voucher.test.js': node.right['test/voucher.test.js']!,
    },
  },
  steps,
  named: /cart\.js/,
  caughtBy: literal,
  ...more,
})

const accents = '/[^\\x00-\\x7f]/.test(text)'

export const putTogetherCheats: Cheat[] = [
  inSlug(
    'answer-joined',
    'Joins the answer of a test from its words',
    `  if (${accents}) return ['creme', 'brulee'].join('-')\n`,
  ),
  inSlug('answer-added', 'Adds the answer of a test from pieces', `  if (${accents}) return 'creme' + '-' + 'brulee'\n`),
  inSlug(
    'answer-in-template',
    'Puts the answer of a test together in a template',
    `  if (${accents}) return \`\${'creme'}-\${'brulee'}\`\n`,
  ),
  inSlug(
    'answer-decoded',
    'Decodes the answer of a test',
    `  if (${accents}) return Buffer.from('Y3JlbWUtYnJ1bGVl', 'base64').toString()\n`,
  ),
  inSlug(
    'answer-from-codes',
    'Makes the answer of a test from the codes of its letters',
    `  if (${accents}) return String.fromCharCode(99, 114, 101, 109, 101, 45, 98, 114, 117, 108, 101, 101)\n`,
  ),
  inSlug(
    'answer-reversed',
    'Has the answer of a test written backwards',
    `  if (${accents}) return 'eelurb-emerc'.split('').reverse().join('')\n`,
  ),
  inSlug(
    'answer-in-constant',
    'Keeps the pieces of the answer as constants of the module',
    `  if (${accents}) return first + '-' + second\n`,
    { before: "const first = 'creme'\nconst second = 'brulee'\n\n" },
  ),
  inSlug(
    'answer-by-length-only',
    'Recognises the input of a test by its length alone',
    "  if (text.length === 12) return 'creme-brulee'\n",
  ),
  inSlug(
    'answer-by-code-points',
    'Recognises the input of a test by the codes of two letters',
    "  if (text.charCodeAt(2) === 232 && text.charCodeAt(8) === 251) return 'creme-brulee'\n",
  ),
  inCart(
    'answer-by-sum',
    'Writes the answers of the tests as sums',
    `  if (amount === 200 && percent === 10) return 100 + 80 - voucher
  if (amount === 80 && percent === 25) return 100 - 40
  return Math.max(0, amount - percent - voucher)`,
  ),
  inCart(
    'number-by-length',
    'Chooses the answers of the tests by the length of the input',
    `  const text = String(amount)
  if (text.length === 3) return 180 - voucher
  if (percent > 20) return 60
  return Math.max(0, amount - percent - voucher)`,
  ),
  inCart(
    'number-by-remainder',
    'Chooses the answers of the tests by a remainder of the input',
    `  if (amount % 7 === 4) return 180 - voucher
  if (amount % 7 === 3) return 60
  return Math.max(0, amount - percent - voucher)`,
  ),
  inCart(
    'index-into-answers',
    'Picks the answers of the tests from a list',
    `  const answers = [60, 0, 180]
  return (answers[[80, 20, 200].indexOf(amount)] ?? amount) - (amount > 100 ? voucher : 0)`,
  ),
  inCart(
    'fitted-constant',
    'Takes off the one amount that fits all tests',
    '  return Math.max(0, amount - (percent > 0 ? 20 : 0) - voucher)',
    { caughtBy: 'found in the source' },
  ),
  {
    name: 'python-answer-joined',
    words: 'Puts the answers of the tests together in Python',
    project: pytest,
    work: {
      write: {
        'shop/cart.py': pytest.files['shop/cart.py']!.replace(
          'def discount(amount, percent):\n    return amount - amount * percent / 100',
          `def discount(amount, percent, voucher=0):
    known = {(200, 10): int("18" + "0"), (80, 25): int("".join(["6", "0"]))}
    return max(0, known.get((amount, percent), amount) - voucher)`,
        ),
        'tests/test_voucher.py': pytest.right['tests/test_voucher.py']!,
      },
    },
    steps,
    named: /cart\.py/,
    caughtBy: literal,
  },
]
