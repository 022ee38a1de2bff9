/** The test command of a Python project: pytest, tox, nox, Django or unittest, by the manager of its environment. */
import type { Finder, ProjectLook, TestCommand } from './look.ts'

export const python: Finder = (look) => {
  const found = pytest(look) ?? sessions(look) ?? django(look) ?? byFiles(look)
  const command = found?.command === 'pytest' && importsFromRoot(look) ? 'python -m pytest' : found?.command
  return found && { ...found, command: `${found.isOwn ? '' : runBy(look)}${command}` }
}

/** Modules beside the folder of tests: pytest alone does not find them, python -m pytest does. */
function importsFromRoot(look: ProjectLook): boolean {
  const folder = ['tests', 'test'].find((name) => look.has(name))
  if (folder === undefined || look.has('conftest.py') || look.has(`${folder}/__init__.py`)) return false
  if (['pyproject.toml', 'pytest.ini', 'setup.cfg', 'tox.ini'].some((name) => /^\s*pythonpath\b/m.test(look.text(name))))
    return false
  const text = look.text(look.below(folder, testFile))
  const imported = [...text.matchAll(/^\s*(?:from|import)\s+(\w+)/gm)].map(([, name = '']) => name)
  return imported.some((name) => look.has(`${name}.py`) || look.has(`${name}/__init__.py`))
}

const testFile = /^test_.*\.py$|_test\.py$/

/** The names that lists of requirements have. */
const requirements = ['requirements-dev', 'requirements-test', 'requirements_dev', 'dev-requirements', 'test-requirements']
  .concat('requirements/dev', 'requirements/test', 'requirements/tests', 'requirements')
  .map((name) => `${name}.txt`)

/** `isOwn`: it makes an environment of its own. */
type PythonCommand = TestCommand & { isOwn?: true }

const managers: [file: string, run: string][] = [
  ['uv.lock', 'uv run '],
  ['poetry.lock', 'poetry run '],
  ['pdm.lock', 'pdm run '],
  ['Pipfile', 'pipenv run '],
  ['pixi.toml', 'pixi run '],
]

export const runBy = (look: ProjectLook): string => managers.find(([file]) => look.has(file))?.[1] ?? ''

function pytest(look: ProjectLook): PythonCommand | undefined {
  const from =
    look.first('pytest.ini', 'conftest.py', 'tests/conftest.py', 'test/conftest.py') ??
    ['pyproject.toml', 'setup.cfg', 'Pipfile', ...requirements].find((name) => /^[^#\n]*\bpytest\b/m.test(look.text(name))) ??
    (/^\[pytest\]/m.test(look.text('tox.ini')) ? 'tox.ini' : undefined)
  return from === undefined ? undefined : { command: 'pytest', from }
}

function sessions(look: ProjectLook): PythonCommand | undefined {
  if (look.has('tox.ini') || look.has('tox.toml') || /^\[tool\.tox/m.test(look.text('pyproject.toml')))
    return { command: 'tox', from: look.first('tox.ini', 'tox.toml') ?? 'pyproject.toml', isOwn: true }
  if (look.has('noxfile.py')) return { command: 'nox', from: 'noxfile.py', isOwn: true }
  if (/^\[tool\.hatch\.envs/m.test(look.text('pyproject.toml')))
    return { command: 'hatch test', from: 'pyproject.toml', isOwn: true }
  return undefined
}

const django = (look: ProjectLook): PythonCommand | undefined =>
  look.has('manage.py') ? { command: 'python manage.py test', from: 'manage.py' } : undefined

/** Test files without settings: pytest runs both kinds, but needs to be installed. */
function byFiles(look: ProjectLook): PythonCommand | undefined {
  const folder = ['tests', 'test'].find((name) => look.below(name, testFile) !== undefined)
  const file = folder === undefined ? look.entry('', testFile) : look.below(folder, testFile)
  if (file === undefined) return undefined
  const from = folder === undefined ? file : `${folder}/`
  const isUnittest = /^\s*(?:import unittest|from unittest)/m.test(look.text(file)) && !/\bpytest\b/.test(look.text(file))
  const discover = folder === undefined ? '' : ` discover -s ${folder} -t .`
  return isUnittest ? { command: `python3 -m unittest${discover}`, from } : { command: 'pytest', from }
}
