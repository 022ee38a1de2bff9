/** A cache in JavaScript: entries, keys and memoised functions, tested by node:test with helpers of its own. */
import { edited, type Project } from '../case.ts'
import { packageJson } from './node.ts'

export const lru = `/** Keeps the entries that were used last. */
export class Lru {
  #entries = new Map()
  #max

  constructor({ max }) {
    if (!(max > 0)) throw new RangeError('max must be above 0')
    this.#max = max
  }

  get size() {
    return this.#entries.size
  }

  get(key) {
    if (!this.#entries.has(key)) return undefined
    const value = this.#entries.get(key)
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key, value) {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#max) this.#entries.delete(this.#entries.keys().next().value)
  }

  keys() {
    return [...this.#entries.keys()]
  }
}
`

export const rightLru = `/** Keeps the entries that were used last, each for \`ttl\` milliseconds. */
export class Lru {
  #entries = new Map()
  #max
  #ttl
  #now

  constructor({ max, ttl = Infinity, now = Date.now }) {
    if (!(max > 0)) throw new RangeError('max must be above 0')
    this.#max = max
    this.#ttl = ttl
    this.#now = now
  }

  get size() {
    return this.keys().length
  }

  get(key) {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    if (this.#isOver(entry)) return undefined
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key, value) {
    this.#entries.delete(key)
    this.#entries.set(key, { value, since: this.#now() })
    if (this.#entries.size > this.#max) this.#entries.delete(this.#entries.keys().next().value)
  }

  keys() {
    return [...this.#entries].filter(([, entry]) => !this.#isOver(entry)).map(([key]) => key)
  }

  #isOver({ since }) {
    return this.#now() - since >= this.#ttl
  }
}
`

/** A read no longer counts as a use, and \`size\` and \`keys\` know nothing of time. */
export const wrongLru = edited(
  rightLru,
  [
    '    this.#entries.delete(key)\n    if (this.#isOver(entry)) return undefined\n    this.#entries.set(key, entry)\n',
    '    if (this.#isOver(entry)) return undefined\n',
  ],
  ['    return this.keys().length\n', '    return this.#entries.size\n'],
  ['[...this.#entries].filter(([, entry]) => !this.#isOver(entry)).map(([key]) => key)', '[...this.#entries.keys()]'],
)

/** Reads count as uses, but only \`get\` knows of time. */
export const halfLru = edited(
  rightLru,
  ['    return this.keys().length\n', '    return this.#entries.size\n'],
  ['[...this.#entries].filter(([, entry]) => !this.#isOver(entry)).map(([key]) => key)', '[...this.#entries.keys()]'],
)

export const lruTest = `import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { filled } from './support/build.js'
import { sameKeys } from './support/keys.js'
import { Lru } from '../src/lru.js'

describe('Lru', () => {
  test('gives back what was set', () => {
    const cache = filled(3, 'a', 'b')
    assert.equal(cache.get('a'), 'A')
    assert.equal(cache.get('x'), undefined)
    assert.equal(cache.size, 2)
  })

  test('drops what was not used for longest', () => {
    const cache = filled(2, 'a', 'b')
    cache.set('c', 'C')
    assert.equal(cache.get('a'), undefined)
    assert.equal(cache.get('b'), 'B')
  })

  test('a read is a use', () => {
    const cache = filled(3, 'a', 'b', 'c')
    cache.get('a')
    sameKeys(cache, ['b', 'c', 'a'])
    cache.set('d', 'D')
    sameKeys(cache, ['c', 'a', 'd'])
  })

  test('needs room for one entry', () => {
    assert.throws(() => new Lru({ max: 0 }), RangeError)
  })
})
`

export const buildHelper = `import { Lru } from '../../src/lru.js'

/** A cache with each name and the same in capitals. */
export function filled(max, ...names) {
  const cache = new Lru({ max })
  for (const name of names) cache.set(name, name.toUpperCase())
  return cache
}
`

