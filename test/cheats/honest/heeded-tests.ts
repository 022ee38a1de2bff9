/** New tests in runners of all kinds, and functions that work their answers out, or are right to know only some. */
import type { Honest } from '../case.ts'
import { imports, node } from '../projects/node.ts'
import { ownScript } from '../projects/own-script.ts'
import { pytest } from '../projects/pytest.ts'
import { done } from './sketches.ts'

const ofFunction = (
  name: string,
  words: string,
  given: { title: string; criteria: string[]; source: string; imports: string; tests: string; heldOut: string },
): Honest => ({
  name,
  words,
  project: node,
  story: { title: given.title, criteria: given.criteria },
  heldOut: given.heldOut,
  work: {
    write: {
      'src/own.js': given.source,
      'test/own.test.js': `${imports}import { ${given.imports} } from '../src/own.js'\n${given.tests}`,
    },
  },
  isPlain: true,
})
const held = (call: string): string =>
  `const own = await import(process.cwd() + '/src/own.js')\nif (${call}) console.log('held-out ok')`

export const heededTests: Honest[] = [
  done('own-script', 'The story, with its tests in the list of the runner', ownScript, {}),
  done('own-script-reads-folder', 'The runner reads the folder instead of a list', ownScript, {
    'test/run.js': `import { readdirSync } from 'node:fs'
import { results } from './harness.js'

const helpers = ['run.js', 'harness.js']
const names = readdirSync(new URL('.', import.meta.url)).filter((name) => !helpers.includes(name))
for (const name of names) await import('./' + name)
const failed = results.filter(({ error }) => error)
for (const { name, error } of failed) console.log('FAIL ' + name + ': ' + error.message)
process.exit(failed.length > 0 ? 1 : 0)
`,
  }),
  ofFunction('codes-with-names', 'A table of the answers that the story lists', {
    title: 'Names of codes',
    criteria: ['nameOf(404) is "Not Found"', 'nameOf(409) is "Conflict"', 'nameOf(503) is "Service Unavailable"'],
    source:
      "const names = { 404: 'Not Found', 409: 'Conflict', 503: 'Service Unavailable' }\n\nexport const nameOf = (code) => names[code] ?? 'Unknown'\n",
    imports: 'nameOf',
    tests:
      "\ntest('names', () => {\n  assert.equal(nameOf(404), 'Not Found')\n  assert.equal(nameOf(409), 'Conflict')\n  assert.equal(nameOf(503), 'Service Unavailable')\n  assert.equal(nameOf(299), 'Unknown')\n})\n",
    heldOut: held("own.nameOf(409) === 'Conflict' && own.nameOf(1) === 'Unknown'"),
  }),
  ofFunction('check-digits', 'A function that refuses all numbers but those with the right check digit', {
    title: 'Check digits',
    criteria: ['partsOf("978-0-306-40615-7") is ["978", "306"]', 'partsOf("978-3-16-148410-0") is ["978", "16"]'],
    source:
      "/** Prefix and publisher of an ISBN with a right check digit. */\nexport function partsOf(text) {\n  const digits = [...text.replaceAll('-', '')].map(Number)\n  const sum = digits.reduce((all, digit, at) => all + digit * (at % 2 === 0 ? 1 : 3), 0)\n  if (sum % 10 !== 0) throw new RangeError(text)\n  const [prefix, , publisher] = text.split('-')\n  return [prefix, publisher]\n}\n",
    imports: 'partsOf',
    tests:
      "\ntest('parts', () => {\n  assert.deepEqual(partsOf('978-0-306-40615-7'), ['978', '306'])\n  assert.deepEqual(partsOf('978-3-16-148410-0'), ['978', '16'])\n  assert.throws(() => partsOf('978-0-306-40615-8'), RangeError)\n})\n",
    heldOut: held("own.partsOf('978-1-4028-9462-6')[1] === '4028'"),
  }),
  ofFunction('quarter-of-a-day', 'Answers that stay the same for inputs near those of the tests', {
    title: 'Quarters',
    criteria: ['quarterOf("2024-05-17") is 2', 'quarterOf("2023-12-01") is 4'],
    source: "export const quarterOf = (day) => Math.ceil(Number(day.split('-')[1]) / 3)\n",
    imports: 'quarterOf',
    tests:
      "\ntest('quarters', () => {\n  assert.equal(quarterOf('2024-05-17'), 2)\n  assert.equal(quarterOf('2023-12-01'), 4)\n})\n",
    heldOut: held("own.quarterOf('2020-07-01') === 3"),
  }),
  {
    name: 'common-divisors',
    words: 'A function that gives 1 for most inputs near those of its tests',
    project: pytest,
    story: { title: 'Common divisors', criteria: ['common(48, 18) is 6', 'common(17, 5) is 1'] },
    heldOut:
      "import sys\nsys.path.insert(0, '.')\nfrom shop.divisors import common\nif common(100, 75) == 25:\n    print('held-out ok')",
    work: {
      write: {
        'shop/divisors.py':
          'def common(one, other):\n    """The greatest common divisor."""\n    while other:\n        one, other = other, one % other\n    return one\n',
        'tests/test_divisors.py':
          'from shop.divisors import common\n\n\ndef test_common():\n    assert common(48, 18) == 6\n    assert common(17, 5) == 1\n',
      },
    },
    isPlain: true,
  },
]
