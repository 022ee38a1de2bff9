/** Python's packages where gates find them: in environments of the project, below the home folder, beside the interpreters. */
import { existsSync, lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { tried } from '../../core/failure.ts'
import type { Finding } from '../../core/proof/finding.ts'
import { readIfThere } from '../files/files.ts'
import { stateOf } from '../files/kept-file.ts'
import { findProgram } from '../process/program.ts'
import { contentHash } from './content-hash.ts'
import type { InstalledRunners } from './runners.ts'

type PythonIn = { root: string; env: Record<string, string | undefined> }

/** They run tests, decide what a failure is, or are loaded before everything else. */
const runners =
  /^(?:pytest|_pytest|py|pluggy|iniconfig|pytest_[\w]+|xdist|unittest2?|doctest|nose2?|testtools|hypothesis|coverage|tox|nox|mypy|pylint|flake8|site|sitecustomize)(?:\.py)?$/

/** Whether gates are likely to run Python: to look at its packages takes time. `programs`: what they start. */
export const isPythonProject = (root: string, programs: string[]): boolean =>
  programs.some((name) => /^(?:python[\d.]*|pytest|tox|nox|uvx?|poetry|pdm|hatch|pipenv|coverage)$/.test(basename(name))) ||
  namesIn(root).some((name) => manifests.test(name))

const runnersIn = (where: PythonIn): string[] =>
  [...sitesOf(where), ...librariesOf(where)].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => runners.test(name))
      .map((name) => join(folder, name)),
  )

/** By path: what is in the project relative, the rest whole. */
export function installedPython(where: PythonIn): InstalledRunners {
  const found = runnersIn(where)
  const programs = venvsOf(where).flatMap((venv) => namesIn(join(venv, 'bin')).map((name) => join(venv, 'bin', name)))
  return Object.fromEntries([
    ...found.map((path) => [labelOf(where, path), hashOf(path)] as const),
    ...programs.map((path) => [labelOf(where, path), linkOr(path)] as const),
  ])
}

export function changedPython(known: InstalledRunners, where: PythonIn): Finding[] {
  if (!hasPython(known)) return []
  const now = installedPython(where)
  return Object.entries(known).flatMap(([file, hash]): Finding[] => {
    if (now[file] === undefined || now[file] === hash || !isPython(file)) return []
    const isProgram = basename(dirname(file)) === 'bin'
    const words = `changed ${file}, which is installed and which gates run`
    return [{ rule: 'runner-patched', file, words, ...(isProgram ? { isBeyondChecks: true } : { isCertain: true }) }]
  })
}

/** What Python compiled of them runs in their place, as long as their times stay the same: it has no reason to change alone. */
export function watchCompiled(where: PythonIn): () => Finding[] {
  const known = new Map(
    runnersIn(where)
      .flatMap(compiledIn)
      .map((path) => [path, stateOf(path)]),
  )
  const sources = new Map([...known.keys()].map((path) => [path, stateOf(sourceOf(path))]))
  return () =>
    [...known].flatMap(([path, state]): Finding[] => {
      const now = stateOf(path)
      if (now === '' || now === state || stateOf(sourceOf(path)) !== sources.get(path)) return []
      const file = labelOf(where, path)
      return [
        { rule: 'runner-patched', file, words: `changed ${file}, which Python runs in place of its source`, isCertain: true },
      ]
    })
}

function compiledIn(path: string): string[] {
  if (path.endsWith('.py')) {
    const start = `${basename(path, '.py')}.`
    return namesIn(join(dirname(path), '__pycache__'))
      .filter((name) => name.startsWith(start))
      .map((name) => join(dirname(path), '__pycache__', name))
  }
  return tried(() => readdirSync(path, { recursive: true, encoding: 'utf8' }), [])
    .filter((name) => name.endsWith('.pyc'))
    .map((name) => join(path, name))
}

/** `a/__pycache__/b.cpython-312.pyc`: `a/b.py`. */
const sourceOf = (path: string): string => join(dirname(dirname(path)), basename(path).replace(/\..*$/, '.py'))

export const hasPython = (installed: InstalledRunners): boolean => Object.keys(installed).some(isPython)

const isPython = (file: string): boolean =>
  /\/(?:site-packages|dist-packages|python[\d.]+)\/[^/]+$|\/bin\/[^/]+$/.test(`/${file}`)