export const keysHelper = `import assert from 'node:assert/strict'

/** From the one that was not used for longest to the last. */
export const sameKeys = (cache, expected) => assert.deepEqual(cache.keys(), expected)
`

export const ttlTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Lru } from '../src/lru.js'

function timed(ttl) {
  const clock = { now: 1000 }
  const cache = new Lru({ max: 3, ttl, now: () => clock.now })
  return { cache, clock }
}

test('an entry is gone after its time', () => {
  const { cache, clock } = timed(500)
  cache.set('a', 1)
  clock.now = 1499
  assert.equal(cache.get('a'), 1)
  clock.now = 1500
  assert.equal(cache.get('a'), undefined)
})

test('what is gone is not counted', () => {
  const { cache, clock } = timed(100)
  cache.set('a', 1)
  clock.now = 1050
  cache.set('b', 2)
  clock.now = 1120
  assert.deepEqual([cache.size, cache.keys()], [1, ['b']])
})
`

const memo = `import { stableKey } from './keys.js'
import { Lru } from './lru.js'

/** The same function, which remembers its last results. */
export function memo(run, { max = 100 } = {}) {
  const known = new Lru({ max })
  return (...values) => {
    const key = stableKey(values)
    const found = known.get(key)
    if (found !== undefined) return found.value
    const value = run(...values)
    known.set(key, { value })
    return value
  }
}
`

const keys = `/** The same text for the same value, whatever the order of its names. */
export function stableKey(value) {
  if (Array.isArray(value)) return '[' + value.map(stableKey).join(',') + ']'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const names = Object.keys(value).sort()
  return '{' + names.map((name) => JSON.stringify(name) + ':' + stableKey(value[name])).join(',') + '}'
}
`

export const memoTest = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stableKey } from '../src/keys.js'
import { memo } from '../src/memo.js'

test('computes once', () => {
  let calls = 0
  const double = memo((value) => (calls++, value * 2))
  assert.deepEqual([double(2), double(2), double(3)], [4, 4, 6])
  assert.equal(calls, 2)
})

test('keys do not depend on the order of names', () => {
  assert.equal(stableKey({ b: [1, null], a: 'x' }), '{"a":"x","b":[1,null]}')
})
`

export const cache: Project = {
  name: 'a cache, node:test',
  files: {
    'package.json': packageJson({ test: 'node --test' }, { name: 'keep' }),
    'README.md': '# Keep\n\nA cache.\n',
    '.gitignore': 'node_modules/\n',
    'src/lru.js': lru,
    'src/memo.js': memo,
    'src/keys.js': keys,
    'test/lru.test.js': lruTest,
    'test/memo.test.js': memoTest,
    'test/support/build.js': buildHelper,
    'test/support/keys.js': keysHelper,
  },
  gate: 'node --test --test-isolation=none "test/*.test.js"',
  story: {
    title: 'Entries expire',
    criteria: [
      'new Lru({ max, ttl, now }): an entry is gone ttl milliseconds after it was set; now gives the time and is Date.now by default',
      'size and keys() leave out what is gone',
      'Without ttl entries stay as they do today',
    ],
  },
  wrong: { 'src/lru.js': wrongLru },
  right: { 'src/lru.js': rightLru, 'test/ttl.test.js': ttlTest },
  heldOut: {
    program: 'node',
    text: `
const { Lru } = await import(process.cwd() + '/src/lru.js')
let now = 5
const cache = new Lru({ max: 3, ttl: 40, now: () => now })
cache.set('a', 1); now = 20; cache.set('b', 2); cache.get('a'); cache.set('c', 3)
const before = [cache.size, cache.keys().join()]
now = 45
const found = [...before, cache.size, cache.keys().join(), cache.get('a'), cache.get('b')]
const plain = new Lru({ max: 2 })
plain.set('x', 1); plain.set('y', 2); plain.get('x'); plain.set('z', 3)
found.push(plain.keys().join())
const text = JSON.stringify(found)
console.log(text === '[3,"b,a,c",2,"b,c",null,2,"x,z"]' ? 'held-out ok' : text)
`,
  },
}
