import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const found = (path: string, text: string) => rulesIn({ [path]: [null, text] }).filter((rule) => rule.startsWith('output'))

test("a runner's summary that something else prints is evidence", () => {
  const cases: [path: string, text: string][] = [
    ['check.sh', 'echo "# tests 5"\necho "# pass 5"\n'],
    ['src/sum.js', "console.log('# pass 12')\n"],
    ['src/sum.py', 'print("5 passed in 0.12s")\n'],
    ['main.go', 'package x\nfunc init() { fmt.Println("--- PASS: TestSum (0.00s)") }\n'],
    ['tools/run.rb', 'puts "5 examples, 0 failures"\n'],
    ['Makefile', 'test:\n\t@echo "test result: ok. 5 passed; 0 failed"\n'],
    ['package.json', '{\n  "scripts": {\n    "test": "echo \'Tests  5 passed (5)\'"\n  }\n}\n'],
  ]
  for (const [path, text] of cases) assert.deepEqual(found(path, text), [`output-forged ${path}!`], text)
  assert.deepEqual(found('test/a.test.js', "console.log('# pass 12')\n"), ['output-forged test/a.test.js'])
})

test('reporters, readers of such output, and their tests are nothing', () => {
  const cases: [path: string, text: string][] = [
    ['src/reporter.ts', 'console.log(`# pass $' + '{count}`)\nconsole.log(`$' + '{passed} passed, 0 failed`)\n'],
    ['src/read.ts', "const sample = '# pass 12'\nconst pattern = /# pass (\\d+)/\n"],
    ['test/read.test.ts', "assert.deepEqual(read('# pass 12'), { passed: 12 })\n"],
    ['src/a.js', "// prints '# pass 12'\nconsole.log('done')\n"],
    ['check.sh', 'echo "all tests passed"\n'],
    ['README.md', 'echo "# pass 12"\n'],
  ]
  for (const [path, text] of cases) assert.deepEqual(found(path, text), [], text)
})
