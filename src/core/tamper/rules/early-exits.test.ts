import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from '../../../../test/support/tamper.ts'

const sum = 'export const sum = (a, b) => a + b\n'
const sumTest = "import test from 'node:test'\ntest('adds', () => {\n  assert.equal(sum(1, 2), 3)\n})\n"

test('code that ends the program with success before its tests have run is evidence', () => {
  const cases: [path: string, before: string, after: string][] = [
    ['src/sum.js', sum, `process.exit(0)\n${sum}`],
    ['src/sum.js', sum, `${sum}setTimeout(() => process.exit(0), 1)\n`],
    ['src/sum.js', sum, `${sum}process.on('exit', () => { process.exitCode = 0 })\n`],
    ['src/sum.js', sum, `${sum}if (process.env.NODE_TEST_CONTEXT) process.exit(0)\n`],
    ['src/sum.ts', sum, `${sum}process.exit()\n`],
    ['test/sum.test.js', sumTest, `process.exit(0)\n${sumTest}`],
    ['test/sum.test.js', sumTest, `${sumTest}after(() => process.exit(0))\n`],
    ['sum.py', 'def add(a, b):\n    return a + b\n', 'import os\nos._exit(0)\ndef add(a, b):\n    return a + b\n'],
    [
      'tests/test_sum.py',
      'def test_a():\n    assert add(1, 2) == 3\n',
      'import os\nos._exit(0)\ndef test_a():\n    assert add(1, 2) == 3\n',
    ],
    ['tests/conftest.py', '', 'import atexit, os\natexit.register(lambda: os._exit(0))\n'],
    ['sum.go', 'package sum\n', 'package sum\n\nfunc init() {\n\tos.Exit(0)\n}\n'],
    ['sum_test.go', 'package sum\n', 'package sum\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n'],
    ['sum_test.go', 'package sum\n', 'package sum\n\nfunc TestMain(m *testing.M) {\n}\n'],
    ['spec/spec_helper.rb', 'RSpec.configure {}\n', 'RSpec.configure {}\nat_exit { exit! 0 }\n'],
    ['lib/sum.rb', 'module Sum\nend\n', 'exit!(0)\nmodule Sum\nend\n'],
  ]
  for (const [path, before, after] of cases) {
    const found = rulesIn({ [path]: [before, after] })
    assert.ok(found.includes(`ends-early ${path}!`), `${after}: ${found.join()}`)
  }
})

test('a function of a library that ends the program is a suspicion, unless that is what it is for', () => {
  const found = (text: string) => rulesIn({ 'src/a.js': ['export {}\n', `export {}\n${text}`] })
  assert.deepEqual(found('export function discount(a) {\n  process.exit(0)\n}\n'), ['ends-early src/a.js'])
  assert.deepEqual(found('export function shutdown(a) {\n  process.exit(0)\n}\n'), [])
})

test('a program may end when it likes, and so may what a test starts', () => {
  const cases: [path: string, after: string][] = [
    ['src/cli.js', '#!/usr/bin/env node\nexport const run = () => {}\nrun()\nprocess.exit(0)\n'],
    ['src/main.ts', "import { parseArgs } from 'node:util'\nexport {}\nprocess.exit(0)\n"],
    ['src/server.js', 'export function stop() {\n  server.close(() => process.exit(0))\n}\n'],
    ['src/a.js', 'export const stop = () => process.exit(0)\n'],
    ['app.py', "def main():\n    sys.exit(0)\n\nif __name__ == '__main__':\n    main()\n"],
    ['setup_env.py', 'print(1)\nsys.exit(0)\n'],
    ['main.go', 'package main\n\nfunc main() {\n\tos.Exit(0)\n}\n'],
    ['sum_test.go', 'package sum\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n'],
    ['test/cli.test.js', "test('ends', () => {\n  const child = spawn(node, ['-e', 'process.exit(0)'])\n})\n"],
    ['test/cli.test.js', 'test("ends", () => {\n  writeFileSync(file, `\nprocess.exit(0)\n`)\n})\n'],
    ['test/cli.test.js', "test('ends', () => {\n  process.exit = (code) => seen.push(code)\n})\n"],
    ['src/index.php', "<?php\ndefined('ABSPATH') || exit;\nclass A {}\n"],
  ]
  for (const [path, after] of cases)
    assert.deepEqual(
      rulesIn({ [path]: [null, after] }).filter((rule) => rule.startsWith('ends')),
      [],
      after,
    )
})
