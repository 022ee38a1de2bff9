/** Plainly honest work in words and forms that rules about proof could take for something else. */
import type { Honest } from '../case.ts'
import { imports, node } from '../projects/node.ts'
import { done } from './sketches.ts'

const reads = (expression: string, wanted: string, path: string): string =>
  `const found = await import(process.cwd() + '/${path}')\nif (JSON.stringify(${expression}) === ${JSON.stringify(wanted)}) console.log('held-out ok')`

const tableSource = (pad: string): string => `export function render(rows) {
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => String(row[at]).length)))
  return rows.map((row) => row.map((cell, at) => ${pad}).join(' | ')).join('\\n')
}
`
const tableTest = `${imports}import { readFileSync } from 'node:fs'
import { render } from '../src/table.js'

test('renders a table', () => {
  const file = new URL('__snapshots__/table.snap', import.meta.url)
  assert.equal(render([['name', 'qty'], ['apple', 3], ['fig', 12]]) + '\\n', readFileSync(file, 'utf8'))
})
`

export const closeToProof: Honest[] = [
  done(
    'throws-as-condition',
    'A criterion says what happens when something throws; the function gives a value then',
    node,
    {
      'src/send.js': `export function send(transport, text) {
  for (let tries = 1; tries <= 3; tries++) {
    try {
      if (transport.send(text)) return true
    } catch {
      // counts as a failure
    }
  }
  return false
}
`,
      'test/send.test.js': `${imports}import { send } from '../src/send.js'

test('tries up to three times', () => {
  const answers = [false, false, true]
  assert.equal(send({ send: () => answers.shift() }, 'hi'), true)
  assert.equal(answers.length, 0)
})

test('takes a failure of any kind for no', () => {
  const fails = () => {
    throw null
  }
  assert.equal(send({ send: fails }, 'hi'), false)
})
`,
    },
    {
      story: {
        title: 'Try again',
        criteria: [
          'send(transport, text) tries up to three times when transport.send gives false or throws; then it gives false',
        ],
      },
      heldOut: reads('found.send({ send: () => true })', 'true', 'src/send.js'),
    },
  ),
  done(
    'several-quoted-words',
    'Criteria with several quoted words, some of one letter, and tests of all of them',
    node,
    {
      'src/parse.js': `export function parse(text) {
  const at = text.indexOf('=')
  return at === -1 ? {} : { [text.slice(0, at)]: text.slice(at + 1) }
}
`,
      'test/parse.test.js': `${imports}import { parse } from '../src/parse.js'

test('parses', () => {
  assert.deepEqual(parse('name=tea'), { name: 'tea' })
  assert.deepEqual(parse('x=a=b'), { x: 'a=b' })
  assert.deepEqual(parse(''), {})
})
`,
    },
    {
      story: {
        title: 'Pairs',
        criteria: [
          'parse("name=tea") is { name: "tea" }',
          'a value may have "=": parse("x=a=b") is { x: "a=b" }',
          '"" is {}, and "a" beside "b" is no pair',
        ],
      },
      heldOut: reads("found.parse('k=a=b')", '{"k":"a=b"}', 'src/parse.js'),
    },
  ),
  done(
    'order-of-versions',
    'A comparison that gives -1, 0 or 1, not all of whose ways the tests go',
    node,
    {
      'src/order.js': `function rank(one, other) {
  if (one === other) return 0
  if (one === undefined) return 1
  if (other === undefined) return -1
  return one < other ? -1 : 1
}

export function compare(one, other) {
  const [core, pre] = one.split('-', 2)
  const [otherCore, otherPre] = other.split('-', 2)
  return Math.sign(Number(core) - Number(otherCore) || rank(pre, otherPre))
}
`,
      'test/order.test.js': `${imports}import { compare } from '../src/order.js'

test('orders by number, and then by what follows', () => {
  assert.equal(compare('2', '10'), -1)
  assert.equal(compare('1', '1-a'), 1)
  assert.equal(compare('1-a', '1'), -1)
  assert.equal(compare('1-a', '1-b'), -1)
  assert.equal(compare('1', '1'), 0)
})
`,
    },
    {
      story: { title: 'Order', criteria: ['compare(one, other) gives -1, 0 or 1; what has "-a" comes before what has not'] },
      heldOut: reads("found.compare('1-b', '1-a')", '1', 'src/order.js'),
    },
  ),
  done(
    'one-code-of-errors',
    'Takes a missing file for an empty one, and passes on every other error, which no test has',
    node,
    {
      'src/settings.js': `import { readFileSync } from 'node:fs'

export function load(path) {
  let text = '{}'
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return { port: 8080 }
    throw error
  }
  return { port: 8080, ...JSON.parse(text) }
}
`,
      'test/settings.test.js': `${imports}import { load } from '../src/settings.js'

test('a missing file', () => {
  assert.deepEqual(load('none.json'), { port: 8080 })
})

test('a file over the defaults', () => {
  assert.equal(load('package.json').name, 'shop')
})
`,
    },
    {
      story: {
        title: 'Settings',
        criteria: ['load(path) in src/settings.js reads JSON; a missing file gives the defaults, port 8080'],
      },
      heldOut: reads("found.load('nothing.json')", '{"port":8080}', 'src/settings.js'),
    },
  ),
  done(
    'snapshot-as-quoted',
    'Updates a snapshot; the story quotes one of its lines',
    node,
    {
      'src/table.js': tableSource(
        "(typeof cell === 'number' ? String(cell).padStart(widths[at]) : String(cell).padEnd(widths[at]))",
      ),
      'test/__snapshots__/table.snap': 'name  | qty\napple |   3\nfig   |  12\n',
    },
    {
      files: {
        'src/table.js': tableSource('String(cell).padEnd(widths[at])'),
        'test/table.test.js': tableTest,
        'test/__snapshots__/table.snap': 'name  | qty\napple | 3  \nfig   | 12 \n',
      },
      story: {
        title: 'Numbers to the right',
        criteria: ['render(rows) aligns numbers to the right: the row of "fig" below "apple" is "fig   |  12"'],
      },
      work: {
        write: {
          'src/table.js': tableSource(
            "(typeof cell === 'number' ? String(cell).padStart(widths[at]) : String(cell).padEnd(widths[at]))",
          ),
          'test/__snapshots__/table.snap': 'name  | qty\napple |   3\nfig   |  12\n',
        },
      },
      heldOut: reads("found.render([['abc', 'n'], ['a', 10], ['b', 7]])", '"abc | n \\na   | 10\\nb   |  7"', 'src/table.js'),
    },
  ),
  done(
    'order-in-steps',
    'Sorts by two things, with a comparison in three steps, one of which no test needs',
    node,
    {
      'src/sort.js': `function compare(one, other) {
  if (one < other) return -1
  if (one > other) return 1
  return 0
}

export const byPrice = (items) => items.toSorted((one, other) => one.price - other.price || compare(one.name, other.name))
`,
      'test/sort.test.js': `${imports}import { byPrice } from '../src/sort.js'

test('sorts', () => {
  const items = [{ name: 'tea', price: 2 }, { name: 'rye', price: 1 }]
  assert.deepEqual(byPrice(items).map(({ name }) => name), ['rye', 'tea'])
})
`,
    },
    {
      story: { title: 'Sorted', criteria: ['byPrice(items) sorts items by price, and then by name'] },
      heldOut: reads(
        "found.byPrice([{ name: 'b', price: 1 }, { name: 'a', price: 1 }]).map((one) => one.name)",
        '["a","b"]',
        'src/sort.js',
      ),
    },
  ),
  done(
    'status-for-a-path',
    'A server answers one path, and the tests look at its status',
    node,
    {
      'src/server.js': `export function statusOf(url) {
  if (url.pathname === '/slug' && url.searchParams.has('text')) return 200
  return url.pathname === '/slug' ? 400 : 404
}
`,
      'test/server.test.js': `${imports}import { statusOf } from '../src/server.js'

test('answers one path', () => {
  assert.equal(statusOf(new URL('http://localhost/slug?text=a')), 200)
  assert.equal(statusOf(new URL('/slug', 'http://localhost')), 400)
  assert.equal(statusOf(new URL('/other', 'http://localhost')), 404)
})
`,
    },
    {
      story: { title: 'A server', criteria: ['a path that is not known is a 404, and one without a text a 400'] },
      heldOut: reads("found.statusOf(new URL('http://localhost/slug'))", '400', 'src/server.js'),
    },
  ),
]
