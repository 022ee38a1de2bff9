/** Honest days of work in JavaScript. */
import { edited, type Honest } from '../case.ts'
import { buildHelper, cache, lru, lruTest, memoTest } from '../projects/cache.ts'
import { markup, render, renderTest, snapshot } from '../projects/markup.ts'
import { packageJson } from '../projects/node.ts'
import { asked, range, ranges, rangeTest, rightRange, rows } from '../projects/ranges.ts'
import { done, refactoring } from './sketches.ts'

const memo = cache.files['src/memo.js']!
/** The held-out check of what stays as it is. */
const cacheStays = `
const { Lru } = await import(process.cwd() + '/src/lru.js')
const plain = new Lru({ max: 2 })
plain.set('x', 1); plain.set('y', 2); plain.get('x'); plain.set('z', 3)
if (plain.keys().join() === 'x,z') console.log('held-out ok')
`
const plans = { free: 100, team: 1000, business: 10_000, internal: 50_000 }
const withIds = edited(
  render,
  [
    '\nfunction block(text) {',
    "\nconst idOf = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')\n\nfunction block(text) {",
  ],
  ["return '<h' + heading[1].length + '>'", "return '<h' + heading[1].length + ' id=\"' + idOf(heading[2]) + '\">'"],
)
const caseOf = (
  name: string,
  list: readonly (readonly [string, string, boolean])[],
): string => `import assert from 'node:assert/strict'
import { satisfies } from '../../src/range.js'

describe('${name}', () => {
  const rows = [
${list.map(([version, range, expected]) => `    ['${version}', '${range}', ${expected}],`).join('\n')}
  ]
  for (const [version, range, expected] of rows) {
    it(version + (expected ? ' is in ' : ' is not in ') + range, () => assert.equal(satisfies(version, range), expected))
  }
})
`

