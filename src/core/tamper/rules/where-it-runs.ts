/** Source that checks where, for how long or by whom it runs, and source that replaces output or exit functions. */
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'
import { isOfTools, isRun } from './test-detection.ts'

const files = (path: string): boolean => isSource(path) && !isOfTools.test(path)

const place = String.raw`(?:import\.meta\.(?:url|dirname|filename)|__dirname|__filename|__file__|__dir__|__FILE__|process\.cwd\(\)|os\.getcwd\(\)|Path\.cwd\(\)|Dir\.pwd|os\.Getwd\(\)|os\.Executable\(\)|process\.execPath|sys\.executable)`
const isPlace = new RegExp(place)
/** A part of a text is looked for: the text before it, or after it. */
const asked = String.raw`(?:\.(?:includes|startsWith|endsWith|indexOf|lastIndexOf|match|search|startswith|endswith|contains|include\?|split\([^()]*\)\.(?:includes|some|indexOf))\(|\[\d)`
const lookedFor = (what: string): RegExp =>
  new RegExp(
    String.raw`${what}\)*(?:\.\w+\(\))*${asked}|(?:\.(?:test|exec)|\bre\.(?:search|match))\([^()]*(?:\([^()]*\))?[^()]*${what}|['"]\s+(?:not\s+)?in\s+(?:str\()?${what}`,
  )
const inPlace = lookedFor(place)
/** Built or installed code knows where it lies; the program that is started compares itself with its own file. */
const ofBuilds =
  /node_modules|\bdist\b|\bbuild\b|\basar\b|\bsrc\b|\blib\b|site-packages|\.[cm]?[jt]sx?\b|\.py\b|\bargv\b|\bmain\b|\$bunfs/

const bound = new RegExp(String.raw`(?:\b(?:const|let|var|val|final)\s+)?\b(\w+)\s*:?=\s*[^=].*${place}`)

/** A name that was given to a place before. */
function isOfPlace({ after }: Change, line: SourceLine): boolean {
  const names = after.flatMap(({ bare }) => bound.exec(bare)?.[1] ?? []).filter((name) => line.code.includes(name))
  return (
    isRun(null, line) && names.some((name) => lookedFor(String.raw`\b${name}\b`).test(line.bare) && !ofBuilds.test(line.bare))
  )
}

const variables =
  /\bObject\.(?:keys|values|entries)\(\s*(?:global(?:This)?\.)?process\.env\s*\)\s*\.(?:some|find\w*|join|includes)\(|\bJSON\.stringify\(\s*process\.env\s*\)\s*\.(?:includes|match|search)|\.test\(\s*JSON\.stringify\(\s*process\.env\b|\bany\(.*\bin\s+os\.environ\b/
/** Nobody but a tool asks its repository, or the system for the processes around. */
const surroundings =
  /['"`/]\.ralph\b|\.git\/(?:objects|worktrees|info|index|logs|modules)\b|\/proc\/(?:self|thread-self|\d+|\$\{|%|['"`]\s*(?:\+|,))|\bprocess\.moduleLoadList\b|\bprocess\.getActiveResourcesInfo\(|\bsys\.modules(?:\.get\(|\[)\s*['"]_?(?:pytest|unittest)\b|\bsys\._current_frames\(|\b(?:gc\.get_objects|gc\.get_referrers)\(/
const youth =
  /\bprocess\.(?:uptime\(\)|hrtime\w*(?:\.bigint)?\([^()]*\))\s*[<>]|\bperformance\.now\(\)\s*[<>]=?\s*\d|\btime\.(?:process_time|perf_counter|monotonic)\(\)\s*[<>]=?\s*\d|[<>]=?\s*process\.uptime\(\)|\bprocess\.ppid\s*[=!]==?|\bos\.getppid\(\)\s*[=!]=/
const terminal =
  /(?:!\s*|\bnot\s+|\bif\s*\(\s*)(?:process\.std(?:in|out|err)\.isTTY|sys\.std(?:in|out|err)\.isatty\(\)|STDOUT\.tty\?)/
const ofTerminals =
  /\b(?:colou?r\w*|log\w*|spinner|progress|prompt\w*|interactive|width|columns|stream|print\w*|render\w*|console|ansi|chalk|banner|pager|question|readline|stdin)\b/i
const stacks =
  /\/(?:[^/\\\n]|\\.)+\/\w*\.(?:test|exec)\(\s*[\w.]*\bstack\b|\.stack\??\.(?:includes|match|search|indexOf)\(|\btraceback\.(?:extract_stack|walk_stack|format_stack)\(/
const ofReports = /\b(?:log\w*|warn\w*|deprecat\w*|debug\w*|report\w*|format\w*|print\w*|trace\w*|clean\w*|filter\w*)\b/i

const replaces =
  /(?<![\w$.])(?:process\.(?:exit|reallyExit|abort|kill|emit|emitWarning|std(?:out|err)\.write)|console\.(?:log|info|error|warn)|sys\.(?:stdout|stderr|exit)|os\._exit|builtins\.(?:print|exit)|global(?:This)?\.(?:Error|process|console))\s*=(?![=>])|\bObject\.(?:defineProperty|assign)\(\s*(?:process|console|process\.stdout)\b/

const near = ({ after }: Change, line: SourceLine, reach: number): SourceLine[] => {
  const at = after.indexOf(line)
  return after.slice(Math.max(0, at - reach), at + reach)
}

export const whereItRuns: LineRule[] = [
  {
    rule: 'test-detected',
    what: 'detects in the source where it runs',
    files,
    on: 'bare',
    looksFor: inPlace,
    unless: ofBuilds,
    where: isRun,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'detects in the source where it runs',
    files: (path) => files(path),
    on: 'bare',
    looksFor: /\b\w+\b.*['"`/].*/,
    where: (change, line) => !isPlace.test(line.bare) && isOfPlace(change, line),
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'searches all environment variables in the source',
    files,
    on: 'bare',
    looksFor: variables,
    where: isRun,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'inspects its surroundings in the source',
    files,
    on: 'bare',
    looksFor: surroundings,
    where: isRun,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'depends in the source on how long its process has run, or on who started it',
    files,
    on: 'bare',
    looksFor: youth,
    unless: /health|metric|status|timeout|elapsed|deadline|budget|limit/i,
    where: isRun,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'depends in the source on whether it has a terminal',
    files,
    on: 'bare',
    looksFor: terminal,
    where: (change, line) =>
      isRun(change, line) && !near(change, line, 4).some(({ text }) => ofTerminals.test(text.replace(terminal, ''))),
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'looks in the source for its caller or its runner',
    files,
    on: 'bare',
    looksFor: stacks,
    where: (change, line) =>
      isRun(change, line) && !near(change, line, 4).some(({ code }) => ofReports.test(code.replace(stacks, ''))),
    isBeyondChecks: true,
  },
  {
    rule: 'output-forged',
    what: 'replaces output or exit functions in the source',
    files,
    on: 'code',
    looksFor: replaces,
    isBeyondChecks: true,
  },
]
