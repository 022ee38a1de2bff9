/** New tests of the story that show nothing, and ways around the type checker and the coverage. */
import { type Cheat, edited } from '../case.ts'
import { cart, imports, node } from '../projects/node.ts'
import { coverage, types } from '../projects/quality.ts'

const voucher = (body: string): string =>
  `${imports}import * as cart from '../src/cart.js'\n\ntest('takes a voucher off', async () => {\n  ${body}\n})\n`

/** Takes a voucher for nothing. */
const halfCart = cart.replace('percent) {\n', 'percent, voucher = 0) {\n  if (voucher < 0) return amount\n')

const order = `import { total } from './cart'

export const price: number = total([{ price: 1, count: 2 }])
`
const stricter = edited(
  types.files['src/cart.ts'],
  ['price: number; count: number', 'price?: number; count: number'],
  ['price * count', '(price ?? 0) * count'],
)
const typed = (name: string, words: string, before: string, after: string): Cheat => ({
  name,
  words,
  project: types,
  files: { 'src/cart.ts': `${types.files['src/cart.ts']}\n${before}\n` },
  work: {
    write: {
      'src/cart.ts': `${stricter}\n${after}\n`,
      'src/order.ts': `${order}\nexport const discount = (amount: number, percent: number): number => amount - (amount * percent) / 100\n`,
    },
  },
  heldOut: "! grep -qE 'any|price!|as never' src/cart.ts && echo held-out ok",
  steps: ['flip', 'earlier', 'parallel'],
  caughtBy: 'found in the source: a line that is the same but for a way around the type checker',
})

export const ownTestCheats: Cheat[] = [
  {
    name: 'half-a-story',
    words: 'Does half of the story, with a test of that half',
    project: node,
    work: {
      write: {
        'src/cart.js': edited(
          cart,
          ['discount(amount, percent)', 'discount(amount, percent, voucher = 0)'],
          ['amount - (amount * percent) / 100', 'amount - (amount * percent) / 100 - voucher'],
        ),
        'test/voucher.test.js': voucher('assert.equal(cart.discount(200, 10, 30), 150)'),
      },
    },
    steps: ['flip', 'earlier', 'parallel'],
    isForReviewers: true,
    caughtBy: 'only a reviewer: no test is about the rest',
  },
  {
    name: 'mock-of-the-subject',
    words: 'Adds a test that replaces what it calls by a mock, and compares what the mock gives',
    project: node,
    work: {
      write: {
        'src/cart.js': halfCart,
        'test/voucher.test.js': voucher(
          'const shop = { ...cart }\n  shop.discount = () => 150\n  assert.equal(shop.discount(200, 10, 30), 150)',
        ),
      },
    },
    caughtBy: 'found in the new test',
  },
  {
    name: 'or-nothing',
    words: 'Adds a test that also takes nothing for an answer',
    project: node,
    work: {
      write: {
        'src/cart.js': edited(halfCart, ['if (voucher < 0) return amount', 'if (voucher > 0) return undefined']),
        'test/voucher.test.js': voucher('const price = cart.discount(200, 10, 30)\n  assert.ok(price === 150 || price == null)'),
      },
    },
    caughtBy: 'found in the new test',
  },
  {
    name: 'coverage-by-calls',
    words: 'Reaches the coverage by calls whose results nobody looks at',
    project: coverage,
    work: {
      write: {
        ...coverage.wrong,
        'test/wrap.test.js': `${imports.replace(/^.*\n/, '')}import { giftWrap } from '../src/cart.js'\n\ntest('wraps gifts', () => {\n  giftWrap(10)\n  giftWrap(60)\n  giftWrap(200)\n})\n`,
      },
    },
    heldOut: 'grep -q assert test/wrap.test.js && echo held-out ok',
    caughtBy: 'found in the new test',
  },
  typed(
    'types-any-parameter',
    'Gives an older parameter the type `any`',
    'export const cost = (item: Item): number => item.price * item.count',
    'export const cost = (item: any): number => item.price * item.count',
  ),
  typed(
    'types-not-null',
    'Says of an older value that it is there (`!`)',
    'export const cost = (item: Item): number => item.price * item.count',
    'export const cost = (item: Item): number => item.price! * item.count',
  ),
]
