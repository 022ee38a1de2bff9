/** Code that ends the program with success before its tests have run, or whatever their result. */

import type { Finding } from '../../proof/finding.ts'
import { indentOf } from '../changed-tests/test-blocks.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isCode, isTestCode } from '../code/files.ts'
import { testsIn } from '../code/languages.ts'
import type { SourceLine } from '../code/source-lines.ts'

type EndsWithSuccess = {
  files: RegExp
  /** Ends with success. */
  ends: RegExp
  /** Something that others use. */
  isUsed: RegExp
  /** A program of its own, which may end when it likes. */
  isProgram: RegExp
  /** So may a page, which is written out as it runs. */
  isPage?: true
}

const program =
  /^#!|require\.main|import\.meta\.main|import\.meta\.filename|process\.argv|parseArgs|__main__|^package main\b|\bfn main\b|\bARGV\b|\bargparse\b|\bclick\b|\bOptionParser\b|\$argv\b/

const exits: EndsWithSuccess[] = [
  {
    files: /\.[cm]?[jt]sx?$/,
    ends: /\bprocess\.(?:exit|reallyExit|_exit)\s*(?:\(\s*0?\s*\)|\.call\(.{0,30}\b0)|\bprocess\.exitCode\s*=\s*0\b|\bDeno\.exit\(\s*0?\s*\)/,
    isUsed: /^\s*export\b|\bmodule\.exports\b|\bexports\.\w/,
    isProgram: program,
  },
  {
    files: /\.py$/,
    ends: /\bos\._exit\(\s*0\s*\)|\bos\._exit,\s*0\b|\bsys\.exit\(\s*0?\s*\)|\braise\s+SystemExit(?:\(\s*0?\s*\))?\s*$|^(?:exit|quit)\(\s*0?\s*\)|\bpytest\.exit\(.{0,200}returncode\s*=\s*0/,
    isUsed: /^(?:async\s+)?def\s|^class\s/,
    isProgram: program,
  },
  { files: /\.go$/, ends: /\bos\.Exit\(\s*0\s*\)|\bsyscall\.Exit\(\s*0\s*\)/, isUsed: /^func\s/, isProgram: /^package main\b/ },
  { files: /\.rs$/, ends: /\bprocess::exit\(\s*0\s*\)/, isUsed: /\bpub\s/, isProgram: /\bfn main\b/ },
  {
    files: /\.rb$/,
    ends: /(?:^|[\s{;])(?:Kernel\.)?exit!?\s*(?:\(?\s*(?:0|true)\s*\)?)?\s*(?:\}|$|if\b|unless\b)/,
    isUsed: /^\s*(?:def|class|module)\s/,
    isProgram: program,
  },
  {
    files: /\.php$/,
    ends: /(?:^|[\s{;])(?:exit|die)\s*(?:\(\s*0?\s*\))?\s*;/,
    isUsed: /\b(?:function|class)\s/,
    isProgram: program,
    isPage: true,
  },
  {
    files: /\.(?:java|kt|scala|groovy)$/,
    ends: /\bSystem\.exit\(\s*0\s*\)|\bRuntime\.getRuntime\(\)\.halt\(\s*0\s*\)|\bexitProcess\(\s*0\s*\)/,
    isUsed: /\bclass\s/,
    isProgram: /\bvoid main\b|\bfun main\b/,
  },
  { files: /\.(?:cs|fs)$/, ends: /\bEnvironment\.(?:Exit\(\s*0\s*\)|FailFast\()/, isUsed: /\bclass\s/, isProgram: /\bMain\s*\(/ },
]

/** Hooks that run when everything else has ended. */
const atEnd =
  /\bprocess\.(?:on|once|prependListener)\(\s*['"`](?:exit|beforeExit)|\batexit\.register|\bat_exit\b|\bregister_shutdown_function|\b(?:after|afterAll|afterEach|teardown|globalTeardown|pytest_sessionfinish|pytest_unconfigure|TestMain|AfterSuite)\b/
const later = /\b(?:setTimeout|setImmediate|queueMicrotask|nextTick)\s*\(/
const detects =
  /NODE_TEST|VITEST|JEST_WORKER|PYTEST|NODE_ENV\b[^!]{0,20}==\s*['"`]test|testing\.Testing|sys\.modules|execArgv|npm_lifecycle|--test\b(?!-)/

export function endsBeforeTests(change: Change): Finding[] {
  const { path, after } = change
  const exit = isCode(path) ? exits.find(({ files }) => files.test(path)) : undefined
  if (exit === undefined) return []
  const tests = isTestCode(path)
  const fresh = freshIn(change, (other) => isCode(other) && isTestCode(other) === tests).filter(
    ({ code, text }) => exit.ends.test(code) && !(/\bpytest\.exit/.test(code) && !/returncode/.test(text)),
  )
  if (fresh.length === 0) return []
  const isProgram = after.some(({ text }) => exit.isProgram.test(text)) || (exit.isPage === true && isPage(after))
  return fresh.flatMap((line): Finding[] => {
    const found = tests ? inTests(change, line) : inSource(change, line, exit, isProgram)
    if (found === null) return []
    const words = `${path} ends the program with success ${found.when} (${line.code.trim().slice(0, 60)}, line ${line.at})`
    return [
      {
        rule: 'ends-early',
        file: path,
        line: line.at,
        words,
        ...(found.isCertain ? { isCertain: true } : tests ? {} : { isBeyondChecks: true }),
      },
    ]
  })
}

const isPage = (lines: SourceLine[]): boolean =>
  lines.some(({ text }) => /^(?:echo|print|header\(|http_response_code\()/.test(text)) &&
  !lines.some(({ code }) => /^\s*(?:namespace|(?:(?:abstract|final|readonly)\s+)*class|interface|trait)\s/.test(code))

/** Go runs the tests of a package only if its TestMain does. */
export function runsNoTests({ path, added, after }: Change): Finding[] {
  const main = path.endsWith('_test.go') ? added.find(({ code }) => /^func TestMain\(/.test(code)) : undefined
  if (main === undefined || after.some(({ code }) => /\.Run\(\s*\)|\bVerifyTestMain\(|\bMain\(\s*m\b/.test(code))) return []
  return [
    {
      rule: 'ends-early',
      file: path,
      line: main.at,
      words: `TestMain in ${path} runs no test (line ${main.at})`,
      isCertain: true,
    },
  ]
}

type When = { when: string; isCertain: boolean } | null

function inTests({ path, after }: Change, line: SourceLine): When {
  const around = linesBefore(after, line, 6)
  // A program that a test writes or starts ends as it likes.
  if (around.some(({ code }) => /\b(?:spawn|exec\w*|fork|writeFile\w*|execFile\w*|subprocess|system)\s*\(/.test(code)))
    return null
  const isConditional =
    around.slice(-3).some(({ code }) => /^\s*(?:if|unless|elif|else|catch|except|case)\b/.test(code)) ||
    /^\s*if\b/.test(line.code)
  const hasTests =
    after.some(({ code }) => testsIn(path)?.language.declares.test(code) === true) ||
    /conftest\.py$|_helper\.rb$|setup/i.test(path)
  const end = around.findIndex(({ text }) => atEnd.test(text))
  const isEnd = end !== -1 || atEnd.test(line.text)
  const isZero = /0|true|exit!|SystemExit/.test(line.code)
  // A program that asserts when it ends: what fails there does not come this far.
  const hasAsserted = end !== -1 && around.slice(end).some(({ code }) => testsIn(path)?.language.asserts.test(code) === true)
  if (isEnd) return { when: 'after the tests, whatever their result', isCertain: !isConditional && isZero && !hasAsserted }
  // In a test of Python this is a failure like any other, unless it is expected.
  if (/\.py$/.test(path) && /^\s/.test(line.text) && /\bsys\.exit\b|\bSystemExit\b/.test(line.code)) return null
  if (isConditional && !around.some(({ text }) => detects.test(text))) return null
  return { when: 'while the tests run', isCertain: hasTests && isZero }
}

function inSource({ after }: Change, line: SourceLine, { isUsed }: EndsWithSuccess, isProgram: boolean): When {
  const around = linesBefore(after, line, 3)
  if ([...around, line].some(({ text }) => detects.test(text))) return { when: 'when it is being tested', isCertain: true }
  if (isProgram || !after.some(({ code }) => isUsed.test(code))) return null
  const isTop =
    /^\S/.test(line.text) &&
    !/^(?:if|else|\}|while|for|case|switch|try|catch|func|function|def|main|run|await main|program)\b/.test(line.text)
  const isLate = isTop && later.test(line.code)
  // In a function that is written on the same line, it waits for a call.
  const isLoaded =
    isTop &&
    !/^defined\(.*\|\|/.test(line.text) &&
    !/=>|\bfunction\b|\blambda\b|->/.test(line.code.slice(0, line.code.search(exitCall) + 1))
  const isInit = /\bfunc init\(\)|\bstatic\s*\{|\bstatic constructor|#\[ctor/.test(
    [...around, line].map(({ code }) => code).join(' '),
  )
  const isAtEnd = [...around.slice(-1), line].some(({ text }) =>
    /\bprocess\.(?:on|once)\(\s*['"`](?:exit|beforeExit)|\batexit\.register|\bat_exit\b/.test(text),
  )
  if (isAtEnd) return { when: 'whatever happened before', isCertain: true }
  if (isInit || isLoaded || isLate) return { when: 'as soon as it is loaded', isCertain: true }
  const before = line.code.slice(0, Math.max(0, line.code.search(exitCall)))
  const isInline = /=>|\bfunction\b|\blambda\b/.test(before)
  const above = after
    .slice(0, after.indexOf(line))
    .findLast(({ text, code }) => code.trim() !== '' && indentOf(text) < indentOf(line.text))
  const header = isInline ? before : (above?.code ?? '')
  const isPlain = (isInline || /\b(?:function|def|func|fn)\b|=>\s*\{?$/.test(header)) && !mayEnd.test(header)
  return isPlain ? { when: 'when it is called', isCertain: false } : null
}

const exitCall = /\w+\.?_?[eE]xit|\bdie\b/
/** Functions that are there to end a program, or are called when it ends. */
const mayEnd =
  /exit|quit|stop|shut|close|die|end|term|kill|main|run|exec|cli|handle|signal|sig|on[A-Z]|\.on\(|then|catch|cleanup|abort|usage|help|version|fatal|bye/i

function linesBefore(lines: SourceLine[], line: SourceLine, count: number): SourceLine[] {
  const at = lines.indexOf(line)
  return lines.slice(Math.max(0, at - count), at)
}
