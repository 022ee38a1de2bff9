import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mutantsOf } from './make.ts'

/** Everything that is done to the lines of a new file, line by line. */
function all(path: string, text: string): string[] {
  const mutants = mutantsOf([{ path, kind: 'added', before: '', after: text }], 'c1', 999)
  return mutants
    .toSorted((one, other) => one.line - other.line || (one.after < other.after ? -1 : 1))
    .map(({ before, after }) => `${before} => ${after}`)
}

const families: [path: string, text: string, mutants: string[]][] = [
  [
    'src/a.ts',
    `
import { b } from './b.ts' // a === b
export function price(sum: number, isGold: boolean): number {
  if (!isGold && sum >= 100) return 'a === b'.length
  track(sum)
  console.log(sum)
  const url = 'http://x/1'
  return sum * 2 + 1
}
`,
    [
      "if (!isGold && sum >= 100) return 'a === b'.length => if (!(!isGold && sum >= 100)) return 'a === b'.length",
      "if (!isGold && sum >= 100) return 'a === b'.length => if (!isGold && sum > 100) return 'a === b'.length",
      "if (!isGold && sum >= 100) return 'a === b'.length => if (!isGold && sum >= 100) return undefined",
      "if (!isGold && sum >= 100) return 'a === b'.length => if (!isGold && sum >= 101) return 'a === b'.length",
      "if (!isGold && sum >= 100) return 'a === b'.length => if (!isGold || sum >= 100) return 'a === b'.length",
      "if (!isGold && sum >= 100) return 'a === b'.length => if (isGold && sum >= 100) return 'a === b'.length",
      'track(sum) => ',
      'return sum * 2 + 1 => return sum * 2 + 2',
      'return sum * 2 + 1 => return sum * 2 - 1',
      'return sum * 2 + 1 => return sum * 3 + 1',
      'return sum * 2 + 1 => return sum / 2 + 1',
      'return sum * 2 + 1 => return undefined',
    ],
  ],
  [
    'src/b.js',
    `const of = (x) => \`\${x + 1} is 2\`\nreturn {\n  a: 1,\n}\nfoo(\n  bar()\n)\nif (a) { return { b } }\nlist\n  .map(f)\ni++\nconst g = (a) =>\n  h(a)\nif (b)\n  c(d)\nreturn \`x\n\`\n`,
    [
      `const of = (x) => \`\${x + 1} is 2\` => const of = (x) => \`\${x + 2} is 2\``,
      `const of = (x) => \`\${x + 1} is 2\` => const of = (x) => \`\${x - 1} is 2\``,
      'a: 1, => a: 2,',
      'if (a) { return { b } } => if (!(a)) { return { b } }',
      'if (a) { return { b } } => if (a) { return undefined }',
      'i++ => i--',
      'if (b) => if (!(b))',
    ],
  ],
  [
    'shop/price.py',
    `
def price(sum, gold):
    """1 == 2"""
    if gold and sum not in FREE:  # 3 > 2
        audit(sum)
        return sum - 1
    return None if sum is not None else True
`,
    [
      'if gold and sum not in FREE:  # 3 > 2 => if gold and sum in FREE:  # 3 > 2',
      'if gold and sum not in FREE:  # 3 > 2 => if gold or sum not in FREE:  # 3 > 2',
      'if gold and sum not in FREE:  # 3 > 2 => if not (gold and sum not in FREE):  # 3 > 2',
      'audit(sum) => pass',
      'return sum - 1 => return None',
      'return sum - 1 => return sum + 1',
      'return sum - 1 => return sum - 2',
      'return None if sum is not None else True => return None if sum is None else True',
      'return None if sum is not None else True => return None if sum is not None else False',
    ],
  ],
  [
    'lib/price.rb',
    `def price(sum)\n  return 0 unless sum > 10\n  notify(sum)\n  x = sum if gold?\nend\n`,
    [
      'return 0 unless sum > 10 => return 0 unless sum > 11',
      'return 0 unless sum > 10 => return 0 unless sum >= 10',
      'return 0 unless sum > 10 => return 1 unless sum > 10',
      'return 0 unless sum > 10 => return nil unless sum > 10',
      'notify(sum) => nil',
      'x = sum if gold? => x = sum if !(gold?)',
    ],
  ],
  [
    'price.go',
    'func Price(sum int) int {\n\tif sum > 10 {\n\t\taudit.Note(sum)\n\t}\n\tif err := f(); err != nil {\n\t}\n\treturn sum % 3\n}\n',
    [
      'if sum > 10 { => if !(sum > 10) {',
      'if sum > 10 { => if sum > 11 {',
      'if sum > 10 { => if sum >= 10 {',
      'audit.Note(sum) => ',
      'if err := f(); err != nil { => if err := f(); err == nil {',
      'return sum % 3 => return sum % 4',
      'return sum % 3 => return sum * 3',
    ],
  ],
  [
    'src/price.rs',
    `pub fn price(sum: u32) -> u32 {\n    let f = || sum + 1;\n    if let Some(x) = y {}\n    if sum == 0 || gold { 2 } else { f() }\n}\n#[cfg(test)]\nmod tests { fn a() { assert_eq!(1, 1); } }\n`,
    [
      'let f = || sum + 1; => let f = || sum + 2;',
      'let f = || sum + 1; => let f = || sum - 1;',
      'if sum == 0 || gold { 2 } else { f() } => if sum != 0 || gold { 2 } else { f() }',
      'if sum == 0 || gold { 2 } else { f() } => if sum == 0 && gold { 2 } else { f() }',
      'if sum == 0 || gold { 2 } else { f() } => if sum == 0 || gold { 3 } else { f() }',
      'if sum == 0 || gold { 2 } else { f() } => if sum == 1 || gold { 2 } else { f() }',
    ],
  ],
  [
    'src/main/java/Price.java',
    `  @Max(10)\n  Map<String, List<Integer>> all;\n  boolean isFree(int sum) { return sum <= 5; }\n  void go() {\n    audit.note("1 < 2", sum);\n    if ("a".equals(b)) done = true;\n  }\n`,
    [
      'boolean isFree(int sum) { return sum <= 5; } => boolean isFree(int sum) { return sum < 5; }',
      'boolean isFree(int sum) { return sum <= 5; } => boolean isFree(int sum) { return sum <= 6; }',
      'audit.note("1 < 2", sum); => ',
      'if ("a".equals(b)) done = true; => if (!("a".equals(b))) done = true;',
      'if ("a".equals(b)) done = true; => if ("a".equals(b)) done = false;',
    ],
  ],
  [
    'src/Price.php',
    `<?php\nreturn $sum - $off;\n$this->audit->note($sum);\n`,
    ['return $sum - $off; => return $sum + $off;', 'return $sum - $off; => return null;', '$this->audit->note($sum); => '],
  ],
  [
    'lib/price.ex',
    'def price(sum) do\n  if sum > 3 do\n',
    ['if sum > 3 do => if !(sum > 3) do', 'if sum > 3 do => if sum > 4 do', 'if sum > 3 do => if sum >= 3 do'],
  ],
]

