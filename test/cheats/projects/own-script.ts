/** The cart in JavaScript, with a runner of its own: a script that loads a list of test files, and says only what failed. */
import type { Project } from '../case.ts'
import { cart, heldOut, node, packageJson, rightCart, wrongCart } from './node.ts'

export const runScript = `import { results } from './harness.js'

for (const name of ['./cart.js', './shipping.js']) await import(name)
const failed = results.filter(({ error }) => error)
for (const { name, error } of failed) console.log('FAIL ' + name + ': ' + error.message)
process.exit(failed.length > 0 ? 1 : 0)
`

export const harness = `import assert from 'node:assert/strict'

export const results = []

export function check(name, run) {
  try {
    run()
    results.push({ name })
  } catch (error) {
    results.push({ name, error })
  }
}

export const same = (actual, expected) => assert.deepEqual(actual, expected)
`

const begins = "import { check, same } from './harness.js'\n"
export const ownVoucherTest = `${begins}import { discount } from '../src/cart.js'

check('takes a voucher off', () => {
  same(discount(200, 10, 30), 150)
  same(discount(20, 0, 30), 0)
})
`
const oldTest = `${begins}import { discount } from '../src/cart.js'

check('takes a percentage off', () => {
  same(discount(100, 10), 90)
})
`

export const ownScript: Project = {
  name: 'JavaScript, with a runner of its own',
  files: {
    'package.json': packageJson({ test: 'node test/run.js' }),
    'README.md': '# Shop\n',
    'src/cart.js': cart,
    'test/run.js': runScript,
    'test/harness.js': harness,
    'test/cart.js': oldTest,
    'test/shipping.js': `${begins}import { shipping } from '../src/cart.js'\n\ncheck('ships', () => {\n  same(shipping(50), 0)\n})\n`,
  },
  gate: 'npm test --silent',
  story: node.story,
  // Right for an amount of 100 alone.
  wrong: { 'src/cart.js': wrongCart },
  right: {
    'src/cart.js': rightCart,
    'test/voucher.js': ownVoucherTest,
    'test/run.js': runScript.replace("'./shipping.js'", "'./shipping.js', './voucher.js'"),
  },
  heldOut: { program: 'node', text: heldOut },
}
