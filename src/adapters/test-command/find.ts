/** Finds the command that runs a project's tests: what its files suggest, language by language, then what build tools and scripts are called. */
import { join } from 'node:path'
import { asInstalled } from './installed.ts'
import { javascript } from './javascript.ts'
import { type Finder, lookInto, type TestCommand, where } from './look.ts'
import { python } from './python.ts'

type Env = Record<string, string | undefined>

/** The first one that the project's files suggest, as this machine can start it; undefined: none. */
export function findTestCommand(root: string, env: Env): TestCommand | undefined {
  const look = lookInto(root)
  for (const find of finders) {
    const found = find(look)
    if (found !== undefined) return { ...found, command: asInstalled(found.command, root, env) }
  }
  return undefined
}

/** Packages in folders of a project that has no test command of its own, with theirs. */
export function findInFolders(root: string, env: Env): (TestCommand & { folder: string })[] {
  const look = lookInto(root)
  const isPlain = (name: string): boolean => !/^\.|^(?:node_modules|vendor|target|build|dist|docs?|examples?)$/.test(name)
  const inside = (folder: string): string[] =>
    lookInto(join(root, folder))
      .names('')
      .filter(isPlain)
      .map((name) => (folder === '' ? name : `${folder}/${name}`))
  const groups = ['packages', 'apps', 'services', 'libs', 'modules', 'crates'].filter(look.has)
  return [...inside(''), ...groups.flatMap(inside)]
    .filter((folder) => !groups.includes(folder))
    .flatMap((folder) => {
      const found = findTestCommand(join(root, folder), env)
      return found === undefined || /\/$/.test(found.from) ? [] : [{ folder, ...found }]
    })
}

const rust: Finder = (look) => {
  if (!look.has('Cargo.toml')) return undefined
  if (look.has('.config/nextest.toml')) return { command: 'cargo nextest run', from: '.config/nextest.toml' }
  const isWorkspace = /^\[workspace\]/m.test(look.text('Cargo.toml'))
  return { command: `cargo test${isWorkspace ? ' --workspace' : ''}`, from: 'Cargo.toml' }
}

const go: Finder = (look) =>
  where(look.first('go.mod'), 'go test ./...') ?? where(look.first('go.work'), "go list -f '{{.Dir}}/...' -m | xargs go test")

const jvm: Finder = (look) => {
  const gradle = look.first('build.gradle.kts', 'build.gradle', 'settings.gradle.kts', 'settings.gradle')
  const ant = /<target[^>]*name="test"/.test(look.text('build.xml')) ? 'build.xml' : undefined
  return (
    where(look.first('pom.xml'), `${look.has('mvnw') ? './mvnw' : 'mvn'} --batch-mode test`) ??
    where(gradle, `${look.has('gradlew') ? './gradlew' : 'gradle'} test`) ??
    where(look.first('build.sbt'), 'sbt test') ??
    where(look.first('build.mill', 'build.sc'), 'mill __.test') ??
    where(ant, 'ant test') ??
    where(look.first('project.clj'), 'lein test') ??
    where(/:test\b/.test(look.text('deps.edn')) ? 'deps.edn' : undefined, 'clojure -X:test')
  )
}

const ruby: Finder = (look) => {
  const bundle = look.has('Gemfile') ? 'bundle exec ' : ''
  const rakefile = look.first('Rakefile', 'rakefile', 'Rakefile.rb')
  const spec = look.first('.rspec') ?? (look.below('spec', /_spec\.rb$/) === undefined ? undefined : 'spec/')
  const isTested = look.below('test', /_test\.rb$|^test_.*\.rb$/) !== undefined
  return (
    where(spec, `${bundle}rspec`) ??
    where(isTested ? look.first('bin/rails') : undefined, 'bin/rails test') ??
    where(rakefile, /\btest\b|TestTask/i.test(look.text(rakefile)) ? `${bundle}rake test` : `${bundle}rake`) ??
    where(isTested ? 'test/' : undefined, `${bundle}ruby -Itest -e 'Dir["./test/**/*_test.rb"].each { |file| require file }'`)
  )
}

const php: Finder = (look) => {
  const composer = look.text('composer.json')
  const phpunit = look.first('phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml')
  return (
    where(/"scripts"\s*:\s*\{[^}]*"test"\s*:/.test(composer) ? 'composer.json' : undefined, 'composer test') ??
    where(look.first('artisan'), 'php artisan test') ??
    where(look.first('tests/Pest.php'), 'vendor/bin/pest') ??
    where(phpunit ?? (/"phpunit\/phpunit"/.test(composer) ? 'composer.json' : undefined), 'vendor/bin/phpunit')
  )
}