/** `since`: what changed later is new, in milliseconds. `isImported`: whether the story's own code uses a module. */
export function plantedInPython(
  where: PythonIn & { since: number },
  isImported: (module: string) => boolean,
  asked = askedBy(where.root),
): Finding[] {
  return sitesOf(where).flatMap((site) => {
    const names = namesIn(site)
    const added = names.filter((name) => isNew(join(site, name), where.since))
    if (added.length === 0) return []
    const packages = names.filter((name) => /\.(?:dist|egg)-info$/.test(name)).map((name) => readPackage(site, name))
    const isKnown = withNeeded(packages, ({ name, info }) => !isNew(join(site, info), where.since) || asked(name))
    const unasked = packages.filter((one) => !isKnown(one))
    return [
      ...added.flatMap((name) =>
        plantedAt(
          where,
          join(site, name),
          packages.find(({ files }) => files.has(name)),
          isKnown,
        ),
      ),
      ...unasked.flatMap((one) => ofUnasked(where, join(site, one.info), one, isImported)),
    ]
  })
}

type PythonPackage = { name: string; info: string; files: Set<string>; needs: string[]; isPlugin: boolean }

function plantedAt(
  where: PythonIn,
  path: string,
  owner: PythonPackage | undefined,
  isKnown: (one: PythonPackage) => boolean,
): Finding[] {
  const [name, file] = [basename(path), labelOf(where, path)]
  if (/\.(?:dist|egg)-info$|^__pycache__$|\.egg-link$|^easy-install\.pth$/.test(name)) return []
  if (owner !== undefined && isKnown(owner)) return []
  const isStart =
    /^(?:site|user)customize\.py$/.test(name) || (name.endsWith('.pth') && /^import[ \t]/m.test(readIfThere(path) ?? ''))
  if (isStart)
    return [
      {
        rule: 'environment-changed',
        file,
        words: `added ${file}, which every Python program runs when it starts`,
        isCertain: true,
      },
    ]
  if (runners.test(name))
    return [{ rule: 'runner-shadowed', file, words: `put ${file} among Python's packages: gates would load it`, isCertain: true }]
  if (owner !== undefined || name.endsWith('.pth')) return []
  const words = `added ${file}, which no installed package has and no commit either`
  return [{ rule: 'environment-changed', file, words, isBeyondChecks: true }]
}

function ofUnasked(
  where: PythonIn,
  path: string,
  { name, files, isPlugin }: PythonPackage,
  isImported: (module: string) => boolean,
): Finding[] {
  const file = labelOf(where, path)
  if (isPlugin)
    return [
      {
        rule: 'runner-shadowed',
        file,
        words: `installed ${name}, which pytest loads and no file of the project asks for`,
        isCertain: true,
      },
    ]
  const isUsed = [...files].some((module) => isImported(module.replace(/\.py$/, '')))
  const words = `installed ${name}, which the work imports and no file of the project asks for`
  return isUsed ? [{ rule: 'environment-changed', file, words, isBeyondChecks: true }] : []
}

/** As the wheel or egg says itself; `files`: entries of the folder that are its own. */
function readPackage(site: string, info: string): PythonPackage {
  const text = (name: string): string => readIfThere(join(site, info, name)) ?? ''
  const about = text('METADATA') || text('PKG-INFO')
  const [, name = info.replace(/-.*$/, '')] = /^Name: *(.+?)\s*$/m.exec(about) ?? []
  const paths = [...text('RECORD').split('\n'), ...text('installed-files.txt').replaceAll('../', '').split('\n')]
  const tops =
    text('top_level.txt')
      .match(/\S+/g)
      ?.flatMap((module) => [module, `${module}.py`]) ?? []
  return {
    name,
    info,
    files: new Set([...paths.map((path) => path.replace(/[,/].*$/, '')), ...tops].filter((one) => one !== '' && one !== '..')),
    needs: [...about.matchAll(/^Requires-Dist: *([\w.-]+)/gm)].map(([, needed = '']) => needed),
    isPlugin: /^\[pytest11\]/m.test(text('entry_points.txt')),
  }
}

/** These, and what they need. */
function withNeeded(packages: PythonPackage[], isFirst: (one: PythonPackage) => boolean): (one: PythonPackage) => boolean {
  const byName = new Map(packages.map((one) => [plain(one.name), one]))
  const found = new Set<PythonPackage>()
  const look = (one: PythonPackage | undefined): void => {
    if (one === undefined || found.has(one)) return
    found.add(one)
    for (const name of one.needs) look(byName.get(plain(name)))
  }
  packages.filter(isFirst).forEach(look)
  return (one) => found.has(one)
}

const plain = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

const manifests =
  /^(?:.*requirements.*\.(?:txt|in)|constraints.*\.txt|pyproject\.toml|setup\.(?:py|cfg)|Pipfile(?:\.lock)?|(?:poetry|uv|pdm)\.lock|environment.*\.ya?ml|tox\.ini|noxfile\.py)$/

