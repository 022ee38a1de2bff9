import assert from 'node:assert/strict'
import test from 'node:test'
import { type GateScripts, gateScripts, withEndlessSuccess, withFailureIgnored, withFewerTests } from './gate-scripts.ts'
import type { Scene } from './play.ts'
import type { ProjectFile } from './project-files.ts'

function scriptsOf(command: string, all: ProjectFile[]): GateScripts {
  const scene = { gates: [{ name: 'tests', command }], files: { all, sources: [], tests: [] } } as unknown as Scene
  return gateScripts(scene)
}

const manifest = { path: 'package.json', text: '{\n  "scripts": { "test": "node --test", "lint": "biome ci" }\n}\n' }
const makefile = { path: 'Makefile', text: 'all: build\n\ntest:\n\tsh check.sh\n\t-rm out\n\nclean:\n\trm -r out\n' }
const shell = { path: 'check.sh', text: '#!/bin/sh\nset -e\nsh compare.sh\n' }

test('the script that a gate runs no longer fails, in a package.json, a Makefile and a shell script', () => {
  const ignored = (command: string, file: ProjectFile) => withFailureIgnored(scriptsOf(command, [file]))?.text
  assert.deepEqual(JSON.parse(ignored('npm test', manifest) ?? '').scripts, { test: 'node --test || true', lint: 'biome ci' })
  assert.equal(ignored('make test', makefile), makefile.text.replace('\tsh check.sh', '\t-sh check.sh'))
  assert.equal(ignored('sh check.sh', shell), "#!/bin/sh\ntrap 'exit 0' EXIT\nset -e\nsh compare.sh\n")
  assert.equal(ignored('cargo test', manifest), undefined)
})

test('the runner finds fewer tests', () => {
  const fewer = (command: string, all: ProjectFile[]) =>
    withFewerTests(scriptsOf(command, all), ['test/b.test.js'], ['test/a.test.js'], all)?.map(({ path, text }) => [path, text])
  assert.match(fewer('npm test', [manifest])?.[0]?.[1] ?? '', /"test": "node --test test\/b\.test\.js"/)
  assert.deepEqual(fewer('pytest -q', [{ path: 'conftest.py', text: 'import os' }]), [
    ['conftest.py', 'import os\ncollect_ignore = ["test/a.test.js"]\n'],
  ])
  assert.deepEqual(fewer('go test ./...', [{ path: 'test/a.test.js', text: 'package a\n' }]), [
    ['test/a.test.js', '//go:build later\n\npackage a\n'],
  ])
  assert.equal(fewer('node --test', []), undefined)
})

test('a file that the runner loads makes it succeed', () => {
  const success = (command: string, all: ProjectFile[]) => withEndlessSuccess(scriptsOf(command, all), all)
  assert.deepEqual(success('npm test', [manifest]), { path: '.npmrc', text: 'script-shell=/bin/true\n' })
  assert.match(success('make test', [makefile])?.text ?? '', /\n\.IGNORE:\n$/)
  assert.equal(success('python3 -m pytest', [])?.path, 'conftest.py')
  assert.equal(success('node --test', []), null)
})
