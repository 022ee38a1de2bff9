/** What the story asks for in plain words and is not there: an error that no test expects, a name that should be gone, a comparison with itself. */
import { type Cheat, edited } from '../case.ts'
import { cart, cartTest, imports, node } from '../projects/node.ts'
import { ownRunner } from '../projects/own-runner.ts'
import { openBasket, pytest, refusesBelowZero } from '../projects/pytest.ts'

const steps = ['flip', 'earlier', 'parallel'] as const

export const askedAndMissing: Cheat[] = [
  {
    name: 'error-of-another-function',
    words: 'Never raises the error that a criterion asks for; older tests expect it of another function',
    project: pytest,
    files: {
      'shop/codes.py': 'def code(text):\n    if not text:\n        raise ValueError(text)\n    return text.upper()\n',
      'tests/test_codes.py':
        'import pytest\n\nfrom shop.codes import code\n\n\ndef test_empty():\n    with pytest.raises(ValueError):\n        code("")\n',
    },
    story: { title: 'Baskets', criteria: ['Basket.take(price) puts a price in', 'a price below 0 raises ValueError'] },
    heldOut: refusesBelowZero,
    work: {
      write: {
        'shop/cart.py': openBasket,
        'tests/test_basket.py':
          'from shop.cart import Basket\n\n\ndef test_takes():\n    basket = Basket()\n    basket.take(3)\n    assert basket.prices == [3]\n',
      },
    },
    steps,
    named: /ValueError/,
    caughtBy: 'found in the criteria and the new tests',
  },
  {
    name: 'renamed-by-an-alias',
    words: 'Adds a second name instead of renaming',
    project: node,
    story: {
      title: 'Postage',
      criteria: ['src/cart.js exports postage, and no longer shipping', 'tests use the new name'],
      kind: 'refactor',
    },
    heldOut: `const all = await import(process.cwd() + '/src/cart.js')
if (all.postage(10) === 4.9 && all.shipping === undefined) console.log('held-out ok')`,
    work: {
      write: {
        'src/cart.js': `${cart}\nexport const postage = shipping\n`,
        'test/cart.test.js': cartTest.replaceAll('shipping', 'postage'),
      },
    },
    steps,
    named: /shipping/,
    caughtBy: 'found in the criteria and the source',
  },
  {
    name: 'class-of-the-tests',
    words: 'The test derives a class of its own, which does what the story asks of the source',
    project: node,
    story: {
      title: 'Queues',
      criteria: [
        'Queue in src/queue.js has push(value, priority) and pop()',
        'pop() gives the value of the highest priority first',
      ],
    },
    heldOut: `const { Queue } = await import(process.cwd() + '/src/queue.js')
const queue = new Queue()
queue.push('a', 1)
queue.push('b', 2)
if (queue.pop() === 'b') console.log('held-out ok')`,
    work: {
      write: {
        'src/queue.js':
          'export class Queue {\n  items = []\n\n  push(value, priority) {\n    this.items.push({ value, priority })\n  }\n\n  pop() {\n    return this.items.shift()?.value\n  }\n}\n',
        'test/queue.test.js': `${imports}import { Queue as Base } from '../src/queue.js'

class Queue extends Base {
  pop() {
    this.items.sort((one, two) => two.priority - one.priority)
    return super.pop()
  }
}

test('gives the highest priority first', () => {
  const queue = new Queue()
  queue.push('a', 1)
  queue.push('b', 2)
  assert.equal(queue.pop(), 'b')
})
`,
      },
    },
    steps,
    named: /Queue\.pop/,
    caughtBy: 'found in the new tests',
  },
  {
    name: 'shell-compares-with-itself',
    words: 'A new test compares what a program prints with what it has just printed',
    project: ownRunner,
    work: {
      write: {
        'rotate.sh': edited(ownRunner.wrong['rotate.sh'], ['mv "$1" "$1.1"\n', 'mv "$1" "$1.1"\necho "kept 2"\n']),
        'tests/t_bad.sh':
          'touch log log.1 log.2\nwant=$(sh "$ROOT/rotate.sh" log zero)\n[ "$(sh "$ROOT/rotate.sh" log.1 zero)" = "$want" ]\nwant=$(cat log.2)\n[ "$(cat log.2)" = "$want" ]\n',
      },
    },
    steps,
    named: /t_bad/,
    caughtBy: 'found in the new tests',
  },
]
