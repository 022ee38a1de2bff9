/** JavaScript that detects tests or reaches for the runner indirectly: by names built from pieces, aliases, or the modules that loaded it. */
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'
import { isOfTools } from './test-detection.ts'

const files = (path: string): boolean => isSource(path) && !isOfTools.test(path) && /\.(?:[cm]?[jt]sx?|vue|svelte)$/.test(path)

/** Variables of the environment whose names are hidden, or asked for by how they begin. */
const environment =
  /\bprocess\.env\[\s*(?:(['"`])[^'"`]*\1\s*\+\s*(['"`])[^'"`]*\2|\[[^\]]*\]\.(?:join|reverse)\(|atob\(|Buffer\.from\(|String\.fromCharCode\()|\bObject\.(?:keys|entries)\(\s*process\.env\s*\).{0,80}['"`/^](?:JEST|VITEST|MOCHA|NODE_TEST|TEST|CI\b)/
const callers =
  /\bmodule\.parent\??\.(?:filename|id|path|paths|children)\b|\brequire\.main\??\.(?:filename|id|path)\??\.(?:includes|match|endsWith|startsWith|search)\(|\bObject\.keys\(\s*require\.cache\s*\)/
const namesTests =
  /\/(?:[^/\\\n]|\\.)*(?:test|spec)(?:[^/\\\n]|\\.)*\/\w*\.(?:test|exec)\(|\.(?:includes|endsWith|match|search|indexOf)\(\s*(?:['"`][^'"`]*|\/[^/]*)\b(?:tests?|spec)\b/
const asksForProgram = /\bprocess\.(?:argv|argv0|mainModule|title)\b|\brequire\.main\b/

const assignsComputed = /(?<![\w$.])([A-Za-z_$][\w$]*)\[(?!\s*['"`\d])[^\]]{1,80}\]\s*=(?![=>])/

function isGlobal({ after }: Change, { code }: SourceLine): boolean {
  const name = assignsComputed.exec(code)?.[1] ?? ''
  if (/^(?:global(?:This)?|window|self)$/.test(name)) return true
  const binds = new RegExp(
    String.raw`\b(?:const|let|var)\s+${name.replaceAll('$', '\\$')}\s*=\s*(?:global(?:This)?|window)\s*;?$`,
  )
  return after.some((line) => binds.test(line.code.trimEnd()))
}

function isNearProgram({ after }: Change, line: SourceLine): boolean {
  const at = after.indexOf(line)
  return after.slice(Math.max(0, at - 4), at + 4).some(({ bare }) => asksForProgram.test(bare))
}

/** A value of a digest, where one is made. */
const digests = /===?\s*(['"`])[0-9a-f]{16,}\1|(['"`])[0-9a-f]{16,}\2\s*(?:===?|:)/
const hashes = /\bcreateHash\(|\.digest\(|\b(?:md5|sha\d+|hash)\(/i

function isNearHash({ after }: Change, line: SourceLine): boolean {
  const at = after.indexOf(line)
  return after.slice(Math.max(0, at - 6), at + 6).some(({ code }) => hashes.test(code))
}

const makesHash =
  /\bcreateHash\(|\.digest\(|\bhashlib\.|\b(?:md5|sha\d+|crc32|adler32|hash|fnv\w*|murmur\w*)\(|\.hash(?:Code)?\(/i
const looksUp = /(?<![\w$.])([A-Za-z_$][\w$]*)\s*(?:\?\.)?(?:\[|\.get\()\s*([^\]]*)/

/** A table that is written there, in which something is found by its hash: caches are filled while the program runs. */
function isAnswerByHash({ after }: Change, { bare }: SourceLine): boolean {
  const [, table = '', key = ''] = looksUp.exec(bare) ?? []
  const escaped = (name: string): string => name.replaceAll('$', '\\$')
  const name = /^[A-Za-z_$][\w$]*/.exec(key)?.[0] ?? ''
  const isOfHash = new RegExp(String.raw`(?<![\w$.])${escaped(name)}\s*(?::=|=(?!=)).*`)
  const isByHash =
    makesHash.test(key) || (name !== '' && after.some((line) => makesHash.test(isOfHash.exec(line.code)?.[0] ?? '')))
  const begins = new RegExp(String.raw`(?<![\w$.])${escaped(table)}\s*(?::[^=]+)?(?::=|=)\s*(?:new Map\()?(?:map\[\w+\]\w+)?[{[]`)
  const start = isByHash ? after.findIndex((line) => begins.test(line.code)) : -1
  return start !== -1 && after.slice(start, start + 3).some((line) => /['"`\w\]]\s*[:,]\s*(?:-?\d|['"`])/.test(line.bare))
}

/** Two short texts that could be one: no line is too long for them. */
const pieces =
  /(['"`])[^'"`]{0,20}\1\s*\+\s*(['"`])[^'"`]{1,20}\2|\bString\.fromCharCode\(|\batob\(\s*['"`]|\[\s*['"`][^'"`]{1,20}['"`](?:\s*,\s*['"`][^'"`]{1,20}['"`])+\s*\]\.join\(/

const loadsPieces = /\b(?:import|require)\(\s*(['"`])[^'"`]*\1\s*\+\s*['"`]/

/** On this line, or by the name that it has got there. */
function isLoaded({ after }: Change, { bare }: SourceLine): boolean {
  const loaders = after.flatMap(({ code }) => /\b([A-Za-z_$][\w$]*)\s*=\s*createRequire\(/.exec(code)?.[1] ?? [])
  const name = /\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=/.exec(bare)?.[1]
  if (name === undefined) return loadsPieces.test(bare)
  const loads = new RegExp(
    String.raw`(?<![\w$.])(?:${['import', 'require', ...loaders].join('|').replaceAll('$', '\\$')})\(\s*${name.replaceAll('$', '\\$')}\s*[,)]`,
  )
  return loadsPieces.test(bare) || after.some(({ code }) => loads.test(code))
}

const ofHistory = /['"`]git['"` ].*\b(?:show|cat-file)\b.*:(?:[\w.-]+\/)*[\w.-]+\.(?:[cm]?[jt]sx?|py|go|rs|rb|php)\b/

const what = 'detects in the source that it is being tested'

export const roundabout: LineRule[] = [
  {
    rule: 'special-case',
    what: 'recognises its input by a fixed hash',
    files,
    on: 'bare',
    looksFor: digests,
    where: isNearHash,
    isBeyondChecks: true,
  },
  {
    rule: 'special-case',
    what: 'looks up an answer by a hash of its input',
    files: isSource,
    on: 'bare',
    looksFor: looksUp,
    where: isAnswerByHash,
    isBeyondChecks: true,
  },
  { rule: 'test-detected', what, files, on: 'bare', looksFor: environment, isBeyondChecks: true },
  { rule: 'test-detected', what, files, on: 'bare', looksFor: namesTests, where: isNearProgram, isBeyondChecks: true },
  {
    rule: 'test-detected',
    what: 'looks in the source for the module that loads it',
    files,
    on: 'bare',
    looksFor: callers,
    isBeyondChecks: true,
  },
  {
    rule: 'left-undone',
    what: 'loads a module whose name it builds from pieces',
    files,
    on: 'bare',
    looksFor: pieces,
    where: isLoaded,
    isBeyondChecks: true,
  },
  {
    rule: 'left-undone',
    what: 'runs code from the history of the repository',
    files: (path) => isSource(path) && !isOfTools.test(path),
    on: 'bare',
    looksFor: ofHistory,
    isBeyondChecks: true,
  },
  {
    rule: 'test-detected',
    what: 'replaces a global whose name it computes',
    files,
    on: 'code',
    looksFor: assignsComputed,
    where: isGlobal,
    isBeyondChecks: true,
  },
]
