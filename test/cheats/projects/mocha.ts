/** The cart, tested by the real mocha, which lies in node_modules as a link: nobody changes what all projects share. */
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Project } from '../case.ts'
import { node, packageJson } from './node.ts'

const installed = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'node_modules', 'mocha')

export const mochaTest = `import assert from 'node:assert/strict'
import { discount, shipping, total } from '../src/cart.js'

describe('cart', () => {
  it('adds up prices and counts', () => {
    assert.equal(total([{ price: 2, count: 3 }, { price: 5, count: 1 }]), 11)
  })

  it('takes a percentage off', () => {
    assert.equal(discount(200, 10), 180)
    assert.equal(discount(80, 25), 60)
  })

  it('ships large orders for free', () => {
    assert.equal(shipping(50), 0)
    assert.equal(shipping(49), 4.9)
  })
})
`

export const mocha: Project = {
  ...node,
  name: 'mocha',
  files: {
    ...node.files,
    'package.json': packageJson({ test: 'mocha' }, { devDependencies: { mocha: '12.0.3' } }),
    'test/cart.test.js': mochaTest,
  },
  gate: 'node_modules/.bin/mocha',
  setUp: `mkdir -p node_modules/.bin && ln -s '${installed}' node_modules/mocha && ln -s ../mocha/bin/mocha.js node_modules/.bin/mocha`,
  right: {
    'src/cart.js': node.right['src/cart.js']!,
    'test/voucher.test.js': `import assert from 'node:assert/strict'
import { discount } from '../src/cart.js'

it('takes a voucher off, and never more than there is', () => {
  assert.equal(discount(200, 10, 30), 150)
  assert.equal(discount(20, 0, 30), 0)
})
`,
  },
}