/** Whether a file of the project names a package. */
function askedBy(root: string): (name: string) => boolean {
  const folders = [root, join(root, 'requirements')]
  const texts = folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => manifests.test(name) || folder !== root)
      .map((name) => readIfThere(join(folder, name)) ?? ''),
  )
  const words = new Set(texts.flatMap((text) => text.match(/[A-Za-z0-9][\w.-]*/g) ?? []).map(plain))
  return (name) => words.has(plain(name))
}

/** Where the project installed itself from its own folder: Python finds the code of the work tree there, whatever folder it runs in. */
export function editablePaths(where: PythonIn): string[] {
  const inRoot = (path: string): boolean => path === where.root || path.startsWith(`${where.root}/`)
  return [
    ...new Set(
      sitesOf(where).flatMap((site) =>
        namesIn(site).flatMap((name) => {
          const text = /\.pth$|\.egg-link$|^__editable__.*_finder\.py$/.test(name) ? (readIfThere(join(site, name)) ?? '') : ''
          if (name.endsWith('_finder.py'))
            return [...text.matchAll(/['"](\/[^'"\n]+)['"]/g)].map(([, path = '']) => dirname(path)).filter(inRoot)
          return text
            .split('\n')
            .map((line) => line.trim().replace(/(?<=.)\/$/, ''))
            .filter(inRoot)
        }),
      ),
    ),
  ]
}

function venvsOf({ root, env }: PythonIn): string[] {
  const inside = ['.tox', '.nox'].flatMap((folder) => namesIn(join(root, folder)).map((name) => join(root, folder, name)))
  const named = ['VIRTUAL_ENV', 'CONDA_PREFIX'].flatMap((variable) => env[variable] || [])
  return [...['.venv', 'venv', 'env'].map((name) => join(root, name)), ...inside, ...named].filter(
    (folder) => existsSync(join(folder, 'pyvenv.cfg')) || named.includes(folder),
  )
}

/** Folders of installed packages. */
function sitesOf(where: PythonIn): string[] {
  const home = where.env['HOME']
  const below = (folder: string): string[] => namesIn(folder).map((name) => join(folder, name))
  const prefixes = [
    ...venvsOf(where),
    ...prefixesOf(where),
    ...(home === undefined
      ? []
      : [
          join(home, '.local'),
          ...['.pyenv/versions', '.local/pipx/venvs', '.local/share/pipx/venvs', '.local/share/uv/tools'].flatMap((name) =>
            below(join(home, name)),
          ),
          ...below(join(home, 'Library', 'Python')),
        ]),
  ]
  const found = prefixes.flatMap((prefix) => [
    ...below(join(prefix, 'lib')).filter((path) => /^python[\d.]*$/.test(basename(path))),
    join(prefix, 'lib', 'python'),
  ])
  return unique(
    found.flatMap((folder) => [join(folder, 'site-packages'), join(folder, 'dist-packages')]).filter((path) => existsSync(path)),
  )
}

/** Of the interpreters in PATH: a real one, not a shim. */
function prefixesOf({ root, env }: PythonIn): string[] {
  const programs = ['python3', 'python'].flatMap((name) => findProgram(name, root, env) ?? [])
  return programs.map((path) => tried(() => dirname(dirname(realpathSync(path))), '')).filter((path) => path !== '')
}

/** What comes with Python itself. */
const librariesOf = (where: PythonIn): string[] =>
  unique(
    sitesOf(where)
      .map((site) => dirname(site))
      .concat(
        prefixesOf(where).flatMap((prefix) =>
          namesIn(join(prefix, 'lib'))
            .filter((name) => /^python3\./.test(name))
            .map((name) => join(prefix, 'lib', name)),
        ),
      )
      .filter((folder) => existsSync(join(folder, 'os.py'))),
  )

const unique = (paths: string[]): string[] => [
  ...new Map(paths.map((path) => [tried(() => realpathSync(path), path), path])).values(),
]

function labelOf({ root }: PythonIn, path: string): string {
  const way = relative(root, path)
  return way.startsWith('..') ? path : way
}

const namesIn = (folder: string): string[] => tried(() => readdirSync(folder).sort(), [])

/** A folder counts by its beginning: it changes whenever something is added to it. */
function isNew(path: string, since: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return false
  return ((stat.isDirectory() ? stat.birthtimeMs : 0) || stat.ctimeMs) >= since
}

const linkOr = (path: string): string =>
  tried(() => (lstatSync(path).isSymbolicLink() ? `→ ${readlinkSync(path)}` : hashOf(path)), '')

/** Without what Python compiles from it. */
const hashOf = (path: string): string => contentHash(path, (name) => name !== '__pycache__' && !name.endsWith('.pyc'))