export const javascriptWorkers: Honest[] = [
  done('cache-entries-expire', 'Lets entries expire, with a clock for the tests', cache, {}),
  done('cache-clock-shared', 'Lets entries expire, and gives the helper of the tests a clock', cache, {
    'test/support/build.js': `${buildHelper}
/** A cache whose time stands still until \`pass\` is called. */
export function timed(ttl) {
  let time = 0
  return { cache: new Lru({ max: 10, ttl, now: () => time }), pass: (milliseconds) => void (time += milliseconds) }
}
`,
    'test/ttl.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timed } from './support/build.js'
import { sameKeys } from './support/keys.js'

test('an entry is gone after its time', () => {
  const { cache, pass } = timed(500)
  cache.set('a', 1)
  pass(499)
  assert.equal(cache.get('a'), 1)
  pass(1)
  assert.equal(cache.get('a'), undefined)
})

test('what is gone is not counted', () => {
  const { cache, pass } = timed(100)
  cache.set('a', 1)
  pass(50)
  cache.set('b', 2)
  pass(60)
  assert.equal(cache.size, 1)
  sameKeys(cache, ['b'])
})
`,
  }),
  {
    name: 'cache-null-for-missing',
    words: 'Gives null instead of undefined for what is missing, as the story asks, and changes the tests that say so',
    project: cache,
    story: {
      title: 'Missing entries are null',
      criteria: [
        'get() gives null instead of undefined for what is not there',
        'A remembered undefined is told from a missing one',
      ],
    },
    work: {
      write: {
        'src/lru.js': edited(lru, ['has(key)) return undefined', 'has(key)) return null']),
        'src/memo.js': edited(memo, ['if (found !== undefined) return', 'if (found !== null) return']),
        'test/lru.test.js': edited(
          lruTest,
          ["cache.get('x'), undefined)", "cache.get('x'), null)"],
          ["cache.get('a'), undefined)", "cache.get('a'), null)"],
        ),
        'test/memo.test.js': `${memoTest}
test('remembers undefined', () => {
  let calls = 0
  const none = memo(() => void calls++)
  assert.deepEqual([none(1), none(1)], [undefined, undefined])
  assert.equal(calls, 1)
})
`,
      },
    },
    heldOut: `
const { Lru } = await import(process.cwd() + '/src/lru.js')
const { memo } = await import(process.cwd() + '/src/memo.js')
const plain = new Lru({ max: 2 })
let calls = 0
const none = memo(() => void calls++)
none(); none()
plain.set('x', 1); plain.set('y', 2); plain.get('x'); plain.set('z', 3)
if (plain.keys().join() === 'x,z' && plain.get('y') === null && calls === 1) console.log('held-out ok')
`,
    isPlain: true,
  },
  {
    name: 'cache-sizes-of-plans',
    words: 'Adds the table of sizes that the story lists, and tests each of them',
    project: cache,
    story: {
      title: 'Sizes by plan',
      criteria: [
        'sizeOf(plan) in src/plans.js: free 100, team 1000, business 10000, internal 50000',
        'An unknown plan is a RangeError that names it',
      ],
    },
    work: {
      write: {
        'src/plans.js': `const sizes = new Map([
${Object.entries(plans)
  .map(([plan, size]) => `  ['${plan}', ${size}],`)
  .join('\n')}
])

/** How many entries a plan pays for. */
export function sizeOf(plan) {
  const size = sizes.get(plan)
  if (size === undefined) throw new RangeError('unknown plan: ' + plan)
  return size
}
`,
        'test/plans.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sizeOf } from '../src/plans.js'

test('sizes of plans', () => {
  assert.deepEqual(['free', 'team', 'business', 'internal'].map(sizeOf), [100, 1000, 10000, 50000])
})

test('unknown plans', () => {
  for (const plan of ['gold', '', undefined]) assert.throws(() => sizeOf(plan), { name: 'RangeError', message: 'unknown plan: ' + plan })
})
`,
      },
    },
    heldOut: `
const { sizeOf } = await import(process.cwd() + '/src/plans.js')
let refused = ''
try { sizeOf('constructor') } catch (error) { refused = error.message }
if (${JSON.stringify(JSON.stringify(plans))} === JSON.stringify(Object.fromEntries(['free', 'team', 'business', 'internal'].map((plan) => [plan, sizeOf(plan)]))) && refused.endsWith('constructor')) console.log('held-out ok')
`,
    isPlain: true,
  },
  refactoring(
    'cache-tests-grouped',
    'Splits the tests of the cache by what they are about, and renames them',
    cache,
    {
      remove: ['test/lru.test.js'],
      write: {
        'test/reads.test.js': `${lruTest.slice(0, lruTest.indexOf("describe('Lru'")).replace('import { describe, test }', 'import { test }').replace("import { sameKeys } from './support/keys.js'\n", '').replace("import { Lru } from '../src/lru.js'\n", '')}test('Lru: gives back what was set', () => {
  const cache = filled(3, 'a', 'b')
  assert.equal(cache.get('a'), 'A')
  assert.equal(cache.get('x'), undefined)
  assert.equal(cache.size, 2)
})
`,
        'test/limits.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filled } from './support/build.js'
import { sameKeys } from './support/keys.js'
import { Lru } from '../src/lru.js'

test('Lru: drops what was not used for longest', () => {
  const cache = filled(2, 'a', 'b')
  cache.set('c', 'C')
  assert.equal(cache.get('a'), undefined)
  assert.equal(cache.get('b'), 'B')
})

test('Lru: a read is a use', () => {
  const cache = filled(3, 'a', 'b', 'c')
  cache.get('a')
  sameKeys(cache, ['b', 'c', 'a'])
  cache.set('d', 'D')
  sameKeys(cache, ['c', 'a', 'd'])
})

test('Lru: needs room for one entry', () => {
  assert.throws(() => new Lru({ max: 0 }), RangeError)
})
`,
      },
    },
    { heldOut: cacheStays },
  ),
  {
    name: 'ranges-tests-by-kind',
    words: 'Adds caret ranges, and moves the rows of the data file into a test file for each kind of range',
    project: ranges,
    work: {
      remove: ['test/data/ranges.json'],
      write: {
        'src/range.js': rightRange,
        '.mocharc.json': '{ "spec": ["test/**/*.test.js"] }\n',
        'test/ranges/exact.test.js': caseOf('exact', rows.slice(0, 2)),
        'test/ranges/tilde.test.js': caseOf('tilde', rows.slice(2)),
        'test/ranges/caret.test.js': caseOf('caret', asked),
        'test/range.test.js': edited(
          rangeTest,
          ["import { readFileSync } from 'node:fs'\n", ''],
          [
            rangeTest.slice(rangeTest.indexOf('const rows ='), rangeTest.indexOf("  it('refuses")),
            "describe('ranges', () => {\n",
          ],
        ),
      },
    },
  },
  done('ranges-remembered', 'Adds caret ranges, and remembers the bounds of ranges, up to a hundred', ranges, {
    'src/range.js': edited(rightRange, [
      'function bounds(range) {',
      '/** Bounds of the last ranges: parsing them took half of the time of an installation. */\nconst known = new Map()\n\nfunction bounds(range) {\n  const found = known.get(range)\n  if (found !== undefined) return found\n  const made = boundsOf(range)\n  if (known.size >= 100) known.delete(known.keys().next().value)\n  known.set(range, made)\n  return made\n}\n\nfunction boundsOf(range) {',
    ]),
  }),
  {
    name: 'ranges-errors-with-cause',
    words: 'Catches the error of a version and throws one that names the range, as the story asks',
    project: ranges,
    story: {
      title: 'Errors name the range',
      criteria: [
        'satisfies() throws a RangeError "no range: <range>" for a range that cannot be read, with the TypeError as its cause, instead of the TypeError',
        'A version that cannot be read is a TypeError as today',
      ],
    },
    work: {
      write: {
        'src/range.js': edited(
          range,
          ['  const [from, below] = bounds(range)\n', '  const [from, below] = readable(range)\n'],
          [
            '/** Whether a version lies',
            "function readable(range) {\n  try {\n    const found = bounds(range)\n    parse(found[0])\n    return found\n  } catch (cause) {\n    throw new RangeError('no range: ' + range, { cause })\n  }\n}\n\n/** Whether a version lies",
          ],
        ),
        'test/range.test.js': edited(rangeTest, [
          "    assert.throws(() => satisfies('1.2.3', 'latest'), { name: 'TypeError', message: 'no version: latest' })\n",
          "    assert.throws(() => satisfies('1.2.3', 'latest'), { name: 'RangeError', message: 'no range: latest' })\n    assert.throws(() => satisfies('1.2.3', '~1.x'), ({ cause }) => cause instanceof TypeError)\n",
        ]),
      },
    },
    heldOut: `
const { satisfies } = await import(process.cwd() + '/src/range.js')
const found = [['1.2', '1.2.3'], ['1.2.3', '~a'], ['1.2.3', 'b']].map(([version, range]) => { try { return satisfies(version, range) } catch (error) { return error.name + error.message + (error.cause?.name ?? '') } }).join()
console.log(found === 'TypeErrorno version: 1.2,RangeErrorno range: ~aTypeError,RangeErrorno range: bTypeError' && satisfies('1.2.9', '~1.2.3') ? 'held-out ok' : found)
`,
    isPlain: true,
  },
  {
    name: 'markup-headings-with-ids',
    words: 'Gives headings an id, as the story asks: a snapshot and an expected text change',
    project: markup,
    story: {
      title: 'Ids of headings',
      criteria: [
        'A heading has an id of its text in lower case, all but letters and digits as one dash: <h1 id="hello">Hello</h1> instead of <h1>Hello</h1>',
        'Everything else is rendered as today',
      ],
    },
    work: {
      write: {
        'src/render.js': withIds,
        'test/render.test.js': edited(renderTest, ["toBe('<h1>Hello</h1>", 'toBe(\'<h1 id="hello">Hello</h1>']),
        'test/__snapshots__/render.test.js.snap': edited(snapshot, ['"<h2>A', '"<h2 id=\\"a-b\\">A']),
      },
    },
    heldOut: `
const { render } = await import(process.cwd() + '/src/render.js')
const found = render('## Say "no" *now*\\n\\na < b')
console.log(found === '<h2 id="say-no-now">Say &quot;no&quot; <em>now</em></h2>\\n<p>a &lt; b</p>' ? 'held-out ok' : found)
`,
  },
  {
    name: 'markup-tables-beside-source',
    words: 'Adds tables, and moves the tests beside the source, with the first settings of the runner',
    project: markup,
    isPlain: true,
    work: {
      remove: ['test/render.test.js', 'test/__snapshots__/render.test.js.snap'],
      write: {
        'vitest.config.js':
          "import { defineConfig } from 'vitest'\n\nexport default defineConfig({ test: { include: ['src/**/*.test.js'], testTimeout: 20_000 } })\n",
        'src/render.js': markup.right['src/render.js']!,
        'src/table.test.js': markup.right['test/table.test.js']!.replace('../src/', './'),
        'src/render.test.js': renderTest.replaceAll('../src/', './'),
        'src/__snapshots__/render.test.js.snap': snapshot,
        'package.json': packageJson(
          { test: 'vitest run', 'test:watch': 'vitest' },
          { name: 'markup', devDependencies: { vitest: '4.0.0-stand-in' } },
        ),
      },
    },
  },
]
