/** What a file is for, by its path: tests, their helpers, settings of tools, or source. */
import { isTestFile, testsIn } from './languages.ts'

const code =
  /\.(?:[cm]?[jt]sx?|vue|svelte|pyi?|go|rs|java|kts?|scala|groovy|rb|rake|php|cs|fs|vb|swift|exs?|c|cc|cpp|cxx|h|hpp|dart|p[lm])$/
const notOurs =
  /(^|\/)(?:node_modules|vendor|third_party|dist|build|out|target|coverage|docs?|examples?|fixtures?|__fixtures__|testdata|__snapshots__)\//
const tool = /(^|\/)(?:tools?|scripts?|script|ci|bench(?:es|marks?)?)\//
const helper =
  /(^|\/)(?:conftest\.py|(?:spec|test|rails)_helper\.rb|(?:jest|vitest|mocha|test|karma)[.-]?setup[\w.-]*\.\w+|setup-?tests?\.\w+|TestCase\.php|Pest\.php|bootstrap\.php)$/i

/** Settings of runners, linters, type checkers and builds. */
export const isSettings = (path: string): boolean =>
  /(^|\/)(?:[\w.-]+\.config\.\w+|\.?[\w-]+rc(?:\.\w+)?|package\.json|tsconfig[\w.-]*\.json|jsconfig\.json|biome\.jsonc?|deno\.jsonc?|pyproject\.toml|pytest\.ini|tox\.ini|setup\.(?:cfg|py)|mypy\.ini|\.flake8|ruff\.toml|\.coveragerc|Cargo\.toml|clippy\.toml|\.golangci\.ya?ml|pom\.xml|build\.gradle(?:\.kts)?|\.rspec|\.rubocop(?:_todo)?\.ya?ml|\.simplecov|phpunit\.xml(?:\.dist)?|phpstan(?:-baseline)?\.neon(?:\.dist)?|psalm\.xml|[\w.-]+\.(?:csproj|fsproj|runsettings|props|targets)|\.editorconfig|codecov\.ya?ml|\.codecov\.ya?ml|sonar-project\.properties|\.(?:eslint|prettier|stylelint|nyc|c8)ignore)$/.test(
    path,
  )

/** Tests, and what is loaded for them. Tests beside Rust's code are in files that are source too. */
export function isTestCode(path: string): boolean {
  const tests = testsIn(path)
  return isTestFile(path) || helper.test(path) || (tests !== null && tests.language.isAnywhere !== true)
}

export const isCode = (path: string): boolean => code.test(path) && !notOurs.test(path)

export const isSource = (path: string): boolean => isCode(path) && !isTestCode(path) && !isSettings(path) && !tool.test(path)

export const isCi = (path: string): boolean =>
  /(^|\/)(?:\.github\/workflows\/.+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci\/.+|Jenkinsfile|azure-pipelines\.ya?ml|\.travis\.ya?ml|bitbucket-pipelines\.ya?ml|\.drone\.ya?ml|\.?appveyor\.ya?ml|\.buildkite\/.+)$/.test(
    path,
  )

/** What tests compare with, or read. */
export const isFixture = (path: string): boolean =>
  /(^|\/)(?:__fixtures__|fixtures?|testdata|test-data|golden|goldens|approvals?)\/|\.(?:golden|approved\.\w+|expected)$|(^|\/)(?:tests?|specs?)\/(?:.*\/)?[\w.-]*(?:expected|golden|baseline|reference|recorded)[\w.-]*\.(?:txt|json|csv|xml|ya?ml|html|out|md)$/.test(
    path,
  )
export const isSnapshot = (path: string): boolean =>
  /(^|\/)__snapshots__\/|\.(?:snap|snapshot)$|(^|\/)snapshots\/|\.ambr$/.test(path)
export const isMock = (path: string): boolean => /(^|\/)(?:__mocks__|mocks?|stubs?|fakes?)\//.test(path)

/** Of no use to anyone who wants to weaken a check. */
export const mayMatter = (path: string): boolean =>
  !/\.(?:md|rst|adoc|png|jpe?g|gif|svg|ico|webp|pdf|woff2?|ttf|mp[34]|zip|gz|lock)$|(^|\/)(?:LICENSE|CHANGELOG|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|go\.sum)$/.test(
    path,
  )
