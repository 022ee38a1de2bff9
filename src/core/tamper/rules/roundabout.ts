/** JavaScript that notices that it is tested, or reaches for the runner, by a roundabout way: names put together from pieces, aliases, modules that loaded it. */
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'
import { isOfTools } from './test-environment.ts'

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
    rule: 'test-detected',
    what: 'replaces a global whose name it computes',
    files,
    on: 'code',
    looksFor: assignsComputed,
    where: isGlobal,
    isBeyondChecks: true,
  },
]
