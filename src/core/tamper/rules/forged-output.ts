/** A test runner's summary that something else prints. */
import { isCi, isCode, isTestCode } from '../code/files.ts'
import type { LineRule } from './line-rule.ts'

const prints =
  /\bconsole\.(?:log|info|error)\s*\(|\bprocess\.std(?:out|err)\.write\s*\(|\bprint(?:ln|f)?!?\s*\(|\bfmt\.(?:Fp|P)rint\w*\(|\becho\s|\bprintf\s|\bputs\s|\bSystem\.out\.print\w*\(|\bConsole\.Write\w*\(|\bwrite(?:Sync|_all)?\s*\(/
/** With numbers of its own: a reporter has those of its tests. */
const summary =
  /# (?:tests|pass|suites) \d+|\b(?:ℹ|i) (?:tests|pass) \d+|\bTests?:?\s+\d+ passed\b|\bTest (?:Files|Suites):?\s+\d+ passed|\b\d+ passing\b|\b=+ \d+ passed|\b\d+ passed(?:, \d+ \w+)* in \d|\bRan \d+ tests? in \d|\bok {1,4}\t?[\w./-]+\t\d|--- PASS: Test|\btest result: ok\. \d+ passed|\bTests run: \d+, Failures: 0|\b\d+ examples?, 0 failures|\bOK \(\d+ tests?, \d+ assertions?\)|\bPassed!\s+-\s+Failed:\s+0|\b\d+ (?:runs|tests), \d+ assertions, 0 failures/

const isScript = (path: string): boolean =>
  /\.(?:sh|bash|zsh|mk|ps1|cmd|bat)$|(^|\/)(?:GNUm|M|m)akefile$|(^|\/)package\.json$/.test(path) &&
  !/(^|\/)(?:fixtures?|testdata|stubs?|fakes?|mocks?|examples?|docs?)\//.test(path)

export const forgedOutput: LineRule[] = [
  {
    rule: 'output-forged',
    what: "prints a test runner's summary",
    files: (path) => (isCode(path) && !isTestCode(path)) || isScript(path),
    on: 'bare',
    looksFor: summary,
    where: (_, { text, code }) => prints.test(text) && code.trim() !== '',
    isCertain: true,
  },
  {
    rule: 'output-forged',
    what: "prints a test runner's summary",
    files: (path) => isCode(path) && isTestCode(path) && !isCi(path),
    on: 'bare',
    looksFor: summary,
    where: (_, { text, code }) => prints.test(code) && /^\s*(?:console|process|print|fmt|puts|System|Console)/.test(text),
  },
]
