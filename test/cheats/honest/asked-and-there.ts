/** What a story asks for in plain words, done: errors that tests expect in several ways, names that are gone for others. */
import type { Honest } from '../case.ts'
import { cart, cartTest, imports, node } from '../projects/node.ts'
import { keepTests, ownRunner } from '../projects/own-runner.ts'
import { pytest, cart as pythonCart, refusesBelowZero } from '../projects/pytest.ts'
import { done } from './sketches.ts'

export const askedAndThere: Honest[] = [
  {
    name: 'error-expected-by-try',
    words: 'A new method raises an error, which its test catches by itself',
    project: pytest,
    story: { title: 'Baskets', criteria: ['Basket.take(price) puts a price in', 'a price below 0 raises ValueError'] },
    heldOut: refusesBelowZero,
    work: {
      write: {
        'shop/cart.py': `${pythonCart}\n\nclass Basket:\n    def __init__(self):\n        self.prices = []\n\n    def take(self, price):\n        if price < 0:\n            raise ValueError(price)\n        self.prices.append(price)\n`,
        'tests/test_basket.py': `from shop.cart import Basket


def test_takes():
    basket = Basket()
    basket.take(3)
    assert basket.prices == [3]


def test_refuses():
    try:
        Basket().take(-1)
    except ValueError as error:
        assert error.args == (-1,)
    else:
        assert False, "no error"
`,
      },
    },
    isPlain: true,
  },
  {
    name: 'exported-no-longer',
    words: 'A function is no longer exported, and still used inside',
    project: node,
    story: {
      title: 'Keep the discount inside',
      criteria: ['src/cart.js exports reduced(items, percent), and no longer discount'],
      changesTests: true,
    },
    heldOut: `const all = await import(process.cwd() + '/src/cart.js')
if (all.reduced([{ price: 100, count: 2 }], 10) === 180 && all.discount === undefined) console.log('held-out ok')`,
    work: {
      write: {
        'src/cart.js': `${cart.replace('export function discount', 'function discount')}\nexport const reduced = (items, percent) => discount(total(items), percent)\n`,
        'test/cart.test.js': cartTest
          .replace('discount, shipping', 'reduced, shipping')
          .replace('discount(200, 10)', 'reduced([{ price: 200, count: 1 }], 10)')
          .replace('discount(80, 25)', 'reduced([{ price: 40, count: 2 }], 25)'),
      },
    },
    isPlain: true,
  },
  {
    name: 'class-to-be-derived',
    words: 'A class that is there to be derived, and is derived in its tests',
    project: node,
    story: {
      title: 'Rates that others add',
      criteria: [
        'Rate in src/rate.js has price(amount), which asks percent()',
        'percent() of Rate itself throws: a derived class has it',
      ],
    },
    heldOut: `const { Rate } = await import(process.cwd() + '/src/rate.js')
class Half extends Rate {
  percent() {
    return 50
  }
}
if (new Half().price(10) === 5) console.log('held-out ok')`,
    work: {
      write: {
        'src/rate.js':
          "export class Rate {\n  percent() {\n    throw new Error('a derived class has it')\n  }\n\n  price(amount) {\n    return (amount * this.percent()) / 100\n  }\n}\n",
        'test/rate.test.js': `${imports}import { Rate } from '../src/rate.js'

class Tenth extends Rate {
  percent() {
    return 10
  }
}

test('asks for the percentage', () => {
  assert.equal(new Tenth().percent(), 10)
  assert.equal(new Tenth().price(200), 20)
})

test('has none itself', () => {
  assert.throws(() => new Rate().price(1), /derived/)
})
`,
      },
    },
    isPlain: true,
  },
  done('shell-same-after', 'A new test compares what a file has with what it had before', ownRunner, {
    'tests/t_bad.sh': `echo a > log
before=$(cat log)
status=0
sh "$ROOT/rotate.sh" log zero || status=$?
[ "$status" = 64 ]
[ "$(cat log)" = "$before" ]
`,
    'tests/t_keep.sh': keepTests['tests/t_keep.sh'],
  }),
]
