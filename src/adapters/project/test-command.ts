/** Finds the command that runs a project's tests. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { isText, jsonIn, recordOf } from '../../core/text/json.ts'
import { readIfThere } from '../files/files.ts'

export type TestCommand = { command: string /** where it was found */; from: string }

/** The first one that the project's files suggest; undefined: none. */
export function findTestCommand(root: string): TestCommand | undefined {
  const has = (name: string): boolean => existsSync(join(root, name))
  const text = (name: string): string => readIfThere(join(root, name)) ?? ''
  const npm = npmCommand(text('package.json'), has)
  if (npm !== undefined) return { command: npm, from: 'package.json' }
  const pytest = pytestSign(root, has, text)
  if (pytest !== undefined)
    return { command: `${has('uv.lock') ? 'uv run ' : has('poetry.lock') ? 'poetry run ' : ''}pytest`, from: pytest }
  if (has('Cargo.toml')) return { command: 'cargo test', from: 'Cargo.toml' }
  if (has('go.mod')) return { command: 'go test ./...', from: 'go.mod' }
  const makefile = ['GNUmakefile', 'makefile', 'Makefile'].find((name) => /^test\s*:(?!=)/m.test(text(name)))
  return makefile === undefined ? undefined : { command: 'make test', from: makefile }
}

function npmCommand(manifest: string, has: (name: string) => boolean): string | undefined {
  const script = scriptIn(jsonIn(manifest), 'test')
  // `npm init` writes a placeholder that always fails.
  if (script === undefined || /no test specified/.test(script)) return undefined
  if (has('pnpm-lock.yaml')) return 'pnpm test'
  if (has('yarn.lock')) return 'yarn test'
  if (has('bun.lock') || has('bun.lockb')) return 'bun run test'
  return 'npm test'
}

/** Of a package.json, whatever it holds. */
export function scriptIn(manifest: unknown, name: string): string | undefined {
  const script = recordOf(recordOf(manifest)['scripts'])[name]
  return isText(script) ? script : undefined
}

function pytestSign(root: string, has: (name: string) => boolean, text: (name: string) => string): string | undefined {
  const file =
    ['pytest.ini', 'conftest.py'].find(has) ??
    ['pyproject.toml', 'setup.cfg', 'tox.ini'].find((name) => /pytest/.test(text(name)))
  if (file !== undefined) return file
  const folder = ['tests', 'test'].find((name) =>
    filesIn(join(root, name)).some((entry) => /^test_.*\.py$|_test\.py$/.test(entry)),
  )
  return folder === undefined ? undefined : `${folder}/`
}

const filesIn = (folder: string): string[] => tried(() => readdirSync(folder), [])
