import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { findInFolders, findTestCommand } from './find.ts'

function folderWith(files: Record<string, string>): string {
  const root = tempFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

function found(files: Record<string, string>): string | undefined {
  const command = findTestCommand(folderWith(files), {})
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

test('pytest is started by python where the tests import modules beside their folder, unless something else finds these', () => {
  const flat = { 'pytest.ini': '', 'shop.py': '', 'tests/test_shop.py': 'import os\nfrom shop import add\n' }
  assert.equal(found(flat), 'python -m pytest (pytest.ini)')
  assert.equal(found({ ...flat, 'uv.lock': '' }), 'uv run python -m pytest (pytest.ini)')
  assert.equal(found({ 'shop/__init__.py': '', 'tests/test_a.py': 'import shop.cart\n' }), 'python -m pytest (tests/)')
  const others: Record<string, string>[] = [
    { 'conftest.py': '' },
    { 'tests/__init__.py': '' },
    { 'pytest.ini': '[pytest]\npythonpath = .\n' },
  ]
  for (const other of others) assert.equal(found({ ...flat, ...other }), 'pytest (pytest.ini)', Object.keys(other).join())
  assert.equal(found({ 'src/shop/__init__.py': '', 'tests/test_a.py': 'import shop\nimport pytest\n' }), 'pytest (tests/)')
})

test('a program that is installed under its other name only is called by that', () => {
  const bin = tempFolder()
  const install = (name: string): void => writeFileSync(join(bin, name), '#!/bin/sh\n', { mode: 0o755 })
  const inPytest = folderWith({ 'pytest.ini': '' })
  const inDjango = folderWith({ 'manage.py': '' })
  const commands = (): (string | undefined)[] => [inPytest, inDjango].map((root) => findTestCommand(root, { PATH: bin })?.command)
  assert.deepEqual(commands(), ['pytest', 'python manage.py test'])
  install('pytest-3')
  install('python3')
  assert.deepEqual(commands(), ['pytest-3', 'python3 manage.py test'])
  install('pytest')
  install('python')
  assert.deepEqual(commands(), ['pytest', 'python manage.py test'])
})

test('cargo, go and make', () => {
  assert.equal(found({ 'Cargo.toml': '' }), 'cargo test (Cargo.toml)')
  assert.equal(found({ 'go.mod': '' }), 'go test ./... (go.mod)')
  assert.equal(found({ Makefile: 'build:\n\ntest:\n\tx\n' }), 'make test (Makefile)')
  assert.equal(found({ Makefile: 'test := 5\nlatest:\n' }), undefined)
})

test('nothing is found in an empty folder', () => assert.equal(found({}), undefined))

const json = (value: object): string => JSON.stringify(value)
const setUps: Record<string, { files: Record<string, string>; command: string }> = {
  'test:unit instead of test': {
    files: { 'package.json': json({ scripts: { 'test:unit': 'x' } }) },
    command: 'npm run test:unit (package.json)',
  },
  'the packageManager field': {
    files: { 'package.json': json({ packageManager: 'pnpm@9.1.0', scripts: { test: 'x' } }), 'package-lock.json': '' },
    command: 'pnpm test (package.json)',
  },
  'vitest without a script': {
    files: { 'package.json': json({ devDependencies: { vitest: '3' } }) },
    command: 'npx vitest run (package.json)',
  },
  'vitest by its settings, with pnpm': {
    files: { 'package.json': '{}', 'vitest.config.ts': '', 'pnpm-lock.yaml': '' },
    command: 'pnpm exec vitest run (vitest.config.ts)',
  },
  'jest without a script': {
    files: { 'package.json': json({ devDependencies: { jest: '30' } }) },
    command: 'npx jest (package.json)',
  },
  'mocha by its settings': { files: { 'package.json': '{}', '.mocharc.yml': '' }, command: 'npx mocha (.mocharc.yml)' },
  ava: {
    files: { 'package.json': json({ devDependencies: { ava: '6' } }), 'yarn.lock': '' },
    command: 'yarn ava (package.json)',
  },
  'playwright alone': {
    files: { 'package.json': '{}', 'playwright.config.ts': '' },
    command: 'npx playwright test (playwright.config.ts)',
  },
  'node:test without a script': {
    files: { 'package.json': '{}', 'test/a.test.js': '' },
    command: 'node --test (test/a.test.js)',
  },
  'bun without a script': {
    files: { 'package.json': '{}', 'bun.lock': '', 'src/a.test.tsx': '' },
    command: 'bun test (src/a.test.tsx)',
  },
  'npm workspaces': {
    files: { 'package.json': json({ workspaces: ['packages/*'] }) },
    command: 'npm test --workspaces --if-present (package.json (workspaces))',
  },
  'pnpm workspaces': {
    files: { 'package.json': '{}', 'pnpm-workspace.yaml': '' },
    command: 'pnpm --recursive --if-present test (pnpm-workspace.yaml)',
  },
  'yarn workspaces of version 1': {
    files: { 'package.json': json({ workspaces: ['a'] }), 'yarn.lock': '' },
    command: 'yarn workspaces run test (package.json (workspaces))',
  },
  turbo: {
    files: { 'package.json': json({ workspaces: ['a'] }), 'turbo.json': json({ tasks: { test: {} } }) },
    command: 'npx turbo run test (turbo.json)',
  },
  nx: { files: { 'package.json': '{}', 'nx.json': '{}' }, command: 'npx nx run-many -t test (nx.json)' },
  lerna: { files: { 'package.json': '{}', 'lerna.json': '{}' }, command: 'npx lerna run test (lerna.json)' },
  deno: { files: { 'deno.json': '{}' }, command: 'deno test (deno.json)' },
  'a task of deno': { files: { 'deno.json': json({ tasks: { test: 'deno test -A' } }) }, command: 'deno task test (deno.json)' },
  tox: { files: { 'tox.ini': '[testenv]\ncommands = python -m app.selftest\n' }, command: 'tox (tox.ini)' },
  'pytest in tox.ini': { files: { 'tox.ini': '[pytest]\naddopts = -q\n' }, command: 'pytest (tox.ini)' },
  nox: { files: { 'noxfile.py': '' }, command: 'nox (noxfile.py)' },
  hatch: { files: { 'pyproject.toml': '[tool.hatch.envs.test]\n' }, command: 'hatch test (pyproject.toml)' },
  Django: { files: { 'manage.py': '' }, command: 'python manage.py test (manage.py)' },
  'Django with pytest': { files: { 'manage.py': '', 'pytest.ini': '' }, command: 'pytest (pytest.ini)' },
  unittest: {
    files: { 'tests/test_a.py': 'import unittest\n' },
    command: 'python3 -m unittest discover -s tests -t . (tests/)',
  },
  'pytest as a requirement, with poetry': {
    files: { 'requirements-dev.txt': 'pytest==8\n', 'poetry.lock': '' },
    command: 'poetry run pytest (requirements-dev.txt)',
  },
  'pytest with pdm': { files: { 'conftest.py': '', 'pdm.lock': '' }, command: 'pdm run pytest (conftest.py)' },
  pipenv: { files: { Pipfile: '[dev-packages]\npytest = "*"\n' }, command: 'pipenv run pytest (Pipfile)' },
  'a workspace of crates': { files: { 'Cargo.toml': '[workspace]\n' }, command: 'cargo test --workspace (Cargo.toml)' },
  nextest: { files: { 'Cargo.toml': '', '.config/nextest.toml': '' }, command: 'cargo nextest run (.config/nextest.toml)' },
  'a workspace of Go': { files: { 'go.work': '' }, command: "go list -f '{{.Dir}}/...' -m | xargs go test (go.work)" },
  Maven: { files: { 'pom.xml': '' }, command: 'mvn --batch-mode test (pom.xml)' },
  'Maven with a wrapper': { files: { 'pom.xml': '', mvnw: '' }, command: './mvnw --batch-mode test (pom.xml)' },
  Gradle: { files: { 'build.gradle': '' }, command: 'gradle test (build.gradle)' },
  'Gradle with a wrapper': { files: { 'build.gradle.kts': '', gradlew: '' }, command: './gradlew test (build.gradle.kts)' },
  sbt: { files: { 'build.sbt': '' }, command: 'sbt test (build.sbt)' },
  Ant: { files: { 'build.xml': '<target name="test">' }, command: 'ant test (build.xml)' },
  Leiningen: { files: { 'project.clj': '' }, command: 'lein test (project.clj)' },
  RSpec: { files: { Gemfile: '', 'spec/a_spec.rb': '' }, command: 'bundle exec rspec (spec/)' },
  'RSpec without bundler': { files: { '.rspec': '' }, command: 'rspec (.rspec)' },
  Rails: {
    files: { Gemfile: '', 'bin/rails': '', 'test/models/a_test.rb': '', Rakefile: '' },
    command: 'bin/rails test (bin/rails)',
  },
  Rake: { files: { Rakefile: 'Rake::TestTask.new\n' }, command: 'rake test (Rakefile)' },
  PHPUnit: { files: { 'phpunit.xml.dist': '' }, command: 'vendor/bin/phpunit (phpunit.xml.dist)' },
  'PHPUnit as a requirement': {
    files: { 'composer.json': json({ 'require-dev': { 'phpunit/phpunit': '^11' } }) },
    command: 'vendor/bin/phpunit (composer.json)',
  },
  Composer: {
    files: { 'composer.json': json({ scripts: { test: 'phpunit' } }), 'phpunit.xml': '' },
    command: 'composer test (composer.json)',
  },
  Pest: { files: { 'composer.json': '{}', 'tests/Pest.php': '' }, command: 'vendor/bin/pest (tests/Pest.php)' },
  Laravel: { files: { 'composer.json': '{}', artisan: '' }, command: 'php artisan test (artisan)' },
  'a solution of .NET': { files: { 'Shop.sln': '' }, command: 'dotnet test (Shop.sln)' },
  'a project of .NET': { files: { 'Shop.csproj': '' }, command: 'dotnet test (Shop.csproj)' },
  Swift: { files: { 'Package.swift': '' }, command: 'swift test (Package.swift)' },
  Mix: { files: { 'mix.exs': '' }, command: 'mix test (mix.exs)' },
  rebar3: { files: { 'rebar.config': '' }, command: 'rebar3 eunit (rebar.config)' },
  Gleam: { files: { 'gleam.toml': '' }, command: 'gleam test (gleam.toml)' },
  Dart: { files: { 'pubspec.yaml': 'name: a\n' }, command: 'dart test (pubspec.yaml)' },
  Flutter: { files: { 'pubspec.yaml': 'dependencies:\n  flutter:\n    sdk: flutter\n' }, command: 'flutter test (pubspec.yaml)' },
  Stack: { files: { 'stack.yaml': '' }, command: 'stack test (stack.yaml)' },
  Cabal: { files: { 'a.cabal': '' }, command: 'cabal test (a.cabal)' },
  Dune: { files: { 'dune-project': '' }, command: 'dune test (dune-project)' },
  Zig: { files: { 'build.zig': '' }, command: 'zig build test (build.zig)' },
  Nimble: { files: { 'a.nimble': '' }, command: 'nimble test (a.nimble)' },
  Crystal: { files: { 'shard.yml': '' }, command: 'crystal spec (shard.yml)' },
  Foundry: { files: { 'foundry.toml': '' }, command: 'forge test (foundry.toml)' },
  Bazel: { files: { 'MODULE.bazel': '' }, command: 'bazel test //... (MODULE.bazel)' },
  Perl: { files: { 't/a.t': '' }, command: 'prove -lr t (t/)' },
  Julia: { files: { 'test/runtests.jl': '' }, command: "julia --project -e 'using Pkg; Pkg.test()' (test/runtests.jl)" },
  CMake: {
    files: { 'CMakeLists.txt': 'enable_testing()\n' },
    command: 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure (CMakeLists.txt)',
  },
  Meson: { files: { 'meson.build': '' }, command: 'test -d build || meson setup build; meson test -C build (meson.build)' },
  just: { files: { justfile: 'build:\n  x\ntest *args:\n  x\n' }, command: 'just test (justfile)' },
  Task: { files: { 'Taskfile.yml': 'tasks:\n  test:\n    cmds: [x]\n' }, command: 'task test (Taskfile.yml)' },
  mise: { files: { 'mise.toml': '[tasks.test]\nrun = "x"\n' }, command: 'mise run test (mise.toml)' },
  'a script that would watch, beside one that does not': {
    files: { 'package.json': json({ scripts: { test: 'jest --watch', 'test:ci': 'jest --ci' } }) },
    command: 'npm run test:ci (package.json)',
  },
  'only a script that would watch': {
    files: { 'package.json': json({ scripts: { test: 'vitest watch' }, devDependencies: { vitest: '3' } }) },
    command: 'npx vitest run (package.json)',
  },
  'Create React App': {
    files: { 'package.json': json({ scripts: { test: 'react-scripts test' } }) },
    command: 'CI=true npm test (package.json)',
  },
  Angular: {
    files: { 'package.json': json({ scripts: { test: 'ng test' } }), 'angular.json': '{}' },
    command: 'npm test -- --watch=false (package.json)',
  },
  'Angular with yarn': {
    files: { 'package.json': json({ scripts: { test: 'ng test' } }), 'yarn.lock': '' },
    command: 'yarn test --watch=false (package.json)',
  },
  'just, with a default': { files: { justfile: 'test filter="":\n  x\n' }, command: 'just test (justfile)' },
  'one recipe for several targets': { files: { Makefile: 'lint test: build\n\tx\n' }, command: 'make test (Makefile)' },
  'make check': { files: { Makefile: 'check: all\n\tx\n' }, command: 'make check (Makefile)' },
  'a script': { files: { 'scripts/test.sh': '#!/usr/bin/env bash\n' }, command: 'bash scripts/test.sh (scripts/test.sh)' },
  bats: { files: { 'test/a.bats': '' }, command: 'bats test (test/)' },
  tap: { files: { 'package.json': '{}', '.taprc': '' }, command: 'npx tap (.taprc)' },
  jasmine: {
    files: { 'package.json': json({ devDependencies: { jasmine: '5' } }) },
    command: 'npx jasmine (package.json)',
  },
  Hardhat: { files: { 'package.json': '{}', 'hardhat.config.ts': '' }, command: 'npx hardhat test (hardhat.config.ts)' },
  'yarn workspaces of later versions': {
    files: { 'package.json': json({ workspaces: ['a'] }), 'yarn.lock': '', '.yarnrc.yml': '' },
    command: 'yarn workspaces foreach --all run test (package.json (workspaces))',
  },
  'workspaces of bun': {
    files: { 'package.json': json({ workspaces: ['a'] }), 'bun.lock': '' },
    command: "bun run --filter '*' test (package.json (workspaces))",
  },
  'tox in its own format': { files: { 'tox.toml': '' }, command: 'tox (tox.toml)' },
  'pytest with pixi': { files: { 'pytest.ini': '', 'pixi.toml': '' }, command: 'pixi run pytest (pytest.ini)' },
  'pytest in setup.cfg': { files: { 'setup.cfg': '[tool:pytest]\n' }, command: 'pytest (setup.cfg)' },
  'pytest among requirements in a folder': {
    files: { 'requirements/test.txt': 'pytest>=8\n' },
    command: 'pytest (requirements/test.txt)',
  },
  'pytest among requirements for tests': {
    files: { 'requirements-test.txt': 'pytest>=8\n' },
    command: 'pytest (requirements-test.txt)',
  },
  Mill: { files: { 'build.mill': '' }, command: 'mill __.test (build.mill)' },
  'Clojure with deps.edn': { files: { 'deps.edn': '{:aliases {:test {}}}' }, command: 'clojure -X:test (deps.edn)' },
  'Ruby without Rake': {
    files: { 'test/cart_test.rb': '' },
    command: `ruby -Itest -e 'Dir["./test/**/*_test.rb"].each { |file| require file }' (test/)`,
  },
  'Perl with a Makefile.PL': { files: { 'Makefile.PL': '' }, command: 'prove -lr t (Makefile.PL)' },
  'Bazel by its older file': { files: { WORKSPACE: '' }, command: 'bazel test //... (WORKSPACE)' },
  busted: { files: { '.busted': '' }, command: 'busted (.busted)' },
  'a package of R': {
    files: { DESCRIPTION: '', 'tests/testthat/test-a.R': '' },
    command: "Rscript -e 'devtools::test()' (tests/testthat)",
  },
  'cargo-make': { files: { 'Makefile.toml': '[tasks.test]\n' }, command: 'cargo make test (Makefile.toml)' },
}

for (const [name, { files, command }] of Object.entries(setUps))
  test(`the test command is found: ${name}`, () => assert.equal(found(files), command))

test('folders of a project that has no test command of its own are named with theirs', () => {
  const root = folderWith({
    'web/package.json': manifest('vitest'),
    'packages/api/pyproject.toml': '[tool.pytest.ini_options]\n',
    'docs/Makefile': 'test:\n',
    'node_modules/x/package.json': manifest('x'),
    'empty/readme.md': '',
  })
  assert.equal(findTestCommand(root, {}), undefined)
  assert.deepEqual(findInFolders(root, {}), [
    { folder: 'web', command: 'npm test', from: 'package.json' },
    { folder: 'packages/api', command: 'pytest', from: 'pyproject.toml' },
  ])
})
