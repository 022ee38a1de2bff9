/** Changed files of a story, whatever is in them: the rules about weakened checks answer soon, and find nothing where nothing changed. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { changesOf } from '../../src/core/tamper/code/change.ts'
import { type Looked, weakenedChecks } from '../../src/core/tamper/weakened-checks.ts'
import { family } from '../family.ts'
import { mutated } from '../nasty.ts'

type Changed = { path: string; before: string; after: string; times: number }

const paths = [
  ...[
    'test/a.test.js',
    'src/a.ts',
    'tests/test_a.py',
    'conftest.py',
    'a_test.go',
    'src/lib.rs',
    'ATest.java',
    'spec/a_spec.rb',
    'tests/ATest.php',
  ],
  ...[
    'ATests.cs',
    'package.json',
    'Makefile',
    'check.sh',
    '.npmrc',
    '.env',
    '.gitattributes',
    'pyproject.toml',
    'pom.xml',
    '.github/workflows/ci.yml',
  ],
]
const pieces = [
  ...[
    "test('adds', () => {\n",
    '  assert.equal(sum(1, 2), 3)\n',
    '})\n',
    'expect(x).toBe(3)\n',
    'def test_a():\n',
    '    assert a == 1\n',
    'process.exit(0)\n',
  ],
  ...[
    '{ "scripts": { "test": "jest || true" } }\n',
    'test:\n\tpytest\n',
    'script-shell=x\n',
    'if (n === 10) return 55\n',
    '// eslint-disable\n',
    '"""',
    '`',
    '${',
    "'",
  ],
  ...[
    'skip: ',
    '.skip(',
    'it.skip',
    'assert (',
    '((((',
    '|| true',
    'a === 1 ',
    '"a": "b", ',
    'import x from "assert"\n',
    'for (',
    '[[[',
    '@',
    '#[',
    '\\',
    '\t',
    '  ',
  ],
]
const text = mutated(
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((all) => all.join('')),
  pieces,
)

export const changedFiles = family<Changed>({
  name: 'changes',
  what: 'files before and after a story, in every language, with long lines and texts that never end',
  weight: 4,
  inputs: fc.record({ path: fc.constantFrom(...paths), before: text, after: text, times: fc.constantFrom(1, 1, 1, 30, 100) }),
  check({ path, before, after, times }) {
    const looked: Looked = {
      changes: [],
      commands: [after.slice(0, 500)],
      gateFiles: [
        { gate: 'tests', path: 'package.json', entry: 'test' },
        { gate: 'tests', path: 'Makefile', entry: 'test' },
        { gate: 'tests', path: 'check.sh' },
      ],
      hasHooks: () => true,
      unchangedTests: () => [{ path: 'test/b.test.js', text: before }],
      story: { text: after.slice(0, 200), changesTests: false },
    }
    const long = after.repeat(times).slice(0, 60_000)
    const found = weakenedChecks({ ...looked, changes: [{ path, kind: 'modified', before, after: long }] })
    for (const { words, rule } of found) assert.ok(words !== '' && rule.length > 0)
    const [{ added, removed } = { added: [], removed: [] }] = changesOf([{ path, kind: 'modified', before: long, after: long }])
    assert.deepEqual([added, removed], [[], []])
    const same = weakenedChecks({ ...looked, commands: [], changes: [{ path, kind: 'modified', before: long, after: long }] })
    assert.deepEqual(same, [], 'something was found where nothing changed')
  },
})
