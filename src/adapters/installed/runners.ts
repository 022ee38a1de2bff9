/** Test runners in a project's node_modules, as they were when a run began: no commit has them, so a patched one changes every gate unseen. */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { tried } from '../../core/failure.ts'
import type { Finding } from '../../core/proof/finding.ts'
import { recordOf, textOf } from '../../core/text/json.ts'
import { readJson } from '../files/files.ts'
import { fileHash } from './content-hash.ts'

/** By `name@version`, and programs by `.bin/name`: the beginning of a hash of the content. */
export type InstalledRunners = Record<string, string>

const runners =
  /^(?:jest(?:-.+)?|@jest\/.+|expect(?:-.+)?|vitest|@vitest\/.+|mocha|chai|chai-.+|ava|tap|tape|uvu|jasmine(?:-.+)?|qunit|karma|sinon|should|assert|c8|nyc|cypress|playwright(?:-core)?|@playwright\/test|eslint|typescript|@biomejs\/biome)$/

export function installedRunners(root: string): InstalledRunners {
  return Object.fromEntries(packageFolders(root).flatMap((folder) => Object.entries(runnersIn(root, folder))))
}

/** Runners, and what the package.json beside the folder asks for: tests use that. `folder`: relative. */
function runnersIn(root: string, folder: string): InstalledRunners {
  const asked = directIn(join(root, dirname(folder), 'package.json'))
  const at = (name: string): string => (folder === 'node_modules' ? name : `${folder}/${name}`)
  const found = packagesIn(join(root, folder))
    .filter((name) => runners.test(name) || asked.has(name))
    .filter((name) => !isOfProject(root, join(root, folder, name)))
    .map((name) => ({ name, path: join(root, folder, name) }))
    .map(({ name, path }) => [at(`${name}@${versionOf(path)}`), hashOf(path)] as const)
  const programs = namesIn(join(root, folder, '.bin')).map(
    (name) => [at(`.bin/${name}`), programHash(join(root, folder, '.bin', name))] as const,
  )
  return Object.fromEntries([...found, ...programs])
}

/** A package of the same workspace is a link to its folder: that is work. */
function isOfProject(root: string, path: string): boolean {
  const way = relative(
    tried(() => realpathSync(root), root),
    tried(() => realpathSync(path), path),
  )
  return !way.startsWith('..') && !way.split('/').includes('node_modules')
}

const directIn = (manifest: string): Set<string> => {
  const json = recordOf(readJson(manifest))
  return new Set(['dependencies', 'devDependencies'].flatMap((key) => Object.keys(recordOf(json[key]))))
}

/** Of the project itself, and of packages of a workspace in it. */
function packageFolders(root: string): string[] {
  const look = (folder: string, depth: number): string[] =>
    tried(() => readdirSync(join(root, folder), { withFileTypes: true }), []).flatMap((entry) => {
      if (entry.name === 'node_modules') return [join(folder, entry.name)]
      return entry.isDirectory() && depth > 0 && !entry.name.startsWith('.') ? look(join(folder, entry.name), depth - 1) : []
    })
  return look('.', 2)
}

/** Compared with now; also in a worktree, which has its own. Another version is another package. */
export function changedRunners(known: InstalledRunners, root: string): Finding[] {
  const now = Object.entries(installedRunners(root))
  const changed = now.filter(
    ([name, hash]) => known[name] !== undefined && known[name] !== hash && !(isProgram(name) && isOfUpgrade(known, root, name)),
  )
  const replaced = now.filter(
    ([name]) => known[name] === undefined && isRunner(name) && wasKnown(known, name) && !isLocked(root, name),
  )
  const planted = now.filter(([name]) => known[name] === undefined && systemPrograms.test(name) && !isLockedProgram(root, name))
  return [
    ...changed.map(([name]): Finding => {
      const words = `changed ${fileOf(name)}, which is installed and which gates run`
      const how = isRunner(name) ? ({ isCertain: true } as const) : ({ isBeyondChecks: true } as const)
      return { rule: 'runner-patched', file: fileOf(name), words, ...how }
    }),
    ...replaced.map(([name]): Finding => {
      const words = `has another ${nameOf(name)} installed than when the run began, and than package-lock.json says (${name})`
      return { rule: 'runner-patched', file: fileOf(name), words, isBeyondChecks: true }
    }),
    ...planted.map(([name]): Finding => {
      const words = `put ${fileOf(name)} before the system's program, which gates run`
      return { rule: 'runner-shadowed', file: fileOf(name), words, isCertain: true }
    }),
  ]
}

/**
 * Packages that nobody asked for directly, of which only some files changed since: an installer writes all of them. `since`: in milliseconds; no program
 * can set the time of a change.
 */
