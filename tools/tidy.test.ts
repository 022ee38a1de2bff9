/** The repository checks itself: a pure core, arrows in one direction, nothing dead, nothing too long. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { realAgentNames } from '../src/adapters/agents/list.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
type Source = { path: string; text: string; imports: string[] }
const sources: Source[] = globSync(
  ['src/**/*.{ts,tsx}', 'sim/**/*.ts', 'bench/**/*.ts', 'fuzz/**/*.ts', 'test/**/*.ts', 'tools/**/*.ts', 'recordings/**/*.ts'],
  { cwd: root },
).map((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, imports: importsOf(path, text) }
})
const program = sources.filter(({ path }) => path.startsWith('src/') && !isTest(path))

/** What each layer may import, besides itself; the first pattern that matches a file is its layer. */
const layers: { name: string; of: RegExp; may: RegExp }[] = [
  { name: 'core', of: /^src\/core\//, may: /^src\/core\// },
  { name: 'ports', of: /^src\/(ports|io|version)\.ts$/, may: /^(src\/core\/|package\.json)/ },
  { name: 'loop', of: /^src\/loop\.ts$/, may: /^src\/core\// },
  { name: 'settings', of: /^src\/config\//, may: /^src\/(core|config|adapters)\// },
  { name: 'adapters', of: /^src\/adapters\//, may: /^src\/(core\/|adapters\/|ports\.ts)/ },
  { name: 'views', of: /^src\/views\//, may: /^src\/(core|views)\// },
  {
    name: 'run',
    of: /^src\/run\//,
    may: /^src\/(core\/|adapters\/|views\/|run\/|config|ports\.ts|io\.ts|loop\.ts)/,
  },
  {
    name: 'dashboard (page)', // for browsers: of the rest it knows the data alone
    of: /^src\/dashboard\/page\//,
    may: /^src\/(core\/|views\/|dashboard\/(page|data)\/)/,
  },
  { name: 'dashboard (data)', of: /^src\/dashboard\/data\//, may: /^src\/(core|views|dashboard\/data)\// },
  { name: 'dashboard', of: /^src\/dashboard\//, may: /^src\/(core\/|adapters\/|views\/|run\/|dashboard\/(server|data)\/)/ },
  { name: 'fleet', of: /^src\/fleet\//, may: /^src\/(core\/|adapters\/|views\/|run\/|fleet\/)/ },
  { name: 'rehearse', of: /^src\/rehearse\//, may: /^src\/(core|config|adapters|views|rehearse)\// },
  { name: 'commands', of: /^src\/commands\//, may: /^src\/(?!main\.ts)/ },
  { name: 'main', of: /^src\/main\.ts$/, may: /^src\// },
]

test('imports follow the arrows of ARCHITECTURE.md', () => {
  const wrong = program.flatMap(({ path, imports }) => {
    const layer = layers.find(({ of }) => of.test(path))
    if (layer === undefined) return [`${path} belongs to no layer`]
    return imports.filter((target) => !layer.may.test(target)).map((target) => `${path} (${layer.name}) imports ${target}`)
  })
  assert.deepEqual(wrong, [])
})

test('the core knows no clock, no chance and no world', () => {
  const banned =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bprocess\.|\bconsole\.|\bperformance\.|from 'node:|\bglobalThis\b|\bfetch\(/
  const wrong = program
    .filter(({ path }) => path.startsWith('src/core/'))
    .flatMap(({ path, text }) => linesWith(path, text, banned))
  assert.deepEqual(wrong, [])
})

test('every file is used', () => {
  const entries =
    /^(src\/main\.ts|src\/dashboard\/page\/main\.tsx|src\/adapters\/agents\/(player\/player|acp\/bridge)\.ts|sim\/main\.ts|bench\/(main|soak)\.ts|fuzz\/main\.ts|tools\/|recordings\/)/
  const used = new Set(sources.flatMap(({ imports }) => imports))
  // A bench or test may start another file as a program of its own.
  const started = (path: string): boolean =>
    sources.some(({ text, path: other }) => other !== path && text.includes(path.split('/').at(-1)!))
  const dead = sources
    .map(({ path }) => path)
    .filter(
      (path) => !isTest(path) && !entries.test(path) && !used.has(path) && !(path.startsWith('src/') ? false : started(path)),
    )
  assert.deepEqual(dead, [])
})

test('every export of the program is used by another file, and a type at least in its own', () => {
  const occursIn = (name: string, text: string): number => text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0
  const dead = program.flatMap(({ path, text }) => {
    const exported = [...text.matchAll(/^export (?:async )?(function\*?|const|let|class|type) (\w+)/gm)].map((match) => ({
      isType: match[1] === 'type',
      name: match[2]!,
    }))
    return exported
      .filter(
        ({ isType, name }) =>
          !(isType && occursIn(name, text) > 1) &&
          !sources.some((other) => other.path !== path && occursIn(name, other.text) > 0),
      )
      .map(({ name }) => `${path}: ${name}`)
  })
  assert.deepEqual(dead, [])
})

test('no file of the program is longer than one can hold in mind', () => {
  const limit = 330
  const long = program.map(({ path, text }) => ({ path, lines: text.split('\n').length })).filter(({ lines }) => lines > limit)
  assert.deepEqual(long, [])
})

test('no folder of the program has more entries than one can take in', () => {
  const entries = new Map<string, Set<string>>()
  for (const { path } of program)
    for (let parts = path.split('/'); parts.length > 1; parts = parts.slice(0, -1)) {
      const folder = parts.slice(0, -1).join('/')
      entries.set(folder, (entries.get(folder) ?? new Set()).add(parts.at(-1)!))
    }
  const crowded = [...entries].filter(([, names]) => names.size > 20).map(([folder, names]) => `${folder}: ${names.size}`)
  assert.deepEqual(crowded, [])
})

test('an exported type shares its name with no other type', () => {
  const declared = program.flatMap(({ path, text }) =>
    [...text.matchAll(/^(export )?type (\w+)/gm)].map(([, isExported, name]) => ({
      path,
      name: name!,
      isExported: !!isExported,
    })),
  )
  const twice = declared.filter(
    ({ path, name, isExported }) => isExported && declared.some((other) => other.name === name && other.path !== path),
  )
  assert.deepEqual(
    twice.map(({ path, name }) => `${path}: ${name}`),
    [],
  )
})

test('where a report goes has one type', () => {
  const own = program
    .filter(({ path }) => path !== 'src/core/types.ts')
    .flatMap(({ path, text }) => linesWith(path, text, /\(\w+: Report\) => void|\(\w+: Report\): void/))
  assert.deepEqual(own, [])
})

test('no files import each other in a circle', () => {
  const byPath = new Map(program.map((source) => [source.path, source]))
  // Those loaded later (`await import`) are no circle: by then this one is there.
  const targets = ({ path, text }: Source): string[] =>
    importsOf(path, text.replace(/\bimport\(/g, '')).filter((target) => byPath.has(target))
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (path: string, way: string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' → '))
    if (way.includes(path) || done.has(path)) return
    for (const target of targets(byPath.get(path)!)) walk(target, [...way, path])
    done.add(path)
  }
  for (const { path } of program) walk(path, [])
  assert.deepEqual(circles, [])
})

test('an agent is named in its own file and in the list alone', () => {
  const named = new RegExp(`(?<!default: )'(${realAgentNames.join('|')})'`)
  const elsewhere = sources
    .filter(({ path }) => /^(src|fuzz|sim)\//.test(path) && !isTest(path))
    .filter(({ path }) => !realAgentNames.some((name) => path === `src/adapters/agents/${name}.ts`))
    .flatMap(({ path, text }) => linesWith(path, text, named))
  assert.deepEqual(elsewhere, [])
})

test('paths under .ralph/ are named in layout.ts alone', () => {
  const name =
    /'(\.ralph|events\.jsonl|status\.json|progress\.txt|state\.md|decide\.txt|blocked\.txt|summary\.csv|calls\.json)'|padStart\(3, '0'\)|iteration-\$\{/
  const elsewhere = program
    .filter(({ path }) => path !== 'src/adapters/project/layout.ts')
    .flatMap(({ path, text }) => linesWith(path, text, name))
  assert.deepEqual(elsewhere, [])
})

test('JSON is parsed in json.ts alone, which gives nothing unchecked', () => {
  const elsewhere = program
    .filter(({ path }) => path !== 'src/core/text/json.ts')
    .flatMap(({ path, text }) => linesWith(path, text, /\bJSON\.parse\b/))
  assert.deepEqual(elsewhere, [])
})

test('what three test files need is defined once, in test/support or sim/builders.ts', () => {
  const tests = sources.filter(({ path }) => isTest(path) || path.startsWith('test/'))
  const places = new Map<string, Set<string>>()
  for (const { path, text } of tests)
    for (const [, body] of text.matchAll(/^(?:export )?(?:async )?(?:function|const) \w+(.*(?:\n(?:[ \t].*|[\])}].*)?)*)/gm)) {
      const key = body!.replaceAll(/\s+/g, ' ').trim()
      if (key.length > 60) places.set(key, (places.get(key) ?? new Set()).add(path))
    }
  const often = [...places].filter(([, paths]) => paths.size > 2)
  assert.deepEqual(
    often.map(([body, paths]) => `${body.slice(0, 60)}… in ${[...paths].join(', ')}`),
    [],
  )
})

test('what the program looks for beside itself is in its package', () => {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  const wanted = program.flatMap(({ text }) => [...text.matchAll(/shippedPath\([`']([^/`']+)/g)].map((match) => match[1]!))
  assert.ok(wanted.length > 2, 'nothing was found that the program looks for')
  assert.deepEqual(
    wanted.filter((folder) => !files.includes(folder)),
    [],
  )
})

/** Each runs a command that the user wrote as one, and nothing that came from elsewhere is put into it. */
const shells: Record<string, string> = {
  'src/adapters/process/gate.ts': 'gates',
  'src/run/preflight/try-sandbox.ts': 'a gate, tried once',
  'src/adapters/notify/program.ts': 'notify.command',
  'src/adapters/import/editor.ts': "the user's editor",
  'src/adapters/agents/player/steps.ts': "the steps of a scripted agent's script",
  'src/adapters/process/witness.ts': 'a script of our own, always the same: paths are its arguments',
}

test('nothing passes through a shell but the commands of the user', () => {
  const shell =
    /(?:spawn|spawnSync|execFile|execFileSync)\(\s*['"`](?:\/bin\/)?(?:ba|da|z|k)?sh['"`]|command: '(?:\/bin\/)?(?:ba|da|z|k)?sh'|shell: true|import \{[^}]*\bexec(?:Sync)?\b[^}]*\} from 'node:child_process'|\bshell\('sh'/
  const found = program.filter(({ text }) => shell.test(text)).map(({ path }) => path)
  assert.deepEqual(found.sort(), Object.keys(shells).sort())
})

test('the page of the dashboard makes no markup of words', () => {
  const markup = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|href=\{(?!runAddress\()/
  const page = program.filter(({ path }) => path.startsWith('src/dashboard/page/'))
  assert.ok(page.length > 3, 'there is no page to look at')
  assert.deepEqual(
    page.flatMap(({ path, text }) => linesWith(path, text, markup)),
    [],
  )
})

test('every test that docs/security.md names is there', () => {
  const rows = readFileSync(join(root, 'docs', 'security.md'), 'utf8').matchAll(
    /`([\w./-]+\.test\.ts)`: ("[^"]+"(?:, "[^"]+")*)/g,
  )
  const named = [...rows].flatMap(([, file, names]) =>
    [...names!.matchAll(/"([^"]+)"/g)].map((match) => ({ file: file!, name: match[1]! })),
  )
  assert.ok(named.length > 30, 'the page names no tests')
  const isThere = ({ file, name }: { file: string; name: string }): boolean =>
    (sources.find(({ path }) => path === file)?.text ?? '')
      .split('\n')
      .some((line) => /^\s*test\(/.test(line) && line.replaceAll("\\'", "'").includes(name))
  assert.deepEqual(
    named.filter((each) => !isThere(each)),
    [],
  )
})

/** Phrases that read as translated, and what to write instead. */
const plain: [RegExp, string][] = [
  [/\bfor ever\b/, 'forever'],
  [/(?<!-)\bmend(s|ed|ing)?\b/i, 'fix, repair'],
  [/\bput(s|ting)? (\w+ ){0,2}right\b/i, 'fix, correct'],
  [/\bin whoever's name\b/, 'whoever it claims to come from'],
  [/\bgoes on from (here|there)\b/, 'run again to continue'],
  [/\bgit would not\b/, 'git did not'],
  [/\bran into its time limit\b/, 'timed out'],
  [/\bof which there is none\b|\bwhere there is none\b/, 'if there is none'],
  [/(?<!\bthere )\bis no (JSON|text|list|object|file|folder|address|issue|request|event|setting|command|feature)\b/, 'is not a'],
  [/\bfound no "/, 'missing "'],
]

test('messages and comments are in plain English', () => {
  const words = /^(src\/core\/reading\/|src\/core\/learning\/harm\.ts|tools\/tidy\.test\.ts)/ // what agents write
  const wrong = sources
    .filter(({ path }) => !isTest(path) && !words.test(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          plain
            .filter(([old]) => old.test(line))
            .map(([, instead]) => `${path}:${index + 1}: write "${instead}": ${line.trim()}`),
        ),
    )
  assert.deepEqual(wrong, [])
})

test('a file opens with what it is for', () => {
  assert.deepEqual(
    program.filter(({ text }) => !text.startsWith('/** ')).map(({ path }) => path),
    [],
  )
})

function isTest(path: string): boolean {
  return /\.test\.ts$/.test(path) || /(^|\/)fixtures?[./]/.test(path)
}

function importsOf(path: string, text: string): string[] {
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map((match) => match[1]!)
  return found.map((target) => relative(root, join(root, dirname(path), target)))
}

function linesWith(path: string, text: string, pattern: RegExp): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      pattern.test(line.replace(/\/\/.*$|^\s*\*.*$|\/\*\*.*\*\//, '')) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
    )
}
