import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn, rulesIn, type Versions } from '../../../../test/support/tamper.ts'
import type { GateFile } from '../gate-files.ts'
import { swallowedIn } from './gate-commands.ts'
import { commandsOfEntry } from './gate-scripts.ts'

const gateFiles: GateFile[] = [
  { gate: 'tests', path: 'package.json', entry: 'test' },
  { gate: 'tests', path: 'Makefile', entry: 'test' },
  { gate: 'tests', path: 'check.sh' },
  { gate: 'tests', path: 'tools/check.ts' },
]
const found = (versions: Versions) => rulesIn(versions, { gateFiles }).filter((rule) => /gate|failure/.test(rule))
const script = (command: string, more = {}) =>
  JSON.stringify({ scripts: { test: command, ...more }, devDependencies: { vitest: '3' } }, null, 2)
const scripts = (before: string, after: string) => found({ 'package.json': [script(before), script(after)] })
const shell = (before: string, after: string) => found({ 'check.sh': [before, after] })
const make = (before: string, after: string) => found({ Makefile: [`test:\n${before}`, `test:\n${after}`] })

test('a gate that ignores failures, or checks nothing any more, is evidence', () => {
  const ends: [before: string, after: string][] = [
    ['jest', 'jest || true'],
    ['jest', 'jest; exit 0'],
    ['jest', 'jest || exit 0'],
    ['eslint . && jest', 'eslint . && (jest || echo failed)'],
    ['jest', 'true'],
    ['node --test', 'echo ok'],
    ['node --test', 'exit 0'],
    ['node --test', 'node --test | tail -n 20'],
    ['node --test', 'node --test & sleep 0'],
    ['node --test', 'node --test & wait'],
    ['node --test', 'rm -f test/cart.test.js && node --test'],
  ]
  for (const [before, after] of ends) assert.deepEqual(scripts(before, after), ['failure-ignored package.json!'], after)
  const scriptsOfShell: [before: string, after: string][] = [
    ['set -e\npytest\n', 'set -e\nset +e\npytest\n'],
    ['pytest\n', 'pytest\nexit 0\n'],
    ['set -e\npytest\n', 'set -e\nexit 0\npytest\n'],
    ['set -e\npytest\nmypy .\n', 'set -e\npytest || true\nmypy .\n'],
    ['pytest\n', ':\n'],
    ['pytest\n', "trap 'exit 0' EXIT\npytest\n"],
    ['check a\nexit $failed\n', 'check a\nexit 0\n'],
    ['check a\ncheck b\n', 'check a\necho 1..1; exit 0\ncheck b\n'],
  ]
  for (const [before, after] of scriptsOfShell) assert.deepEqual(shell(before, after), ['failure-ignored check.sh!'], after)
  assert.deepEqual(make('\tgo test ./...\n', '\t-go test ./...\n'), ['failure-ignored Makefile!'])
  assert.deepEqual(make('\tgo test ./...\n', '\t@true\n'), ['failure-ignored Makefile!'])
  assert.deepEqual(found({ 'check.sh': [null, '#!/bin/sh\npytest || true\n'] }), ['failure-ignored check.sh!'])
  assert.deepEqual(found({ 'package.json': [script('jest'), '{"scripts":{"lint":"x","test":"true"}}'] }), [
    'failure-ignored package.json!',
  ])
})

test('a gate that runs less is a suspicion, with what it no longer runs', () => {
  const less: [before: string, after: string][] = [
    ['eslint . && jest', 'jest'],
    ['jest', 'jest --testNamePattern adds'],
    ['jest', 'jest test/sum.test.js'],
    ['node --test', 'node --test --test-name-pattern=adds'],
    ['jest --coverage', 'jest'],
    ['vitest run', 'vitest run --passWithNoTests'],
    ['jest', 'node check.js'],
    ['jest', 'test -e .passed || jest'],
    ['jest', 'timeout 1 jest || [ $? = 124 ]'],
  ]
  for (const [before, after] of less) assert.deepEqual(scripts(before, after), ['gate-changed package.json'], after)
  assert.deepEqual(found({ 'check.sh': ['pytest\n', null] }), ['gate-changed check.sh'])
  assert.deepEqual(found({ 'tools/check.ts': ['run(tests)\nrun(lint)\n', 'run(tests)\n'] }), ['gate-changed tools/check.ts'])
  assert.deepEqual(shell('pytest\nmypy .\n', 'pytest\n'), ['gate-changed check.sh'])
  assert.deepEqual(shell('set -e\npytest\nmypy .\n', 'pytest\nmypy .\n'), ['gate-changed check.sh'])
  assert.deepEqual(shell('pytest\n', "pytest\necho 'all passed'\n"), ['gate-changed check.sh'])
  assert.deepEqual(shell('is() {\n  [ "$1" = "$2" ] || exit 1\n}\n', 'is() {\n  [ -n "$1" ] || exit 1\n}\n'), [
    'gate-changed check.sh',
  ])
  assert.deepEqual(found({ 'packages/a/package.json': [script('jest'), '{ "scripts": {} }'] }), [
    'gate-changed packages/a/package.json',
  ])
  const [finding] = findingsIn({ 'package.json': [script('eslint . && jest'), script('jest')] }, { gateFiles })
  assert.equal(finding?.words, 'changed the script test in package.json, which gate tests runs: it no longer runs eslint .')
})

