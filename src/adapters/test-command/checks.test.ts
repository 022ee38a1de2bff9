import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { findChecks } from './checks.ts'

function found(files: Record<string, string>): string[] {
  const root = tempFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return findChecks(root)
}

test("a package's scripts that check or build are found, with its manager; none that publishes or never ends", () => {
  const scripts = {
    test: 'vitest run',
    'test:watch': 'vitest',
    'test:e2e': 'playwright test',
    typecheck: 'tsc',
    lint: 'eslint .',
    'lint:fix': 'eslint --fix .',
    build: 'vite build',
    'build:release': 'x',
    format: 'prettier .',
    dev: 'vite',
    deploy: 'x',
    postinstall: 'x',
  }
  const manifest = JSON.stringify({ scripts, devDependencies: { vitest: '3' } })
  assert.deepEqual(found({ 'package.json': manifest, 'pnpm-lock.yaml': '', 'tsconfig.json': '{}', 'eslint.config.js': '' }), [
    'pnpm test',
    'pnpm run test:e2e',
    'pnpm run typecheck',
    'pnpm run lint',
    'pnpm run lint:fix',
    'pnpm run build',
    'pnpm run format',
    'pnpm exec tsc',
    'pnpm exec eslint',
    'pnpm exec vitest run',
  ])
})

const others: [name: string, files: Record<string, string>, checks: string[]][] = [
  [
    'Python with uv',
    { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n[dependency-groups]\ndev = ["pytest"]\n', 'uv.lock': '' },
    ['uv run mypy', 'uv run ruff', 'python -m pytest', 'python3 -m pytest'],
  ],
  ['unittest and flake8', { '.flake8': '', 'tests/test_a.py': '' }, ['flake8', 'python -m unittest', 'python3 -m unittest']],
  ['Rust', { 'Cargo.toml': '' }, ['cargo check', 'cargo clippy', 'cargo build', 'cargo fmt']],
  ['Go', { 'go.mod': '', '.golangci.yml': '' }, ['go vet', 'go build', 'gofmt', 'go test', 'golangci-lint run']],
  ['Maven with a wrapper', { 'pom.xml': '', mvnw: '' }, ['./mvnw compile', './mvnw test', './mvnw verify']],
  ['Gradle', { 'build.gradle.kts': '', gradlew: '' }, ['./gradlew build', './gradlew check']],
  ['.NET', { 'Shop.sln': '' }, ['dotnet build', 'dotnet format']],
  [
    'Composer',
    { 'composer.json': '{"type":"project","scripts":{"lint":"phpcs","test":"x"}}' },
    ['composer lint', 'composer test'],
  ],
  ['make', { Makefile: 'build: a\n\nlint:\n\nrelease:\n\nCHECK := 1\n' }, ['make build', 'make lint']],
  ['just', { justfile: '@lint:\n  x\ncheck *args:\n  x\nserve:\n  x\n' }, ['just lint', 'just check']],
  ['Task', { 'Taskfile.yml': "version: '3'\ntasks:\n  lint:\n    cmds: [x]\n  deploy:\n    cmds: [x]\n" }, ['task lint']],
  ['nothing', {}, []],
  ['broken files', { 'package.json': '{', 'composer.json': '[' }, []],
]
for (const [name, files, checks] of others) test(`checks are found: ${name}`, () => assert.deepEqual(found(files), checks))
