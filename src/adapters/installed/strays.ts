/** What is in dependency folders and nobody asked for: a file of the project names a real dependency, and a clone can install it again. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { recordOf, textOf } from '../../core/text/json.ts'
import { readIfThere, readJson } from '../files/files.ts'

/**
 * `top`: where the folders are; `asked`: where the project's files are as they will be committed; `since`: what changed later is new, in milliseconds,
 * unless `older` (another work tree) has it since before.
 */
export type StraysIn = { top: string; asked: string; since: number; older?: string }

/**
 * Of dependency folders, as git names them: paths in them, or whole ones, that appeared since and that no file of the project explains. Work could be
 * there that no commit has.
 */
export function strayDependencies(paths: string[], where: StraysIn): string[] {
  let allowed: Set<string> | undefined
  const isAsked = (name: string): boolean => {
    allowed ??= askedPackages(where)
    return allowed.has(name)
  }
  return paths.flatMap((given) => {
    const path = given.replace(/\/$/, '')
    const folder = folderOf(path)
    const whole = statSync(join(where.top, path), { throwIfNoEntry: false })?.isDirectory()
    if (!whole) return isNew(path, where) && isStrayIn(folder, basename(path), where) ? [given] : []
    const names = namesIn(join(where.top, path))
    const added = names.filter((name) => isNew(`${path}/${name}`, where))
    if (added.length === 0) return []
    if (basename(path) === 'node_modules') return strayPackages(path, added, where, isAsked)
    if (added.length === names.length && !isExplained(folder, where)) return [given]
    return path === folder ? added.filter((name) => isStrayIn(path, name, where)).map((name) => `${path}/${name}`) : []
  })
}

/** The path up to the folder that is a dependency by its name. */
function folderOf(path: string): string {
  const parts = path.split('/')
  const at = parts.findIndex((part) => part === 'venv' || explainedBy[part] !== undefined)
  return at < 0 ? path : parts.slice(0, at + 1).join('/')
}

/** A package is as new as its package.json: its folder changes with every file that is added to it. */
function isNew(path: string, { top, since, older }: StraysIn): boolean {
  const isOf = (root: string): boolean => {
    const manifest = join(root, path, 'package.json')
    return changedMs(statSync(manifest, { throwIfNoEntry: false }) === undefined ? join(root, path) : manifest) >= since
  }
  return (
    isOf(top) && (older === undefined || lstatSync(join(older, path), { throwIfNoEntry: false }) === undefined || isOf(older))
  )
}

/** A folder changes whenever something is added to it: it counts by its beginning. */
function changedMs(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return (stat?.isDirectory() ? stat.birthtimeMs : 0) || stat?.ctimeMs || 0
}

/** What installers keep beside the packages. */
const ofInstallers =
  /^\.(?:bin|pnpm|store|package-lock\.json|modules\.yaml|pnpm-workspace-state.*\.json|yarn-integrity|yarn-state\.yml|ignored.*|cache|vite.*|vitest)$/

function strayPackages(path: string, added: string[], where: StraysIn, isAsked: (name: string) => boolean): string[] {
  return added.flatMap((name) => {
    if (name.startsWith('@'))
      return namesIn(join(where.top, path, name))
        .filter((inner) => isNew(`${path}/${name}/${inner}`, where) && !isAsked(`${name}/${inner}`))
        .map((inner) => `${path}/${name}/${inner}`)
    if (ofInstallers.test(name) || isAsked(name)) return []
    return name === '.prisma' && (isAsked('@prisma/client') || isAsked('prisma')) ? [] : [`${path}/${name}`]
  })
}

const manifestNames = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'resolutions', 'overrides']

/** Named in a package.json or a lock file of the project, and what those packages need themselves. */
function askedPackages({ top, asked }: StraysIn): Set<string> {
  const found = new Set<string>()
  const look = (name: string, from: string[]): void => {
    if (found.has(name)) return
    found.add(name)
    for (const folder of from) for (const next of neededBy(join(folder, 'node_modules', name, 'package.json'))) look(next, from)
  }
  const folders = foldersWith(asked, 'package.json')
  const places = folders.map((folder) => join(top, folder)).filter((folder) => existsSync(join(folder, 'node_modules')))
  for (const folder of folders) {
    const manifest = join(asked, folder, 'package.json')
    look(textOf(recordOf(readJson(manifest))['name']), places)
    for (const name of neededBy(manifest)) look(name, places)
    for (const name of lockedIn(join(asked, folder))) look(name, places)
  }
  return found
}

const neededBy = (manifest: string): string[] => {
  const json = recordOf(readJson(manifest))
  const bundled = json['bundledDependencies'] ?? json['bundleDependencies']
  return [
    ...manifestNames.flatMap((key) => Object.keys(recordOf(json[key]))),
    ...(Array.isArray(bundled) ? bundled.map(textOf) : []),
  ]
}

