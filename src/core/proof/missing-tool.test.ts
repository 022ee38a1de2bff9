import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aResult } from '../../../sim/builders.ts'
import { isToolMissing, missingWords } from './missing-tool.ts'

const red = (output: string, exitCode = 1) => aResult('tests', false, { output, exitCode })

test('a gate whose tool is missing is told from one that fails', () => {
  const missing = [
    red('', 127),
    red('', 126),
    red('\n> shop@1.0.0 test\n> eslint .\n\nsh: 1: eslint: not found', 2),
    red('bash: line 1: pytest: command not found', 2),
    red('make: go: No such file or directory\nmake: *** [Makefile:2: test] Error 127', 2),
    red('/usr/bin/python3: No module named pytest'),
    red('env: ‘ruby’: No such file or directory', 1),
    red('bundler: command not found: rspec', 1),
    red('npm error could not determine executable to run', 1),
  ]
  assert.deepEqual(
    missing.map(isToolMissing),
    missing.map(() => true),
  )
  const failing = [
    red('✖ finds users\n  AssertionError: not found !== found'),
    red("Error: Cannot find module '../src/price.js'"),
    red('npm error Missing script: "test"'),
    red('ModuleNotFoundError: No module named shop'),
    red('sh: 1: cannot open data.txt: No such file', 2),
    aResult('tests', true, { exitCode: 0 }),
    { ...red('', 127), soft: true as const },
  ]
  assert.deepEqual(
    failing.map(isToolMissing),
    failing.map(() => false),
  )
})

test('what is missing is said in the words of the shell', () => {
  assert.equal(missingWords(red('sh: 1: eslint: not found', 127)), 'gate tests cannot run: sh: 1: eslint: not found')
  assert.equal(missingWords(red('', 127)), 'gate tests cannot run: exit 127')
})