export function touchedPackages(known: InstalledRunners, root: string, since: number): Finding[] {
  const compared = new Set(Object.keys(known).map(fileOf))
  const isNewer = (path: string): boolean => tried(() => lstatSync(path).ctimeMs >= since, false)
  return packageFolders(root).flatMap((folder) =>
    packagesIn(join(root, folder)).flatMap((name): Finding[] => {
      const [file, path] = [join(folder, name), join(root, folder, name)]
      if (compared.has(file) || isNewer(join(path, 'package.json')) || isOfProject(root, path)) return []
      const touched = tried(() => filesIn(path).find(isNewer), undefined)
      if (touched === undefined) return []
      const words = `changed ${relative(root, touched)}, which is installed and in no commit`
      return [{ rule: 'runner-patched', file, words, isBeyondChecks: true }]
    }),
  )
}

const fileOf = (name: string): string => (name.includes('node_modules/') ? nameOf(name) : `node_modules/${nameOf(name)}`)

/** Packages other than runners may be generated, or patched by a script of the project. */
const isRunner = (name: string): boolean => {
  const own = nameOf(name).replace(/^.*node_modules\//, '')
  return own.startsWith('.bin/') || runners.test(own)
}

/** Without its version. */
const nameOf = (installed: string): string => installed.replace(/(?<=.)@[^@/]*$/, '')

const wasKnown = (known: InstalledRunners, name: string): boolean =>
  !isProgram(name) && Object.keys(known).some((before) => nameOf(before) === nameOf(name))

/** An honest upgrade is in the lock file. Only npm's is read. */
function isLocked(root: string, name: string): boolean {
  const lock = readJson(join(root, 'package-lock.json'))
  if (lock === null || lock === undefined) return true
  const packages = recordOf(recordOf(lock)['packages'])
  const { version } = recordOf(packages[fileOf(name)])
  return name === `${nameOf(name)}@${textOf(version)}`
}

const isProgram = (name: string): boolean => /(^|\/)\.bin\//.test(name)

/** The program of a package that is installed in another version than before: its place may be another one. */
function isOfUpgrade(known: InstalledRunners, root: string, name: string): boolean {
  const owner = ownerOf(root, name)
  if (owner === null) return false
  const beside = name.replace(/\.bin\/.*$/, '')
  const now = `${beside}${owner}@${versionOf(join(root, fileOf(`${beside}${owner}`)))}`
  return known[now] === undefined && wasKnown(known, `${beside}${owner}`)
}

/** Of a package that the lock file of npm names with what it was downloaded from, such as `node`. */
function isLockedProgram(root: string, name: string): boolean {
  const owner = ownerOf(root, name)
  if (owner === null) return false
  const file = fileOf(name.replace(/\.bin\/.*$/, owner))
  const packages = recordOf(recordOf(readJson(join(root, 'package-lock.json')))['packages'])
  const { version, integrity } = recordOf(packages[file])
  return textOf(integrity) !== '' && textOf(version) === versionOf(join(root, file))
}

/** The package that a program belongs to: a link into it, or a script of pnpm that starts it. */
function ownerOf(root: string, name: string): string | null {
  const path = join(root, fileOf(name))
  const target = tried(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : shimTarget(readFileSync(path, 'utf8'))), '')
  return /^\.\.\/((?:@[\w.-]+\/)?[\w.-]+)\//.exec(target)?.[1] ?? null
}

/** Package managers without links write the same small script for each program. */
const shimTarget = (text: string): string =>
  /^#!\/bin\/sh\nbasedir=/.test(text) ? (/"\$basedir\/(\.\.\/[^"]+)" "\$@"/.exec(text)?.[1] ?? '') : ''

/** npm puts node_modules/.bin first in PATH. */
const systemPrograms = /(?:^|\/)\.bin\/(?:node|npm|npx|sh|bash|env|git|make|python3?|go|cargo|java|grep|test|true)$/

function packagesIn(folder: string): string[] {
  return namesIn(folder).flatMap((name) =>
    name.startsWith('@') ? namesIn(join(folder, name)).map((inner) => `${name}/${inner}`) : name.startsWith('.') ? [] : [name],
  )
}

const namesIn = (folder: string): string[] => tried(() => readdirSync(folder).sort(), [])

const versionOf = (folder: string): string => textOf(recordOf(readJson(join(folder, 'package.json')))['version'])

/** A link is its target: the package behind it is compared separately. */
function programHash(path: string): string {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : fileHash(path)
  } catch {
    return ''
  }
}

/** Of a large package only the first files are read; of the others names and sizes count. */
const mostRead = 1500

function hashOf(folder: string): string {
  const hash = createHash('sha256')
  try {
    for (const [at, path] of filesIn(folder).entries())
      hash.update(`${basename(path)} ${at < mostRead ? fileHash(path) : statSync(path).size}\n`)
  } catch {
    return '' // it goes away while we look
  }
  return hash.digest('hex').slice(0, 16)
}

/** All that may run; not the packages inside it. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path)
      return entry.isFile() && /\.(?:[cm]?js|json|node)$|^[^.]+$/.test(entry.name) ? [path] : []
    })
}
