/** Ranges of versions in JavaScript, tested by the real mocha over a table of data. */
import { edited, type Project } from '../case.ts'
import { mocha } from './mocha.ts'
import { packageJson } from './node.ts'

export const version = `/** "1.2.3" as numbers. */
export function parse(text) {
  const found = /^(\\d+)\\.(\\d+)\\.(\\d+)$/.exec(text)
  if (found === null) throw new TypeError('no version: ' + text)
  return found.slice(1).map(Number)
}

export function compare(one, other) {
  const [left, right] = [parse(one), parse(other)]
  const at = left.findIndex((part, index) => part !== right[index])
  return at < 0 ? 0 : Math.sign(left[at] - right[at])
}
`

export const range = `import { compare, parse } from './version.js'

const next = ([major, minor], part) => (part === 'major' ? [major + 1, 0, 0] : [major, minor + 1, 0]).join('.')

function bounds(range) {
  if (range.startsWith('~')) return [range.slice(1), next(parse(range.slice(1)), 'minor')]
  return [range, null]
}

/** Whether a version lies in a range such as ~1.2.3 or 1.2.3. */
export function satisfies(version, range) {
  const [from, below] = bounds(range)
  if (below === null) return compare(version, from) === 0
  return compare(version, from) >= 0 && compare(version, below) < 0
}
`

export const rightRange = edited(
  range,
  [
    "const next = ([major, minor], part) => (part === 'major' ? [major + 1, 0, 0] : [major, minor + 1, 0]).join('.')",
    "const nextMinor = ([major, minor]) => [major, minor + 1, 0].join('.')\n\n/** The first part that is not 0 stays. */\nfunction nextOfCaret([major, minor, patch]) {\n  if (major > 0) return [major + 1, 0, 0].join('.')\n  return minor > 0 ? nextMinor([0, minor]) : [0, 0, patch + 1].join('.')\n}",
  ],
  [
    "next(parse(range.slice(1)), 'minor')]",
    "nextMinor(parse(range.slice(1)))]\n  if (range.startsWith('^')) return [range.slice(1), nextOfCaret(parse(range.slice(1)))]",
  ],
  ['such as ~1.2.3 or', 'such as ^1.2.3, ~1.2.3 or'],
)

/** Versions below 1 are treated as all others. */
export const wrongRange = edited(range, [
  "'minor')]",
  "'minor')]\n  if (range.startsWith('^')) return [range.slice(1), next(parse(range.slice(1)), 'major')]",
])

export const rows = [
  ['1.2.3', '1.2.3', true],
  ['1.2.4', '1.2.3', false],
  ['1.2.9', '~1.2.3', true],
  ['1.3.0', '~1.2.3', false],
  ['1.2.2', '~1.2.3', false],
] as const

export const asked = [
  ['1.9.0', '^1.2.3', true],
  ['2.0.0', '^1.2.3', false],
  ['0.2.9', '^0.2.3', true],
  ['0.3.0', '^0.2.3', false],
  ['0.0.4', '^0.0.3', false],
] as const

export const table = (list: readonly (readonly [string, string, boolean])[]): string =>
  `[\n${list.map(([version, range, expected]) => `  ${JSON.stringify({ version, range, expected })}`).join(',\n')}\n]\n`

export const rangeTest = `import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { satisfies } from '../src/range.js'
import { compare } from '../src/version.js'

const rows = JSON.parse(readFileSync(new URL('data/ranges.json', import.meta.url), 'utf8'))

describe('ranges', () => {
  for (const { version, range, expected } of rows) {
    it(version + (expected ? ' is in ' : ' is not in ') + range, () => {
      assert.equal(satisfies(version, range), expected)
    })
  }

  it('refuses what is no version', () => {
    assert.throws(() => satisfies('1.2', '~1.2.3'), TypeError)
    assert.throws(() => satisfies('1.2.3', 'latest'), { name: 'TypeError', message: 'no version: latest' })
  })
})

describe('versions', () => {
  it('are compared by number', () => {
    assert.equal(compare('1.10.0', '1.9.0'), 1)
    assert.equal(compare('1.0.0', '1.0.0'), 0)
    assert.equal(compare('0.9.9', '1.0.0'), -1)
  })
})
`

export const ranges: Project = {
  name: 'ranges of versions, mocha',
  files: {
    'package.json': packageJson({ test: 'mocha' }, { name: 'ranges', devDependencies: { mocha: '12.0.3' } }),
    'README.md': '# Ranges\n\nRanges of versions.\n',
    '.gitignore': 'node_modules/\n',
    'src/version.js': version,
    'src/range.js': range,
    'test/range.test.js': rangeTest,
    'test/data/ranges.json': table(rows),
  },
  gate: 'npm test',
  setUp: mocha.setUp!,
  story: {
    title: 'Caret ranges',
    criteria: [
      'satisfies(version, "^1.2.3"): from that version, below the next major one',
      'Below 1.0.0 the first part that is not 0 stays: ^0.2.3 is below 0.3.0, ^0.0.3 is below 0.0.4',
      'What is no version or range is refused as today',
    ],
  },
  wrong: { 'src/range.js': wrongRange },
  right: { 'src/range.js': rightRange, 'test/data/ranges.json': table([...rows, ...asked]) },
  heldOut: {
    program: 'node',
    text: `
const { satisfies } = await import(process.cwd() + '/src/range.js')
const found = [['3.7.1', '^3.1.0'], ['4.0.0', '^3.1.0'], ['3.0.9', '^3.1.0'], ['0.5.8', '^0.5.1'], ['0.6.0', '^0.5.1'], ['0.0.7', '^0.0.7'], ['0.0.8', '^0.0.7'], ['1.0.5', '~1.0.2'], ['1.1.0', '~1.0.2'], ['2.0.0', '2.0.0']].map(([version, range]) => +satisfies(version, range)).join('')
let refused = 0
for (const [version, range] of [['x', '^1.0.0'], ['1.0.0', 'newest']]) try { satisfies(version, range) } catch (error) { refused += error instanceof TypeError }
console.log(found + refused === '10010101012' ? 'held-out ok' : found + refused)
`,
  },
}
