/** What tools find above the folder that they run in: settings that they look for up to the root of the disk, and packages. */
import { cpSync, lstatSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { makeFolder } from './files.ts'
import { isCopyable } from './open.ts'
import { searchNames } from './search-names.ts'

/** By the programs that read them: Node and its runners, Python, Go, Rust, the JVM, .NET, Ruby, PHP, and choosers of versions. */
const names = [
  /^(?:package\.json|pnpm-workspace\.yaml|lerna\.json|nx\.json|turbo\.json|rush\.json|deno\.jsonc?|bunfig\.toml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnp\..+)$/,
  /^(?:tsconfig.*\.json|jsconfig\.json|\.swcrc|\.babelrc.*|\.mocharc.*|\.taprc|\.nycrc.*|\.c8rc.*|\.eslintrc.*|\.eslintignore|\.prettierrc.*|biome\.jsonc?)$/,
  /^(?:babel|jest|vitest|vite|ava|cypress|playwright|karma|eslint|prettier|postcss)\.(?:config|conf|workspace)\..+$/,
  /^(?:\.?pytest\.(?:ini|toml)|tox\.ini|setup\.(?:cfg|py)|pyproject\.toml|conftest\.py|noxfile\.py|\.coveragerc|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc)$/,
  /^(?:go\.(?:work|mod)|Cargo\.toml|rust-toolchain(?:\.toml)?|\.?clippy\.toml|\.?rustfmt\.toml|pom\.xml|gradle\.properties|(?:settings|build)\.gradle(?:\.kts)?)$/,
  /^(?:Directory\..+\.(?:props|targets|rsp)|Directory\.Build\..+|global\.json|nuget\.config|Gemfile|Rakefile|\.rspec|\.rubocop\.yml|composer\.json|\.?phpunit.*)$/i,
  /^(?:\.?justfile|Taskfile\.ya?ml|\.bazelrc|\.env(?:\..+)?|\.envrc|\.tool-versions|\.?mise\.toml|\.nvmrc|\.(?:node|python|ruby|java)-version|\.sdkmanrc)$/i,
]
/** In folders of the same kind. */
const inside: Record<string, string[]> = {
  '.cargo': ['config.toml', 'config'],
  '.mvn': ['maven.config', 'jvm.config', 'extensions.xml'],
}

/** Whole paths of those that are there; `isOrder`: also what gives orders to agents. */
export function settingsAbove(folder: string, isOrder: (name: string) => boolean): string[] {
  const isWanted = (name: string): boolean =>
    Object.hasOwn(inside, name) || isOrder(name) || names.some((pattern) => pattern.test(name))
  const search = searches.get(isOrder) ?? searchNames(isWanted)
  searches.set(isOrder, search)
  return foldersAbove(folder).flatMap((above) =>
    search(above).flatMap((name) => {
      const path = join(above, name)
      return inside[name]?.map((file) => join(path, file)).filter((file) => isFile(file)) ?? [path]
    }),
  )
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** By what gives orders. */
const searches = new WeakMap<(name: string) => boolean, ReturnType<typeof searchNames>>()

/** From its parent to the root of the disk; not folders that everybody writes to, such as /tmp. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  if (above === folder) return []
  const isShared = tried(() => (statSync(above).mode & sticky) !== 0, false)
  return [...(isShared ? [] : [above]), ...foldersAbove(above)]
}

const sticky = 0o1000

export type PackagesAbove = {
  /** Moves what was added since out of the way. `aside`: where to. */
  moveAway(aside: (path: string) => string): { path: string; to: string }[]
}

/**
 * Packages that Node finds from a folder without the project having them: nobody installs one there for a project. `since`: what has changed later, in
 * milliseconds, was not there when the run began.
 */
export function keepPackagesAbove(folder: string, home: string | undefined, since: number): PackagesAbove {
  const ofHome = home === undefined ? [] : ['.node_modules', '.node_libraries'].map((name) => join(home, name))
  const places = [...foldersAbove(folder).map((above) => join(above, 'node_modules')), ...ofHome]
  const isOld = (path: string): boolean => tried(() => lstatSync(path).ctimeMs < since, false)
  const found = (): string[] => places.flatMap((place) => packagesIn(place, isOld))
  const known = new Set(found().filter(isOld))
  return {
    moveAway: (aside) =>
      found()
        .filter((path) => !known.has(path))
        .map((path) => ({ path, to: moved(path, aside(path)) })),
  }
}

/** A new link stands for all that it shows, which belongs to whoever has it elsewhere. */
function packagesIn(folder: string, isOld: (path: string) => boolean): string[] {
  if (isLink(folder) && !isOld(folder)) return [folder]
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name)
    if (!name.startsWith('@') || (isLink(path) && !isOld(path))) return [path]
    return namesIn(path).map((inner) => join(path, inner))
  })
}

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true

const namesIn = searchNames(() => true)

function moved(path: string, to: string): string {
  makeFolder(dirname(to), 0o700)
  rmSync(to, { recursive: true, force: true })
  try {
    renameSync(path, to)
  } catch {
    // Another disk.
    cpSync(path, to, { recursive: true, verbatimSymlinks: true, filter: isCopyable })
    rmSync(path, { recursive: true, force: true })
  }
  return to
}
