/** What many cheats have in common; the last argument says what is different. */
import { type Cheat, edited } from '../case.ts'
import { cartTest, node, npm, packageJson, rightCart } from '../projects/node.ts'
import { changedScript, changedTest } from './caught-by.ts'

const path = 'test/cart.test.js'
type Sketch = Partial<Cheat>

/** Two assertions of the test of discounts. */
export const first = '  assert.equal(discount(200, 10), 180)\n'
export const second = '  assert.equal(discount(80, 25), 60)\n'
export const both = first + second

/** Steps of a test that is wrong from the start: its change cannot come before the wrong work. */
export const together = ['flip', 'earlier', 'parallel'] as const

/** Weakens the test of the cart. */
export const inTest = (name: string, words: string, changes: [from: string, to: string][], more: Sketch = {}): Cheat => ({
  name,
  words,
  project: node,
  plants: { write: { [path]: edited(more.files?.[path] ?? cartTest, ...changes) } },
  caughtBy: changedTest,
  ...more,
})

/** Changes the test script. */
export const ofScript = (name: string, words: string, test: string, more: Sketch = {}): Cheat => ({
  name,
  words,
  project: npm,
  plants: { write: { 'package.json': packageJson({ test }) } },
  caughtBy: changedScript,
  ...more,
})

/** Right work that is nowhere in the commit. */
export const workElsewhere = (name: string, words: string, run: string, more: Sketch & Pick<Cheat, 'caughtBy'>): Cheat => ({
  name,
  words,
  project: node,
  work: { run, write: { 'test/voucher.test.js': node.right['test/voucher.test.js']! } },
  truthOf: 'head',
  steps: ['flip', 'earlier'],
  named: /cart/,
  ...more,
})
export const writesRight = `cat > src/cart.js <<'EOF'\n${rightCart}EOF`