test('a gate that checks the same or more, with another runner, with coverage or shown otherwise, is nothing', () => {
  const more: [before: string, after: string][] = [
    ['jest', 'jest && eslint .'],
    ['node --test', 'node --test --experimental-test-coverage'],
    ['jest', 'jest --coverage'],
    ['mocha', 'nyc mocha'],
    ['mocha --reporter dot', 'mocha'],
    ['node --test', 'vitest run'],
    ['node --test test/*.test.js', 'vitest run'],
    ['jest', 'npx jest --ci'],
    ['jest', 'rm -rf tmp || true; jest'],
    ['jest', 'cross-env CI=1 jest'],
    ['jest --maxWorkers=2', 'jest --maxWorkers=4'],
  ]
  for (const [before, after] of more) assert.deepEqual(scripts(before, after), [], after)
  assert.deepEqual(found({ 'package.json': [script('jest'), script('jest', { lint: 'eslint .' })] }), [])
  const others: [before: string, after: string][] = [
    ['pytest\n', 'pytest\nmypy .\n'],
    ['set -e\npytest\n', 'set -e\npytest --cov=src\nexit 0\n'],
    ['pytest\n', 'set -euo pipefail\n# all tests\npytest\n'],
    ['pytest\ncode=$?\n', 'set +e\npytest\ncode=$?\nexit $code\n'],
  ]
  for (const [before, after] of others) assert.deepEqual(shell(before, after), [], after)
  assert.deepEqual(make('\tgo test ./...\n', '\tgo vet ./...\n\tgo test -race ./...\n'), [])
  assert.deepEqual(found({ Makefile: ['test:\n\tpytest\n', 'test:\n\tpytest\n\nlint:\n\t-ruff check\n'] }), [])
  assert.deepEqual(found({ 'check.sh': [null, 'pytest\n'] }), [])
  assert.deepEqual(
    found({ 'package.json': [script('jest'), script('npm run unit && npm run lint', { unit: 'jest', lint: 'eslint .' })] }),
    [],
  )
  assert.deepEqual(found({ 'tools/check.ts': ['run(tests)\n', 'run(tests)\nrun(lint)\n'] }), [])
})

test('a makefile that make takes instead of the one of the gate, or a second definition of its target, is evidence', () => {
  assert.deepEqual(rulesIn({ GNUmakefile: [null, 'test:\n\t@echo ok\n'] }, { gateFiles }), ['runner-shadowed GNUmakefile!'])
  assert.deepEqual(make('\tgo test ./...\n', '\tgo test ./...\n\ntest:\n\t@echo ok\n'), ['failure-ignored Makefile!'])
})

test('only the failure of a check is missed: cleaning up may fail', () => {
  assert.equal(swallowedIn('rm -rf x || true; docker rm test || true'), null)
  assert.equal(swallowedIn('mkdir -p tests || true'), null)
  assert.equal(swallowedIn('npm test || true'), 'npm test || true')
})

test('a recipe of a target that only a variable or a pattern names belongs to the gate too', () => {
  const makefile =
    'REPORTS = a b\ntest: $(REPORTS)\n$(REPORTS):\n\t@awk -f a.awk $@ | sh scripts/compare.sh $@\n%.txt: x\n\tsh scripts/txt.sh\nclean:\n\tsh scripts/clean.sh\n'
  const commands = commandsOfEntry('Makefile', makefile, 'test') ?? ''
  assert.deepEqual(
    ['compare.sh', 'txt.sh', 'clean.sh'].map((name) => commands.includes(name)),
    [true, true, false],
  )
  assert.equal(commandsOfEntry('Makefile', 'test: unit\nunit:\n\tsh unit.sh\n%.o:\n\tcc\n', 'test'), 'make unit')
})
