import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesOfGates } from './gate-files.ts'

const of = (command: string, isThere: (path: string) => boolean = () => true) =>
  filesOfGates([{ name: 'tests', command }], isThere).map(({ gate: _gate, ...file }) => file)

test('the scripts that a gate names are its files', () => {
  assert.deepEqual(
    filesOfGates([{ name: 'tests', command: './check.sh --all' }], () => true),
    [{ gate: 'tests', path: 'check.sh' }],
  )
  assert.deepEqual(of('bash -e scripts/test.sh'), [{ path: 'scripts/test.sh' }])
  assert.deepEqual(of('CI=1 node --test-reporter=dot tools/test.ts && ./lint.sh'), [
    { path: 'tools/test.ts' },
    { path: 'lint.sh' },
  ])
  assert.deepEqual(of('cd app && sh ../ci/check.sh'), [{ path: 'ci/check.sh' }])
  assert.deepEqual(of("bash -c 'python3 tools/check.py'"), [{ path: 'tools/check.py' }])
})

test('scripts of a package and targets of a Makefile are named', () => {
  assert.deepEqual(of('npm test'), [{ path: 'package.json', entry: 'test' }])
  assert.deepEqual(of('npm run --silent check -- --fast'), [{ path: 'package.json', entry: 'check' }])
  assert.deepEqual(of('cd web && pnpm lint'), [{ path: 'web/package.json', entry: 'lint' }])
  const isMakefile = (path: string) => path.endsWith('Makefile')
  assert.deepEqual(of('make -j 4 test', isMakefile), [{ path: 'Makefile', entry: 'test' }])
  assert.deepEqual(of('make -C sub check', isMakefile), [{ path: 'sub/Makefile', entry: 'check' }])
})

test('what the script of a package runs is run by the gate, from the folder of the package', () => {
  const scripts: Record<string, string> = {
    test: 'npm run lint && bash ./scripts/test.sh',
    lint: 'npm test',
    check: 'sh check.sh',
  }
  const of = (command: string) =>
    filesOfGates(
      [{ name: 'tests', command }],
      () => true,
      (_path, script) => scripts[script],
    ).map(({ path, entry }) => [path, entry])
  assert.deepEqual(of('npm test'), [
    ['package.json', 'test'],
    ['package.json', 'lint'],
    ['scripts/test.sh', undefined],
  ])
  assert.deepEqual(of('cd web && npm run check'), [
    ['web/package.json', 'check'],
    ['web/check.sh', undefined],
  ])
})

test('tests, the program itself, and what lies outside or is not there are no files of a gate', () => {
  const commands = ['node --test test/a.test.ts', 'python test_a.py', 'node src/main.js --check', '/usr/bin/check', '../check.sh']
  assert.deepEqual(
    commands.flatMap((command) => of(command)),
    [],
  )
  assert.deepEqual(
    ['pytest -q', 'go test ./...', 'cargo test', 'grep -q x a.txt', 'true'].flatMap((command) => of(command)),
    [],
  )
  assert.deepEqual(
    of('./check.sh', () => false),
    [],
  )
})