for (const [path, text, mutants] of families)
  test(`mutants of ${path} are valid code, and touch neither strings, comments, imports nor logs`, () => {
    assert.deepEqual(all(path, text), mutants)
  })

test('tests, settings, documents and files that are gone have none', () => {
  const files = ['src/a.test.ts', 'test/help.ts', 'jest.config.js', 'docs/a.md', 'data.json', 'a.sh'].map((path) => ({
    path,
    kind: 'added' as const,
    before: '',
    after: 'if (a === 1) b(2)\n',
  }))
  assert.deepEqual(mutantsOf([...files, { path: 'src/b.ts', kind: 'deleted', before: 'a === 1\n', after: '' }], 'c1', 9), [])
})

test('only lines that the story changed, in as many files and lines as there are, the same ones for the same commit', () => {
  const line = (n: number): string => `const a${n} = b === ${n} && c`
  const before = Array.from({ length: 20 }, (_, n) => line(n)).join('\n')
  const one = {
    path: 'src/one.ts',
    kind: 'modified' as const,
    before,
    after: `${before}\n${line(20)}\n${line(21)}\n${line(22)}\n`,
  }
  const two = { path: 'src/two.ts', kind: 'added' as const, before: '', after: `${line(30)}\n` }
  const of = (seed: string, most: number) => mutantsOf([one, two], seed, most)
  assert.deepEqual(
    of('c1', 4)
      .map(({ file, line: at }) => `${file}:${at}`)
      .toSorted(),
    ['src/one.ts:21', 'src/one.ts:22', 'src/one.ts:23', 'src/two.ts:1'],
  )
  assert.deepEqual(of('c1', 4), of('c1', 4))
  assert.equal(of('c1', 99).length, 12)
  assert.equal(new Set(of('c1', 99).map(({ text }) => text)).size, 12)
  assert.notDeepEqual(of('c1', 1), of('c7', 1))
})

test('whatever the text, a mutant differs from it in one line', () => {
  const piece = fc.constantFrom(
    'if (',
    ')',
    '{',
    '}',
    ' && ',
    '"',
    "'",
    '`',
    '${',
    '\n',
    'a',
    ' === ',
    '1',
    'return ',
    'f(',
    '//',
    '/*',
    '*/',
    '!',
    ';',
    '\r',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom('a.ts', 'a.py', 'a.go', 'a.rb', 'a.rs'), (pieces, path) => {
      const text = pieces.join('')
      for (const mutant of mutantsOf([{ path, kind: 'added', before: '', after: text }], 'c', 50)) {
        const [lines, others] = [text.split('\n'), mutant.text.split('\n')]
        assert.equal(lines.length, others.length)
        assert.deepEqual(
          lines.flatMap((line, index) => (line === others[index] ? [] : [index + 1])),
          [mutant.line],
        )
      }
    }),
  )
})
