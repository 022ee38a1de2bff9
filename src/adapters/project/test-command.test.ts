import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { findTestCommand } from './test-command.ts'

function found(files: Record<string, string>): string | undefined {
  const root = tempFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const command = findTestCommand(root)
  return command && `${command.command} (${command.from})`
}

const manifest = (test: string): string => JSON.stringify({ scripts: { test } })

test("a package's test script runs with the manager that its lock file names", () => {
  const script = { 'package.json': manifest('vitest') }
  assert.equal(found(script), 'npm test (package.json)')
  assert.equal(found({ ...script, 'package-lock.json': '' }), 'npm test (package.json)')
  assert.equal(found({ ...script, 'pnpm-lock.yaml': '' }), 'pnpm test (package.json)')
  assert.equal(found({ ...script, 'yarn.lock': '' }), 'yarn test (package.json)')
  assert.equal(found({ ...script, 'bun.lockb': '' }), 'bun run test (package.json)')
})

test("npm's placeholder, a package without tests and a broken manifest are no test command", () => {
  assert.equal(found({ 'package.json': manifest('echo "Error: no test specified" && exit 1') }), undefined)
  assert.equal(found({ 'package.json': '{}' }), undefined)
  for (const shape of ['{', 'null', '[]', '"x"', '{"scripts":null}', '{"scripts":["test"]}', '{"scripts":{"test":5}}'])
    assert.equal(found({ 'package.json': shape }), undefined)
  assert.equal(found({ 'package.json': '{}', Makefile: 'test: build\n\tx\n' }), 'make test (Makefile)')
})

test('pytest is known by its settings or by its tests', () => {
  assert.equal(found({ 'pytest.ini': '' }), 'pytest (pytest.ini)')
  assert.equal(found({ 'pyproject.toml': '[tool.pytest.ini_options]\n' }), 'pytest (pyproject.toml)')
  assert.equal(found({ 'pyproject.toml': '[project]\n' }), undefined)
  assert.equal(found({ 'tests/test_login.py': '' }), 'pytest (tests/)')
  assert.equal(found({ 'tests/login.test.js': '' }), undefined)
  assert.equal(found({ 'pytest.ini': '', 'uv.lock': '' }), 'uv run pytest (pytest.ini)')
})

test('cargo, go and make', () => {
  assert.equal(found({ 'Cargo.toml': '' }), 'cargo test (Cargo.toml)')
  assert.equal(found({ 'go.mod': '' }), 'go test ./... (go.mod)')
  assert.equal(found({ Makefile: 'build:\n\ntest:\n\tx\n' }), 'make test (Makefile)')
  assert.equal(found({ Makefile: 'test := 5\nlatest:\n' }), undefined)
})

test('nothing is found in an empty folder', () => assert.equal(found({}), undefined))
