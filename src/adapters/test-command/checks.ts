/** The other commands that a project checks itself with: type check, linter, formatter, build, and its test runner for single files. */
import { jsonIn } from '../../core/text/json.ts'
import { managerOf, runnerOf, scriptNames, startedBy } from './javascript.ts'
import { lookInto, type ProjectLook } from './look.ts'
import { runBy } from './python.ts'

/** Command lines, as an agent may run them. */
export function findChecks(root: string): string[] {
  const look = lookInto(root)
  return [...new Set([javascript, python, byFile, targets].flatMap((find) => find(look)))]
}

/** Names of scripts, targets and tasks that check or build; what publishes or never ends is left out. */
const isCheck = (name: string): boolean =>
  /^(?:type-?check|check-?types?|types|tsc|lint|eslint|check|build|compile|format|fmt|vet|style|analy[sz]e|phpstan|tests?)(?:[:_-]|$)/.test(
    name,
  ) && !/publish|push|release|deploy|upload|watch|serve|dev\b/.test(name)

function javascript(look: ProjectLook): string[] {
  if (!look.has('package.json')) return []
  const manifest = jsonIn(look.text('package.json'))
  const manager = managerOf(manifest, look)
  const run = startedBy[manager]
  const scripts = scriptNames(manifest).filter(isCheck)
  const tools: [from: RegExp, program: string][] = [
    [/^tsconfig.*\.json$/, 'tsc'],
    [/^\.eslintrc|^eslint\.config\./, 'eslint'],
    [/^biome\.jsonc?$/, 'biome'],
    [/^\.prettierrc|^prettier\.config\./, 'prettier'],
    [/^\.oxlintrc\.json$/, 'oxlint'],
  ]
  const runner = runnerOf(manifest, manager, look)?.command
  return [
    ...scripts.map((name) => (name === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${name}`)),
    ...tools.filter(([file]) => look.entry('', file) !== undefined).map(([, program]) => `${run} ${program}`),
    ...(runner === undefined ? [] : [runner]),
  ]
}

function python(look: ProjectLook): string[] {
  const settings = ['pyproject.toml', 'setup.cfg', 'tox.ini', 'requirements-dev.txt', 'requirements.txt', 'Pipfile']
  const texts = settings.map(look.text).join('\n')
  const tools: [program: string, files: string[]][] = [
    ['mypy', ['mypy.ini', '.mypy.ini']],
    ['pyright', ['pyrightconfig.json']],
    ['ruff', ['ruff.toml', '.ruff.toml']],
    ['flake8', ['.flake8']],
    ['pylint', ['.pylintrc', 'pylintrc']],
    ['black', []],
    ['isort', ['.isort.cfg']],
  ]
  const run = runBy(look)
  const found = tools.filter(
    ([program, files]) => look.first(...files) || new RegExp(`^[^#\\n]*\\b${program}\\b`, 'm').test(texts),
  )
  return [
    ...found.map(([program]) => `${run}${program}`),
    ...(/\bpytest\b/.test(texts) || look.first('pytest.ini', 'conftest.py', 'tests/conftest.py') ? modules('pytest') : []),
    ...(look.entry('tests', /^test_.*\.py$/) ? modules('unittest') : []),
    ...(look.has('.pre-commit-config.yaml') ? ['pre-commit run'] : []),
  ]
}

const modules = (name: string): string[] => ['python', 'python3'].map((program) => `${program} -m ${name}`)

/** One file, some commands. */
const byFiles: [file: RegExp, ...commands: string[]][] = [
  [/^Cargo\.toml$/, 'cargo check', 'cargo clippy', 'cargo build', 'cargo fmt'],
  [/^go\.(?:mod|work)$/, 'go vet', 'go build', 'gofmt', 'go test'],
  [/^\.golangci\.\w+$/, 'golangci-lint run'],
  [/^deno\.jsonc?$/, 'deno check', 'deno lint', 'deno fmt'],
  [/^build\.sbt$/, 'sbt compile'],
  [/^\.rubocop\.yml$/, 'bundle exec rubocop', 'rubocop'],
  [/^phpstan\.(?:dist\.)?neon/, 'vendor/bin/phpstan analyse'],
  [/^\.?phpcs\.xml/, 'vendor/bin/phpcs'],
  [/^pint\.json$/, 'vendor/bin/pint'],
  [/\.slnx?$|\.(?:cs|fs|vb)proj$/, 'dotnet build', 'dotnet format'],
  [/^Package\.swift$/, 'swift build'],
  [/^\.swiftlint\.yml$/, 'swiftlint'],
  [/^mix\.exs$/, 'mix compile', 'mix format'],
  [/^\.credo\.exs$/, 'mix credo'],
  [/^pubspec\.yaml$/, 'dart analyze', 'dart format', 'flutter analyze'],
  [/^gleam\.toml$/, 'gleam check', 'gleam build', 'gleam format'],
  [/^rebar\.config$/, 'rebar3 compile'],
  [/^stack\.yaml$/, 'stack build'],
  [/^cabal\.project$|\.cabal$/, 'cabal build'],
  [/^dune-project$/, 'dune build'],
  [/^build\.zig$/, 'zig build'],
  [/\.nimble$/, 'nimble build'],
  [/^shard\.yml$/, 'crystal build'],
  [/^foundry\.toml$/, 'forge build', 'forge fmt'],
  [/^(?:MODULE|WORKSPACE)(?:\.bazel)?$/, 'bazel build'],
  [/^CMakeLists\.txt$/, 'cmake --build build', 'ctest'],
  [/^meson\.build$/, 'meson compile'],
]

function byFile(look: ProjectLook): string[] {
  const maven = look.has('mvnw') ? './mvnw' : 'mvn'
  const gradle = look.has('gradlew') ? './gradlew' : 'gradle'
  return [
    ...byFiles.flatMap(([file, ...commands]) => (look.entry('', file) === undefined ? [] : commands)),
    ...(look.has('pom.xml') ? ['compile', 'test', 'verify'].map((goal) => `${maven} ${goal}`) : []),
    ...(look.entry('', /^(?:build|settings)\.gradle(?:\.kts)?$/) === undefined
      ? []
      : ['build', 'check'].map((task) => `${gradle} ${task}`)),
  ]
}

/** Targets of make and its like, and scripts of Composer. */
function targets(look: ProjectLook): string[] {
  const files: [program: string, file: string | undefined, target: RegExp][] = [
    ['make', look.first('GNUmakefile', 'makefile', 'Makefile'), /^([\w-]+)\s*:(?!=)/gm],
    ['just', look.first('justfile', 'Justfile', '.justfile'), /^@?([\w-]+)\b[^:=\n]*:(?!=)/gm],
    ['task', look.first('Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'Taskfile.dist.yml'), /^ {2,4}([\w:-]+)\s*:/gm],
    ['mise run', look.first('mise.toml', '.mise.toml'), /^\[tasks\.([\w-]+)\]/gm],
  ]
  const ofComposer = scriptNames(jsonIn(look.text('composer.json'))).filter(isCheck)
  const named = files.flatMap(([program, file, target]) =>
    [...look.text(file).matchAll(target)]
      .map(([, name = '']) => name)
      .filter(isCheck)
      .map((name) => `${program} ${name}`),
  )
  return [...named, ...ofComposer.map((name) => `composer ${name}`)]
}