/** npm's lists every package; of the others the names are in the text. */
function lockedIn(folder: string): string[] {
  const ofNpm = Object.keys(recordOf(recordOf(readJson(join(folder, 'package-lock.json')))['packages']))
  const others = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock'].map((name) => readIfThere(join(folder, name)) ?? '').join('\n')
  return [
    ...ofNpm.map((key) => key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length)),
    ...[...others.matchAll(/^[\s"'/]*((?:@[\w.-]+\/)?[\w.-]+)@/gm)].map(([, name = '']) => name),
  ]
}

const mostFolders = 5000

/** Relative paths of the folders that have this file; not in dependencies. */
function foldersWith(root: string, name: string): string[] {
  const found: string[] = []
  const left = ['.']
  for (let looked = 0; left.length > 0 && looked < mostFolders; looked++) {
    const folder = left.shift() ?? ''
    const entries = tried(() => readdirSync(join(root, folder), { withFileTypes: true }), [])
    if (entries.some((entry) => entry.name === name && entry.isFile())) found.push(folder)
    const inner = entries.filter((entry) => entry.isDirectory() && !/^(?:node_modules|\.git)$/.test(entry.name))
    left.push(...inner.map((entry) => join(folder, entry.name)))
  }
  return found
}

/** By the name of the folder: a file beside it that says what is installed there. */
const explainedBy: Record<string, RegExp> = {
  node_modules: /^package\.json$/,
  bower_components: /^bower\.json$/,
  vendor: /^(?:composer\.json|go\.mod|Gemfile|Cargo\.toml)$/,
  Pods: /^Podfile$/,
  '.venv': /^(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|environment.*\.ya?ml|.*requirements.*\.txt|.*\.py)$/,
  '.tox': /^(?:tox\.ini|setup\.cfg|pyproject\.toml)$/,
  '.nox': /^noxfile\.py$/,
  '.bundle': /^Gemfile$/,
  '.gradle': /\.gradle(?:\.kts)?$|^gradlew$/,
  '.yarn': /^(?:\.yarnrc\.yml|yarn\.lock)$/,
  '.dart_tool': /^pubspec\.yaml$/,
  '.stack-work': /^(?:stack|package)\.yaml$|\.cabal$/,
  'elm-stuff': /^elm\.json$/,
}

function isExplained(path: string, { top, asked }: StraysIn): boolean {
  const name = basename(path) === 'venv' ? '.venv' : basename(path)
  const isVenv = name !== '.venv' || statSync(join(top, path, 'pyvenv.cfg'), { throwIfNoEntry: false }) !== undefined
  const explains = explainedBy[name]
  const beside = join(asked, dirname(path))
  const names = namesIn(beside)
  const isNamed = (found: string[]): boolean => explains !== undefined && found.some((one) => explains.test(one))
  return isVenv && (isNamed(names) || (name === '.venv' && names.some((folder) => isNamed(namesIn(join(beside, folder))))))
}

const ofVenv = /^(?:bin|lib|lib64|include|share|etc|man|Scripts|Lib|Include|pyvenv\.cfg|\.gitignore|\.lock|CACHEDIR\.TAG)$/
const ofVendor = /^(?:autoload\.php|composer|bin|bundle|cache|ruby|modules\.txt|\.gitignore)$/
const source = /\.(?:[cm]?[jt]sx?|py|rb|php|go|rs|java|kts?|cs|fs|swift|dart|hs|elm|ex|exs|lua|sh|pl|clj|scala|[ch](?:pp|xx)?)$/

/** Of what git ignores: source, or a folder, that appeared since and is not a dependency. */
export function isNewSource(path: string, since: number): boolean {
  const own = path.replace(/\/$/, '')
  if (changedMs(own) < since || own.split('/').some((part) => explainedBy[part] !== undefined || part === '__pycache__'))
    return false
  return source.test(own) || statSync(own, { throwIfNoEntry: false })?.isDirectory() === true
}

/** An entry that appeared in a folder of other dependencies. */
function isStrayIn(path: string, name: string, { top, asked }: StraysIn): boolean {
  if (/^\.?venv$/.test(basename(path)) && existsSync(join(top, path, 'pyvenv.cfg'))) return !ofVenv.test(name)
  if (basename(path) === 'vendor' && isExplained(path, { top, asked, since: 0 })) {
    const beside = join(asked, dirname(path))
    const texts = ['composer.lock', 'composer.json', 'go.mod', 'Cargo.lock'].map((file) => readIfThere(join(beside, file)) ?? '')
    return !ofVendor.test(name) && !texts.some((text) => text.includes(`${name}/`) || text.includes(`name = "${name}"`))
  }
  return source.test(name) && statSync(join(top, path, name), { throwIfNoEntry: false })?.isFile() === true
}

const namesIn = (folder: string): string[] => tried(() => readdirSync(folder).sort(), [])