const dart: Finder = (look) =>
  look.has('pubspec.yaml')
    ? { command: /^\s*flutter\s*:/m.test(look.text('pubspec.yaml')) ? 'flutter test' : 'dart test', from: 'pubspec.yaml' }
    : undefined

/** One file, one command. */
const byFile: [file: RegExp, command: string][] = [
  [/\.slnx?$|\.(?:cs|fs|vb)proj$/, 'dotnet test'],
  [/^Package\.swift$/, 'swift test'],
  [/^mix\.exs$/, 'mix test'],
  [/^rebar\.config$/, 'rebar3 eunit'],
  [/^gleam\.toml$/, 'gleam test'],
  [/^stack\.yaml$/, 'stack test'],
  [/^cabal\.project$|\.cabal$/, 'cabal test'],
  [/^dune-project$/, 'dune test'],
  [/^build\.zig$/, 'zig build test'],
  [/\.nimble$/, 'nimble test'],
  [/^shard\.yml$/, 'crystal spec'],
  [/^foundry\.toml$/, 'forge test'],
  [/^(?:MODULE|WORKSPACE)(?:\.bazel)?$/, 'bazel test //...'],
  [/^Makefile\.PL$|^Build\.PL$|^cpanfile$/, 'prove -lr t'],
  [/^\.busted$/, 'busted'],
]

const others: Finder = (look) => {
  for (const [file, command] of byFile) {
    const found = where(look.entry('', file), command)
    if (found !== undefined) return found
  }
  return (
    where(look.first('test/runtests.jl'), "julia --project -e 'using Pkg; Pkg.test()'") ??
    where(look.has('DESCRIPTION') ? look.first('tests/testthat') : undefined, "Rscript -e 'devtools::test()'") ??
    where(look.entry('t', /\.t$/) === undefined ? undefined : 't/', 'prove -lr t')
  )
}

const native: Finder = (look) => {
  const built = 'cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure'
  const hasTests = /\b(?:enable_testing|add_test|include\s*\(\s*CTest|gtest_discover_tests|catch_discover_tests)\b/i
  const cmake = hasTests.test(look.text('CMakeLists.txt') + look.text('tests/CMakeLists.txt') + look.text('test/CMakeLists.txt'))
  return (
    where(cmake ? 'CMakeLists.txt' : undefined, built) ??
    where(look.first('meson.build'), 'test -d build || meson setup build; meson test -C build')
  )
}

/** Targets of the tools that start other tools. */
const targets: Finder = (look) => {
  const justfile = look.first('justfile', 'Justfile', '.justfile')
  const taskfile = look.first('Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'Taskfile.dist.yml')
  const makefile = look.first('GNUmakefile', 'makefile', 'Makefile')
  const isIn = (file: string | undefined, like: RegExp): string | undefined =>
    file !== undefined && like.test(look.text(file)) ? file : undefined
  const target = ['test', 'check', 'tests'].find((name) =>
    new RegExp(`^(?:[\\w.%/-]+[ \\t]+)*${name}(?:[ \\t]+[\\w.%/-]+)*[ \\t]*:(?!=)`, 'm').test(look.text(makefile)),
  )
  return (
    where(isIn(justfile, /^@?test(?:[ \t][^:\n]*)?:(?!=)/m), 'just test') ??
    where(isIn(taskfile, /^ {2,4}test\s*:/m), 'task test') ??
    where(isIn(look.first('mise.toml', '.mise.toml'), /^\[tasks\.test\]|^test\s*=/m), 'mise run test') ??
    where(isIn(look.first('Makefile.toml'), /^\[tasks\.test\]/m), 'cargo make test') ??
    where(target === undefined ? undefined : makefile, `make ${target}`)
  )
}

const scripts: Finder = (look) => {
  const own = [
    'script/test',
    'bin/test',
    'scripts/test',
    'scripts/test.sh',
    'test.sh',
    'run_tests.sh',
    'run-tests.sh',
    'tests/run.sh',
  ]
  const file = own.find((name) => look.text(name) !== '')
  const bats = ['test', 'tests'].find((folder) => look.entry(folder, /\.bats$/) !== undefined)
  const shell = /^#!.*\bbash\b/.test(look.text(file)) ? 'bash' : 'sh'
  return where(file, file?.endsWith('.sh') ? `${shell} ${file}` : `./${file}`) ?? where(bats && `${bats}/`, `bats ${bats}`)
}

const finders: Finder[] = [javascript, python, rust, go, jvm, ruby, php, dart, others, native, targets, scripts]
