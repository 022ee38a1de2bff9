/** The programs that gates start, as PATH found them when a run began: whoever puts another one before them, or changes one, changes the gates. */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { tried } from '../../core/failure.ts'
import type { Finding } from '../../core/proof/finding.ts'
import type { KnownProgram } from '../../core/types/results.ts'
import { stateOf } from '../files/kept-file.ts'
import { findProgram } from './program.ts'

type Where = { root: string; env: Record<string, string | undefined> }

/** What test suites start, whether or not a gate names it. */
const runners = [
  ...[
    'sh',
    'bash',
    'env',
    'git',
    'make',
    'node',
    'npm',
    'npx',
    'pnpm',
    'yarn',
    'bun',
    'deno',
    'python',
    'python3',
    'pytest',
    'tox',
    'uv',
    'poetry',
  ],
  ...[
    'go',
    'cargo',
    'rustc',
    'java',
    'mvn',
    'gradle',
    'ruby',
    'bundle',
    'rake',
    'rspec',
    'php',
    'composer',
    'phpunit',
    'dotnet',
    'grep',
    'test',
  ],
]

export const lookUp = (names: string[], where: Where): KnownProgram[] =>
  [...new Set([...names, ...runners])].sort().flatMap((name) => {
    const path = findProgram(name, where.root, where.env)
    return path === null ? [] : [{ name, path, hash: fingerprint(path) }]
  })

/** Compared with now, again only after somebody wrote where it could matter: most iterations touch no program. */
export function watchPrograms(known: KnownProgram[], where: Where): () => Finding[] {
  let looked: { findings: Finding[]; paths: string[]; state: string } | undefined
  return () => {
    if (looked !== undefined && looked.state === statesOf(looked.paths)) return looked.findings
    const paths = [...foldersIn(where), ...known.flatMap(({ name }) => namedSo(name, where))]
    const state = statesOf(paths) // before the look: what changes meanwhile is looked at next time
    looked = { findings: changedPrograms(known, where), paths, state }
    return looked.findings
  }
}

/** Nothing comes into a folder without changing it. Where a link leads counts. */
const statesOf = (paths: string[]): string =>
  paths
    .map((path) => {
      const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
      return stat === undefined ? '' : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mode} ${stat.ctimeNs}`
    })
    .join('\n')

const foldersIn = ({ root, env }: Where): string[] => (env['PATH'] ?? '').split(delimiter).map((folder) => resolve(root, folder))

/** Whatever has this name in a folder of PATH, or is the file that is named: it may become a program. */
const namedSo = (name: string, where: Where): string[] =>
  (name.includes('/') ? [resolve(where.root, name)] : foldersIn(where).map((folder) => join(folder, name))).filter(
    (path) => tried(() => lstatSync(path), undefined) !== undefined,
  )

/** What a project brings itself is compared with its dependencies elsewhere. */
function changedPrograms(known: KnownProgram[], where: Where): Finding[] {
  return known.flatMap(({ name, path, hash }): Finding[] => {
    const now = findProgram(name, where.root, where.env)
    if (now === null) return []
    if (now === path)
      return fingerprint(now) === hash
        ? []
        : [
            {
              rule: 'runner-changed',
              file: now,
              words: `changed the program ${name} (${now}), which gates or reviewers may start`,
              isBeyondChecks: true,
            },
          ]
    return [shadowed(now, path, name, placeOf(now, where) < placeOf(path, where) && !isInside(now, where.root))]
  })
}

/**
 * Any other program that comes before one with the same name since: scripts of a project start `diff`, `jq` and many more. `since`: what has changed
 * later than this is new, in milliseconds; no program can set that time.
 */
export function watchShadows(where: Where, since: number): () => Finding[] {
  const named = (where.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'))
  const folders = [...new Map(named.toReversed().map((folder) => [realOf(folder), folder])).values()] // the last comes first
  const shadowing = (): { path: string; name: string; behind: string }[] => {
    const firsts = new Map<string, string>()
    return folders.flatMap((folder) => {
      const found = tried(() => readdirSync(folder), []).map((name) => ({ name, path: join(folder, name) }))
      const before = found.flatMap(({ name, path }) => {
        const behind = firsts.get(name)
        return behind === undefined ? [] : [{ name, path, behind }]
      })
      for (const { name, path } of found) firsts.set(name, path)
      return before
    })
  }
  const identities = new Map(folders.map((folder) => [folder, identityOf(folder)]))
  const isOther = (folder: string): boolean => identityOf(folder) !== identities.get(folder)
  /** Where only the one behind is new, as after `apt-get install cargo` beside rustup's, the same program starts as before. */
  const isNew = ({ path }: { path: string }): boolean => changedMs(path) >= since || isOther(dirname(path))
  const known = new Set(
    shadowing()
      .filter((one) => !isNew(one))
      .map(({ path }) => path),
  )
  return () =>
    // Nothing can be added to a folder without changing it.
    (folders.some((folder) => changedMs(folder) >= since || isOther(folder)) ? shadowing() : [])
      .filter((one) => isNew(one) && !known.has(one.path) && findProgram(one.path, '/', {}) !== null)
      .map(({ path, behind, name }) => shadowed(path, behind, name, !isInside(path, where.root)))
}

const changedMs = (path: string): number => tried(() => lstatSync(path).ctimeMs, 0)
/** Another folder, or another end of a link, can hold older files. */
const identityOf = (folder: string): string => {
  const stat = statSync(folder, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.dev} ${stat.ino}`
}
const realOf = (path: string): string => tried(() => realpathSync(path), path)

const shadowed = (now: string, path: string, name: string, isCertain: boolean): Finding => ({
  rule: 'runner-shadowed',
  file: now,
  words: `put ${now} before ${path}: gates would start it as ${name}. Remove ${now}`,
  ...(isCertain ? { isCertain } : { isBeyondChecks: true }),
})

/** Small programs by their content: some tools write the same again. For large ones no program can set the time of a change. */
function fingerprint(path: string): string {
  const real = tried(() => realpathSync(path), path)
  const size = tried(() => statSync(real).size, 0)
  const seen = size > largest ? stateOf(real) : tried(() => readFileSync(real), '')
  return createHash('sha256').update(seen).digest('hex').slice(0, 16)
}

const largest = 1024 * 1024

const placeOf = (path: string, { root, env }: Where): number =>
  (env['PATH'] ?? '').split(delimiter).findIndex((folder) => resolve(root, folder) === dirname(resolve(path)))

const isInside = (path: string, root: string): boolean => resolve(path).startsWith(`${resolve(root)}/`)
