/** Files that change how a gate runs without being part of it: of package managers, shells, interpreters and git. */
import type { Finding } from '../../proof/finding.ts'
import { pathInside } from '../../text/paths.ts'
import type { Change } from '../code/change.ts'
import { isCode } from '../code/files.ts'
import { isTestFile } from '../code/languages.ts'
import type { LineRule } from './line-rule.ts'

const packageManagers = /(^|\/)\.(?:npmrc|pnpmrc|yarnrc(?:\.yml)?|bunfig\.toml)$|(^|\/)bunfig\.toml$/
const environments =
  /(^|\/)\.(?:env(?:rc)?(?:\.(?!(?:example|sample|template|dist)$)[\w.-]+)?|bash_?env|bashrc|bash_profile|profile|zshenv|zshrc)$|(^|\/)\.(?:vscode\/settings\.json|devcontainer\/.+)$/
/** Code that runs before the tests do, or another interpreter. */
const preloads = /(?:^|[\s"'=])(?:-r|--require|--import|--loader|--experimental-loader|-javaagent:|-agentpath:)/
const narrows =
  /--test-(?:name-pattern|skip-pattern|only)\b|(?:^|[\s"'=])-(?:k|run|skip|m)\b|--(?:deselect|ignore|co|collect-only|last-failed)\b|\bno:|-toolexec|-exec\b/
/** A shell that is there, by its name or its place in the system. */
const isUsualShell =
  /shell["']?[\s:=]+["']?(?:\/(?:usr\/)?(?:local\/)?bin\/|C:\\[\w .()\\-]+\\)?(?:(?:ba|da|z|k|fi)?sh|pwsh|powershell|cmd)(?:\.exe)?["']?\s*$/i
/** Options of Node, without code of the project that runs first: packages that translate or read settings may. */
function hasPlainOptions(line: string): boolean {
  const [, text] = /options["']?\s*[:=]\s*["']?(.*?)["']?\s*$/i.exec(line) ?? []
  const rest = text?.replace(preloadedPackages, '')
  return rest !== undefined && !preloads.test(` ${rest}`) && !narrows.test(` ${rest}`)
}
const preloadedPackages =
  /(?:-r|--require|--import|--loader|--experimental-loader)[= ](?:tsx(?:\/\w+)*|ts-node(?:\/[\w-]+)*|dotenv(?:\/\w+)*|source-map-support(?:\/\w+)*|@swc-node\/register(?:\/[\w-]+)*|@babel\/register)(?=\s|$)/g
const set = (names: string): RegExp => new RegExp(`^\\s*(?:export\\s+|set\\s+|["']?)?(?:${names})["']?\\s*[=:]`)

export const environmentFiles: LineRule[] = [
  {
    rule: 'environment-changed',
    what: 'changed how scripts are run',
    files: packageManagers,
    on: 'code',
    looksFor:
      /^\s*["']?(?:script-shell|scriptShell|shell|node-options|nodeOptions|NODE_OPTIONS|node-path|onload-script|globalconfig|userconfig)["']?(?![\w-])\s*[:=]?/,
    where: (_, { bare }) => !isUsualShell.test(bare) && !hasPlainOptions(bare),
    isCertain: true,
  },
  {
    rule: 'environment-changed',
    what: 'turned scripts off',
    files: packageManagers,
    on: 'code',
    looksFor: /^\s*["']?(?:ignore-scripts|ignoreScripts|enableScripts)["']?\s*[:=]/,
    unless: /(?:ignore-?scripts)\W+false|enableScripts\W+true/i,
  },
  {
    rule: 'environment-changed',
    what: 'changed how programs are run',
    files: environments,
    on: 'bare',
    looksFor: set('NODE_OPTIONS|RUBYOPT|PERL5OPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS'),
    where: (_, { text }) => preloads.test(text) || narrows.test(text),
    isCertain: true,
  },
  {
    rule: 'environment-changed',
    what: 'changed how tests are run',
    files: environments,
    on: 'bare',
    looksFor: set(
      'PYTEST_ADDOPTS|PYTEST_PLUGINS|GOFLAGS|VITEST_\\w+|JEST_\\w+|CYPRESS_\\w*|RSPEC_OPTS|SPEC_OPTS|TESTOPTS|MOCHA_OPTS',
    ),
    where: (_, { text }) => narrows.test(text) || /PLUGINS/.test(text),
    isCertain: true,
  },
  {
    rule: 'environment-changed',
    what: 'loads other code into every program',
    files: environments,
    on: 'bare',
    looksFor: set(
      'BASH_ENV|LD_PRELOAD|DYLD_INSERT_LIBRARIES|PYTHONSTARTUP|DOTNET_STARTUP_HOOKS|PHP_INI_SCAN_DIR|PHPRC|RUSTC_WRAPPER|npm_config_script_shell',
    ),
    unless: /=\s*["']?(?:sccache|$)|=\s*["']?(?:\/usr\/[\w./-]*\/)?lib(?:jemalloc|tcmalloc|mimalloc)[\w.-]*["']?\s*$/,
    isCertain: true,
  },
  {
    rule: 'environment-changed',
    what: 'changed where programs and modules are found',
    files: /(^|\/)\.env(?:\.(?!(?:example|sample|template|dist)$)[\w.-]+)?$/,
    on: 'bare',
    looksFor: set('PATH|PYTHONPATH|NODE_PATH|RUBYLIB|PERL5LIB|CLASSPATH|GOROOT'),
    unless:
      /=\s*["']?(?:\.|\.?\/?(?:src|lib|app|packages)\/?|\$\{?(?:PWD|workspaceFolder)\}?(?:\/(?:src|lib|app))?|[:;]|\$\{?PYTHONPATH\}?)+["']?\s*$/,
  },
  {
    rule: 'environment-changed',
    what: 'replaces the program that runs tests',
    files: /(^|\/)\.cargo\/config(?:\.toml)?$/,
    on: 'bare',
    looksFor: /^\s*runner\s*=\s*\[?\s*["'](?:\S*\/)?(?:true|echo|:|sh|bash|cat)\b/,
    isCertain: true,
  },
  {
    rule: 'environment-changed',
    what: 'makes make ignore failures',
    files: /(^|\/)(?:GNUm|M|m)akefile$|\.mk$/,
    on: 'code',
    looksFor:
      /^\s*SHELL\s*[:?]?=\s*(?:\S*\/)?(?:true|echo|:)\b|^\.IGNORE\s*:|^\s*(?:export\s+)?MAKEFLAGS\s*[:+?]?=\s*(?:.*\s)?(?:-i|--ignore-errors|-n|--dry-run|-t|--touch)(?:\s|$)/,
    isCertain: true,
  },
]

/** Python runs these at its start, before any test. */
const customizations = /(^|\/)(?:site|user)customize\.py$/
const coverageAlone =
  /^\s*(?:import\s+coverage|coverage\.process_startup\(\)|try\s*:|except\s+\w*\s*:|pass|from\s+coverage\b.*|import\s+os|if\b.*\bCOVERAGE\w*.*)\s*$/
const isPathFile = /\.pth$/

export function loadedByItself({ path, after, added }: Change): Finding[] {
  if (added.length === 0) return []
  const lines = after.filter(({ code }) => code.trim() !== '')
  const isLoaded = customizations.test(path)
    ? !lines.every(({ code }) => coverageAlone.test(code))
    : isPathFile.test(path) && lines.some(({ text }) => /^import[ \t]/.test(text) && !/coverage/.test(text))
  if (!isLoaded) return []
  return [
    {
      rule: 'environment-changed',
      file: path,
      line: added[0]?.at ?? 1,
      words: `Python runs ${path} before every program, tests included`,
      isCertain: true,
    },
  ]
}

const plainPattern = /^(?:\*|\*\*|\*\*\/\*)?(?:\*?\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs))?$/
const hides =
  /(?:^|\s)(?:-diff|diff=(?!html|css|java|python|golang|rust|ruby|php|csharp|cpp|markdown|astextplain|lockb|bin|tex|perl|bash|elixir|kotlin|ada|bibtex|dts|fortran|fountain|matlab|objc|pascal|scheme)\S+|binary|-text\s+-diff|filter=(?!lfs\b|git-crypt\b|crypt\b)\S+|working-tree-encoding=\S+)(?=\s|$)/

/** Attributes that keep the content of tests and source out of every diff. */
export function hiddenByAttributes({ path, added }: Change): Finding[] {
  if (!/(^|\/)\.gitattributes$/.test(path)) return []
  return added.flatMap(({ at, code }): Finding[] => {
    const [pattern = '', ...rest] = code.trim().split(/\s+/)
    const mark = hides.exec(` ${rest.join(' ')}`)?.[0].trim()
    if (mark === undefined || !mayMatchCode(pattern)) return []
    return [
      {
        rule: 'content-hidden',
        file: path,
        line: at,
        words: `hid ${pattern} from git's diff in ${path} (${mark}, line ${at})`,
        isCertain: true,
      },
    ]
  })
}

/** A pattern that tests or source may match: by their extension, or everything in their folder. */
function mayMatchCode(pattern: string): boolean {
  if (pattern === '' || ofOthers.test(pattern) || (shown.test(pattern) && !isCode(pattern.replaceAll('*', 'x')))) return false
  const isFolder = /(^|\/)(?:tests?|specs?|__tests__|src)(?:\/|$)/.test(pattern) && /(?:^|\/)[^/.]*$/.test(pattern)
  const isCodeInFolder = /(^|\/)(?:tests?|specs?|__tests__|src)\//.test(pattern) && isCode(pattern.replaceAll('*', 'x'))
  return plainPattern.test(pattern) || isTestFile(pattern.replaceAll('*', 'x')) || isFolder || isCodeInFolder
}

/** Made by programs, or read by tests; and what is shown: nobody reads a diff of them. */
const ofOthers =
  /(^|\/)(?:generated|gen|__generated__|vendor|third_party|fixtures?|__fixtures__|testdata|test-data|snapshots?|__snapshots__|golden)(?:\/|$)|\.(?:pb|gen|g|generated|min|designer)\.\w+$/
const shown = /(^|\/)(?:data|assets?|images?|img|fonts?|media|videos?|static|public|resources)(?:\/|$)/

const runners =
  /^(?:node|npm|npx|yarn|pnpm|bun|deno|tsx|jest|vitest|mocha|ava|tap|c8|nyc|tsc|eslint|python3?|pytest|py\.test|tox|nox|uv|poetry|go|cargo|rustc|java|mvn|gradle|ruby|bundle|php|phpunit|composer|dotnet|make|gmake|cmake|ctest|bash|sh|env|git)(?:\.(?:cmd|exe|bat|sh))?$/
const onPath = /^(?:\.\/)?(?:bin\/|\.bin\/|(?:[\w.-]+\/)*node_modules\/\.bin\/|\.?venv\/bin\/)?([^/]+)$/
const modules = /^(?:(?:src|lib|tests?)\/)?(pytest|unittest|_pytest|pluggy|nose2?|doctest|hypothesis)(?:\.py|\/__init__\.py)$/
/** What tests import from Python itself: found first where it lies at the top. */
const ofPython =
  /^(?:tests?\/)?(decimal|fractions|statistics|random|datetime|json|typing|collections|functools|operator|copy|math|difflib|dataclasses|contextlib|tempfile|io|csv|inspect|traceback|warnings|logging)(?:\.py|\/__init__\.py)$/
const ofNode =
  /(^|\/)node_modules\/(?:chai|vitest|@vitest\/\w+|jest|@jest\/\w+|expect|mocha|ava|tap|tape|sinon|should|assert|power-assert)\//

/** Programs that package managers write into `bin`: they start what is installed. */
const handsOver = /\/vendor\/|\bGem\.(?:activate_)?bin_path\b|\bbundler\/setup\b|\bhermit\b/

/** New programs and modules with the name of a runner, where they are found first. */
export function shadows({ path, kind, after, afterText }: Change): Finding[] {
  if (kind !== 'added' || path === 'make.bat' || (path.startsWith('bin/') && handsOver.test(afterText))) return []
  const own = ofPython.exec(path)?.[1]
  if (own !== undefined)
    return [
      {
        rule: 'runner-shadowed',
        file: path,
        words: `added ${path}, which can replace Python's own module ${own}`,
        isBeyondChecks: true,
      },
    ]
  if (ofNode.test(path))
    return [
      {
        rule: 'runner-shadowed',
        file: path,
        words: `committed ${path}, which tests load before the installed one`,
        isBeyondChecks: true,
      },
    ]
  const program = onPath.exec(path)?.[1]
  // A folder of unit tests may have this name; what is empty stands for nothing.
  const isEmpty = path.endsWith('/__init__.py') && after.every(({ code }) => /^\s*(?:"""\s*"*|)$/.test(code))
  const module = isEmpty ? undefined : modules.exec(path)?.[1]
  const what =
    program !== undefined && runners.test(program)
      ? `the program ${program}`
      : module === undefined
        ? null
        : `Python's module ${module}`
  return what === null
    ? []
    : [{ rule: 'runner-shadowed', file: path, words: `added ${path}, which can replace ${what}`, isCertain: true }]
}

/** A committed link to a place that no other machine has. */
export function leadsOutside({ path, link }: Change): Finding[] {
  if (link === undefined || (pathInside(`${path.replace(/[^/]*$/, '')}${link}`) !== null && !link.startsWith('/'))) return []
  const words = `${path} is a link to ${link}, which is outside the repository`
  return [{ rule: 'content-hidden', file: path, words, ...(isCode(path) ? { isCertain: true } : { isBeyondChecks: true }) }]
}
