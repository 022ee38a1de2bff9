/** Source that changes how modules are loaded, hides which names it looks up, or reads code as data. */
import type { Change } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'
import { isOfTools, isRun } from './test-detection.ts'

const files = (path: string): boolean => isSource(path) && !isOfTools.test(path)
const isProgram = (path: string): boolean =>
  /\.(?:sh|bash|zsh)$/.test(path) && !/(^|\/)(?:tests?|specs?|ci|hooks?|tools?|scripts?|\.\w+)\//.test(path)
const python = (path: string): boolean => files(path) && path.endsWith('.py')

const near = ({ after }: Change, line: SourceLine, [before, behind]: [number, number]): SourceLine[] => {
  const at = after.indexOf(line)
  return after.slice(Math.max(0, at - before), at + behind + 1)
}

const pieces = String.raw`(?:b?['"][^'"]*['"]\s*\+\s*['"]|['"][^'"]*['"]\.join\(|['"][^'"]+['"]\[::-1\]|(?:\w+\.)*(?:b64decode|fromhex|unhexlify)\(|chr\()`

export const loading: LineRule[] = [
  {
    rule: 'mock-in-source',
    what: 'puts itself between the program and what it imports',
    files: python,
    on: 'code',
    looksFor:
      /\bsys\.(?:meta_path|path_hooks)\s*(?:\.(?:insert|append|extend)\(|\[|\+?=)|\bbuiltins\.__import__\s*=|\bimportlib\.import_module\s*=[^=]/,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'builds the name that it looks up from pieces',
    files: python,
    on: 'bare',
    looksFor: new RegExp(
      String.raw`\b(?:getattr|setattr|hasattr|delattr)\(\s*[\w.]+\s*,\s*${pieces}|\b(?:__import__|import_module|getenv)\(\s*${pieces}|\b(?:environ(?:\.get\(|\[)|modules(?:\.get\(|\[)|globals\(\)\[)\s*${pieces}`,
    ),
    where: isRun,
    isBeyondChecks: true,
  },
  {
    rule: 'check-turned-off',
    what: 'silences warnings in the source',
    files: python,
    on: 'bare',
    looksFor: /^\s*(?:warnings\.)?(?:filterwarnings|simplefilter)\(\s*['"]ignore['"]/,
    unless: /\b(?:message|module)\s*=/,
    where: (change, line) => !near(change, line, [4, 0]).some(({ code }) => /\bcatch_warnings\b/.test(code)),
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'reads source files in the source',
    files,
    on: 'bare',
    looksFor: /\b(?:r?glob|iglob|globSync|Glob|glob_walk)\w*\s*\(\s*['"`][^'"`]*\.(?:py|[cm]?[jt]s|go|rb|php)['"`]/,
    where: (change, line) => near(change, line, [2, 6]).some(({ code }) => readsText.test(code)),
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'looks at other processes in the source',
    files: isProgram,
    on: 'bare',
    looksFor: /\/proc\/(?:self|\$|\d)|\bps\s+(?:-\w+\s+)*-?o\w*\s.{0,40}\bPPID\b|\bpgrep\b.{0,40}\btests?\b/,
    where: (_, { text }) => !/^\s*#/.test(text),
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'names the test runner in a condition',
    files,
    on: 'bare',
    looksFor:
      /['"`][^'"`]*(?:\b|_)(?:pytest|unittest)\b[^'"`]*['"`]\s*(?:\)|\]|,)?\s*(?:not\s+)?(?:in\b|==|!=)|(?:==|!=|\.(?:startswith|endswith|find|count)\(|\bget\()\s*['"`][^'"`]*(?:\b|_)(?:pytest|unittest)\b/,
    where: isRun,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'looks at how the program was started, in code that others import,',
    files: python,
    on: 'code',
    looksFor: /\bsys\.argv\[0\]/,
    where: ({ after }) => !after.some(({ text }) => /__main__|argparse|\bdef main\b|^#!|usage|\bprog\b/i.test(text)),
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'depends on whether project files exist',
    files,
    on: 'bare',
    looksFor:
      /^(?!.*\b(?:for|while)\b)\s*(?:return|if|elif|\w+\s*=)\b.*(?:\bcwd\(\)|getcwd\(\)|\(\s*["'])(?:(?!\b(?:read|load|open)).){0,30}["']?(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|pytest\.ini|conftest\.py|package\.json|go\.mod|Cargo\.toml|Makefile|\.git)["'].{0,6}\.?(?:exists|is_file|is_dir)\b|\b(?:isfile|isdir|exists|existsSync)\(\s*["'](?:\.\/)?(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|pytest\.ini|conftest\.py|go\.mod|Cargo\.toml|\.git)["']\s*\)/,
    where: (change, line) =>
      !near(change, line, [1, 5]).some(({ code }) => /\b(?:open|load\w*|read\w*|parents?|root)\b/i.test(code)),
    isBeyondChecks: true,
  },
  {
    rule: 'left-undone',
    what: 'discards what it reads',
    files: python,
    on: 'code',
    looksFor: /^\s+(?:json\.loads?|yaml\.(?:safe_)?load|tomllib\.loads?|\w+\.json)\(.*\)\s*$/,
    where: (change, line) =>
      near(change, line, [0, 4]).some(
        ({ code }, at, lines) => /^\s*except\b/.test(code) && /^\s*pass\s*$/.test(lines[at + 1]?.code ?? ''),
      ),
    isBeyondChecks: true,
  },
  {
    rule: 'fixture-changed',
    what: 'writes into the test folder from the source',
    files: (path) => isSource(path) && !/(^|\/)(?:tools?|scripts?)\//.test(path),
    on: 'bare',
    looksFor:
      /\b(?:fs::write|File::create|writeFile(?:Sync)?|WriteFile|file_put_contents|File\.write|WriteAllText)\(\s*['"`](?:\.\/)?(?:tests?|specs?|__tests__)\/|\bopen\(\s*['"](?:\.\/)?(?:tests?|specs?)\/[^'"]*['"]\s*,\s*['"][wa]|\bPath\(\s*['"](?:\.\/)?(?:tests?|specs?)\/[^'"]*['"]\)\.write_/,
    isBeyondChecks: true,
  },
  {
    rule: 'runner-changed',
    what: 'changes how tests run',
    files: /\.py$/,
    on: 'code',
    looksFor: /^\s*def pytest_(?:runtest_call|runtest_protocol|runtest_makereport|pyfunc_call|report_teststatus)\s*\(/,
    where: ({ after }, line) => {
      const at = after.indexOf(line)
      const rest = after.slice(at + 1, at + 14)
      const end = rest.findIndex(({ text }) => /^\S/.test(text))
      return rest
        .slice(0, end === -1 ? rest.length : end)
        .some(({ bare }) =>
          /\bexcept\b|\bsuppress\(|\breturn\s+(?:True|\(?['"]passed)|\.runtest\s*=|\.outcome\s*=\s*['"]passed|force_result|\.obj\s*=/.test(
            bare,
          ),
        )
    },
    isBeyondChecks: true,
  },
  {
    rule: 'runner-changed',
    what: 'hides that a test fails',
    files: (path) => /\.(?:java|kt|rb)$/.test(path) && isTestCode(path),
    on: 'code',
    looksFor:
      /\b(?:handleTestExecutionException|interceptTestMethod)\s*\(|\binstance_variable_set\(\s*:@(?:exception|failures|status)|\bexample\.(?:set_exception|display_exception\s*=)/,
    where: (change, line) =>
      !near(change, line, [0, 10]).some(({ code }) => /\bthrow\b|\braise\b|\.proceed\(\)|\bsuper\b/.test(code)),
    isBeyondChecks: true,
  },
  {
    rule: 'runner-changed',
    what: 'adds an extension to all tests',
    files: /(^|\/)META-INF\/services\/org\.(?:junit|testng)[\w.]*$|(^|\/)junit-platform\.properties$/,
    on: 'text',
    looksFor:
      /^\s*(?!#)(?:[\w.$]*[A-Z][\w$]*|junit\.jupiter\.(?:conditions\.deactivate|extensions\.autodetection\.enabled)\s*=.*)\s*$/,
    isBeyondChecks: true,
  },
]

const readsText = /\b(?:read_text|read_bytes|readlines|open|read|readFile\w*|ReadFile|file_get_contents|compile|ast\.parse)\s*\(/
