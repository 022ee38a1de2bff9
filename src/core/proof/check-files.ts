/** Files that decide what is checked, and how: tests, what they read, and the settings of their runners. Whoever changes them is cross-examined. */
import { isFixture, isMock, isSnapshot } from '../tamper/code/files.ts'
import { isTestFile } from '../tamper/code/languages.ts'
import { isRecord, type Json, jsonIn } from '../text/json.ts'

/** In a folder of its own: helpers, fixtures and snapshots too. */
const folders =
  /^t\/|(^|\/)(?:tests?|specs?|e2e|__tests__|test[-_]?(?:utils?|helpers?|support|data|lib|kit|setup|fixtures)|spec[-_](?:helpers?|support)|integration[-_]tests?|cypress|cassettes|features|step_definitions)\//

const settings = [
  /(^|\/)(?:jest|vitest|vite|playwright|cypress|karma|ava|wdio|babel|metro|nightwatch|web-test-runner|stryker|cucumber|codecept|tap|swc|mocha|c8|nyc|lint-staged|stylelint|eslint|prettier|tsup)\.(?:config|conf|setup|workspace)\.\w+$/,
  /(^|\/)\.(?:mocharc|nycrc|c8rc|taprc|rspec|proverc|coveragerc|npmrc|pnpmrc|yarnrc|eslintrc|eslintignore|biomeignore|flake8|pylintrc|swcrc|babelrc|lintstagedrc|simplecov|rubocop(?:_todo)?|cucumber|bazelrc|env|envrc|pre-commit-config)(?:\.[\w.-]+)?$/,
  /(^|\/)(?:conftest|noxfile|sitecustomize|usercustomize|tasks|dodo|fabfile)\.py$|\.pth$/,
  /(^|\/)(?:pytest|tox|mypy)\.ini$|(^|\/)(?:setup\.cfg|pyproject\.toml|\.?(?:ruff|pytest)\.toml|hatch\.toml|phpunit\.xml(?:\.dist)?|phpstan\.neon(?:\.dist)?|psalm\.xml|composer\.json)$/,
  /(^|\/)(?:[tj]sconfig[\w.-]*\.json|biome\.jsonc?|\.golangci\.ya?ml|deno\.jsonc?|bunfig\.toml|turbo\.json|nx\.json|project\.json|lerna\.json|pnpm-workspace\.yaml|node\.config\.json)$/,
  /(^|\/)(?:(?:GNUm|M|m)akefile|[Jj]ustfile|Rakefile|Taskfile\.ya?ml|Procfile|Earthfile|magefile\.go|Guardfile|CTestCustom\.cmake|CTestConfig\.cmake)$|\.(?:mk|rake|runsettings)$/,
  /(^|\/)(?:\.?nextest\.toml|\.cargo\/config(?:\.toml)?|\.config\/nextest\.toml|\.mvn\/.+|gradle\.properties|init\.gradle|Directory\.Build\.(?:props|targets)|xunit\.runner\.json|junit-platform\.properties)$/,
  /(^|\/)(?:\.?lefthook\.ya?ml|mise\.toml|\.mise\.toml|\.tool-versions)$|(^|\/)\.(?:husky|githooks)\//,
]

const isSettings = (path: string): boolean => settings.some((pattern) => pattern.test(path))

export const isManifest = (path: string): boolean => /(^|\/)package\.json$/.test(path)

/** What a test may add without changing what other tests check. */
export const isOwnTest = (path: string): boolean =>
  isTestFile(path) || ((folders.test(path) || isFixture(path) || isSnapshot(path)) && !isSettings(path))

export const isCheckFile = (path: string): boolean =>
  !/(^|\/)(?:node_modules|vendor)\//.test(path) && (isOwnTest(path) || isMock(path) || isSettings(path) || isManifest(path))

/** The parts of a package.json that decide what is checked. */
const ownKeys = [
  ...['scripts', 'imports', 'exports', 'main', 'workspaces', 'config'],
  ...['jest', 'vitest', 'mocha', 'ava', 'nyc', 'c8', 'tap', 'babel', 'eslintConfig', 'wireit', 'nx'],
]

/**
 * A package.json with the checks of another one, and everything else of its own. `keepsNew`: also what only it has, such as names that its tests import.
 * null: one of them is not an object.
 */
export function withChecksOf(text: string, other: string, keepsNew = false): string | null {
  const [own, theirs] = [parsed(text), parsed(other)]
  if (own === null || theirs === null) return null
  const kept = Object.entries(own).filter(([key]) => !ownKeys.includes(key) || (keepsNew && theirs[key] === undefined))
  const taken = Object.entries(theirs).filter(([key]) => ownKeys.includes(key))
  return `${JSON.stringify(Object.fromEntries([...kept, ...taken]), null, 2)}\n`
}

/** Files that have settings of checks among other things. */
export const hasMore = (path: string): boolean => isManifest(path) || isProject.test(path)

const isProject = /(^|\/)(?:pyproject\.toml|setup\.cfg|composer\.json|gradle\.properties)$/
/** What a release changes. */
const release = /^\s*"?(?:version|description)"?\s*[=:]\s*["']?[\w .,+-]*["']?,?\s*$/gm

/** Whether the parts that decide what is checked are the same. */
export function hasSameChecks(path: string, text: string, other: string): boolean {
  if (!isManifest(path)) return text.replaceAll(release, '') === other.replaceAll(release, '')
  const checksIn = (json: Json | null): string => JSON.stringify(ownKeys.map((key) => json?.[key] ?? null))
  return checksIn(parsed(text)) === checksIn(parsed(other))
}

function parsed(text: string): Json | null {
  const json = jsonIn(text)
  return isRecord(json) ? json : null
}
