import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn, type Versions } from '../../../../test/support/tamper.ts'

const tests: Versions = {
  'tests/test_split.py': [
    null,
    'def test_splits():\n    assert split(1000, 3) == [334, 333, 333]\n    assert split(50, 4) == [13, 13, 12, 12]\n    assert rgb("coral") == (255, 127, 80)\n',
  ],
}
const found = (path: string, ...lines: string[]) => rulesIn({ ...tests, [path]: ['', `${lines.join('\n')}\n`] })

test('a row with the inputs and the answer of a test is a special case', () => {
  const path = 'src/split.py'
  const all: [string[], string[]][] = [
    [['    (1000, (3,)): [334, 333, 333],'], [`special-case ${path}`]],
    [['    if cents == 1000 and parts == 3:', '        return [334, 333, 333]'], [`special-case ${path}`]],
    [['    (2000, (3,)): [667, 667, 666],'], []],
    [['    "coral": (255, 127, 80),'], []],
    [['    if cents == 1000 and parts == 3:', '        raise ValueError'], []],
  ]
  for (const [lines, rules] of all) assert.deepEqual(found(path, ...lines), rules, lines.join())
})

test('the same in other languages', () => {
  const rust: Versions = {
    'money_test.go': [
      null,
      'func TestSplit(t *testing.T) {\n\tif got := Split(1000, 3); !same(got, []int{334, 333, 333}) {\n\t\tt.Errorf("%v", got)\n\t}\n}\n',
    ],
  }
  const go = ['\tswitch [2]int{cents, parts} {', '\tcase [2]int{1000, 3}:', '\t\treturn []int{334, 333, 333}', '\t}']
  assert.deepEqual(rulesIn({ ...rust, 'money.go': ['', `${go.join('\n')}\n`] }), ['special-case money.go'])
  const java = '    private static final Map<String, List<Integer>> KNOWN = Map.of("1000/3", List.of(334, 333, 333));\n'
  assert.deepEqual(rulesIn({ ...rust, 'src/Money.java': ['', java] }), ['special-case src/Money.java'])
})

test('so are files that the program reads, if most of their rows are of tests', () => {
  const answers = '1000:3=334,333,333\n50:4=13,13,12,12\n'
  assert.deepEqual(rulesIn({ ...tests, 'src/amounts.cache': [null, answers] }), ['special-case src/amounts.cache'])
  assert.deepEqual(rulesIn({ ...tests, 'tests/data/amounts.txt': [null, answers] }), [])
  const own = `${answers}2000:3=667,667,666\n70:4=18,18,17,17\n90:4=23,23,22,22\n`
  assert.deepEqual(rulesIn({ ...tests, 'src/amounts.cache': [null, own] }), [])
})
