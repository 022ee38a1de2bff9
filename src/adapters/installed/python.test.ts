import assert from 'node:assert/strict'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileClock, tempFolder } from '../../../test/support/folder.ts'
import {
  changedPython,
  editablePaths,
  hasPython,
  installedPython,
  isPythonProject,
  plantedInPython,
  watchCompiled,
} from './python.ts'

const site = '.venv/lib/python3.12/site-packages'

function project(t: TestContext, before: Record<string, string> = {}) {
  const top = tempFolder(t)
  const root = join(top, 'project')
  const put = (files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), text)
    }
  }
  put({ '.venv/pyvenv.cfg': '', '.venv/bin/activate': '', [`${site}/_pytest/runner.py`]: 'run()', ...before })
  const where = { root, env: { HOME: join(top, 'home'), PATH: '' }, since: fileClock(root) }
  const planted = (isImported = (_: string): boolean => false) =>
    plantedInPython(where, isImported).map(
      ({ rule, file = '', isCertain }) => `${rule}${isCertain ? '!' : ''} ${file.replace(`${site}/`, '')}`,
    )
  return { top, root, put, where, planted }
}

const packageOf = (
  name: string,
  more: { needs?: string[]; files?: string[]; entries?: string } = {},
): Record<string, string> => ({
  [`${site}/${name}-1.0.dist-info/METADATA`]: [
    `Name: ${name}`,
    ...(more.needs ?? []).map((one) => `Requires-Dist: ${one} (>=1)`),
    '',
  ].join('\n'),
  [`${site}/${name}-1.0.dist-info/RECORD`]: (more.files ?? []).map((file) => `${file},sha256=x,1\n`).join(''),
  ...(more.entries === undefined ? {} : { [`${site}/${name}-1.0.dist-info/entry_points.txt`]: more.entries }),
  ...Object.fromEntries((more.files ?? []).map((file) => [`${site}/${file}`, ''])),
})

test('a patched runner is evidence, a changed program of the environment a suspicion; what Python compiles is neither', (t) => {
  const { root, put, where } = project(t)
  symlinkSync('/usr/bin/python3', join(root, '.venv/bin/python'))
  const known = installedPython(where)
  assert.deepEqual([Object.keys(known), hasPython(known)], [[`${site}/_pytest`, '.venv/bin/activate', '.venv/bin/python'], true])
  put({ [`${site}/_pytest/__pycache__/runner.cpython-312.pyc`]: 'x', [`${site}/other/a.py`]: '' })
  assert.deepEqual(changedPython(known, where), [])
  rmSync(join(root, '.venv/bin/python'))
  put({ [`${site}/_pytest/runner.py`]: 'pass', '.venv/bin/python': '#!/bin/sh' })
  assert.deepEqual(
    changedPython(known, where).map(({ file, isCertain }) => [file, isCertain === true]),
    [
      [`${site}/_pytest`, true],
      ['.venv/bin/python', false],
    ],
  )
})

test('what Python compiled of a runner has no reason to change without it', (t) => {
  const compiled = `${site}/_pytest/__pycache__/runner.cpython-312.pyc`
  const { put, where } = project(t, { [compiled]: 'a' })
  const changed = watchCompiled(where)
  put({ [`${site}/_pytest/__pycache__/more.cpython-312.pyc`]: 'new' })
  assert.deepEqual(changed(), [])
  put({ [compiled]: 'b' })
  assert.deepEqual(
    changed().map(({ file }) => file),
    [compiled],
  )
  put({ [`${site}/_pytest/runner.py`]: 'newer()' })
  assert.deepEqual(changed(), [])
})

test('files that run when Python starts, runners and plugins that nobody asked for are evidence; a module of no package is a suspicion', (t) => {
  const { put, planted } = project(t, { [`${site}/old.py`]: '' })
  assert.deepEqual(planted(), [])
  put({
    [`${site}/a.pth`]: 'import quiet\n',
    [`${site}/b.pth`]: '/elsewhere\n',
    [`${site}/sitecustomize.py`]: '',
    [`${site}/pytest/__init__.py`]: '',
    [`${site}/cart_core.py`]: '',
    ...packageOf('quiet', { files: ['quiet.py'], entries: '[pytest11]\nquiet = quiet\n' }),
    ...packageOf('tool', { files: ['tool.py'] }),
  })
  assert.deepEqual(planted(), [
    'environment-changed! a.pth',
    'environment-changed cart_core.py',
    'runner-shadowed! pytest',
    'environment-changed! sitecustomize.py',
    'runner-shadowed! quiet-1.0.dist-info',
  ])
  assert.deepEqual(
    planted((module) => module === 'tool').filter((line) => line.includes('tool')),
    ['environment-changed tool-1.0.dist-info'],
  )
})

test('what a file of the project asks for, and what that needs, may come with all of it', (t) => {
  const { put, planted } = project(t)
  put({
    'requirements/dev.txt': 'Pytest_Cov>=1\n',
    ...packageOf('pytest-cov', { files: ['pytest_cov', 'pytest-cov.pth'], needs: ['coverage'], entries: '[pytest11]\na = b\n' }),
    [`${site}/pytest-cov.pth`]: 'import os\n',
    ...packageOf('coverage', { files: ['coverage'], entries: '[pytest11]\n' }),
  })
  assert.deepEqual(
    planted(() => true),
    [],
  )
})

test('the folders from which a project is installed into an environment are known', (t) => {
  const { root, put, where } = project(t)
  put({
    [`${site}/__editable__.shop-1.pth`]: `${root}/src\n/elsewhere\n`,
    [`${site}/__editable___other_1_finder.py`]: `MAPPING = {'other': '${root}/lib/other'}\n`,
    [`${site}/old.egg-link`]: `${root}\n.`,
  })
  assert.deepEqual(editablePaths(where).sort(), [root, `${root}/lib`, `${root}/src`])
})

test('only a project that runs Python has its packages looked at', (t) => {
  const { root, put } = project(t)
  assert.deepEqual(
    [isPythonProject(root, ['npm']), isPythonProject(root, ['.venv/bin/python']), isPythonProject(root, ['pytest'])],
    [false, true, true],
  )
  put({ 'pyproject.toml': '' })
  assert.equal(isPythonProject(root, ['make']), true)
})
