/** The end of what an agent said and did, in readable lines, for its learner. */
import { closeSync, readSync, statSync } from 'node:fs'
import { openRegular } from '../../adapters/files/open.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { plain } from '../../core/text/plain.ts'
import type { Agent } from '../../ports.ts'
import { cut, entryLines, logReader } from '../../views/log-lines.ts'
import { readerOf } from '../history/log-agents.ts'

export type SessionLines = { take(entry: Entry): void; lines(): string[] }
/** By iteration, the last few: the end of the agent's session. */
export type Sessions = Map<number, SessionLines>

/** A result of a thousand lines must not displace the session: each line is cut, and only the last ones are kept. */
const mostLines = 100
const longestLine = 200

function sessionLines(): SessionLines {
  let kept: string[] = []
  let lastWords = ''
  return {
    take(entry) {
      const isLast = entry.kind === 'end' && (entry.text ?? '').trim() !== lastWords.trim()
      const told: Entry = isLast ? { kind: 'said', text: entry.text ?? '', isSub: false } : entry
      if (told.kind === 'said' && !told.isSub) lastWords = told.text
      kept.push(...linesOf(told).slice(-mostLines))
      if (kept.length > 10 * mostLines) kept = kept.slice(-mostLines) // now and then: an agent may print millions of lines
    },
    lines: () => kept.slice(-mostLines),
  }
}

/** What a program prints beside its own format tells nothing. Of a failure the end says why. */
function linesOf(entry: Entry): string[] {
  if (entry.kind === 'noise') return []
  if (entry.kind === 'tool-result' && entry.failed) return failedLines(entry.text)
  return entryLines(entry, { words: '', rest: '  ', noise: 'plain' }).map(({ text }) => cut(text, longestLine))
}

function failedLines(text: string): string[] {
  const lines = plain(text)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const exit = lines.find((line) => /^exit code \d+/i.test(line.trim()))
  const last = lines.slice(-shownOfFailure)
  return [...(exit === undefined || last.includes(exit) ? [] : [exit]), ...last].map((line) =>
    cut(`  ✗ ${line.trim()}`, longestLine),
  )
}
const shownOfFailure = 4

/** Kept for the learner, which runs soon after. */
export function keptSession(sessions: Sessions, iteration: number): SessionLines {
  const session = sessionLines()
  sessions.set(iteration, session)
  for (const old of sessions.keys()) if (sessions.size > mostSessions) sessions.delete(old)
  return session
}

const mostSessions = 20

/** From an earlier run: from the log, as far back as needed, without gate output. */
export function loggedLines(path: string, agents: Agent[]): string[] {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  for (let bytes = 256 * 1024; ; bytes *= 4) {
    const isWhole = bytes >= size
    const text = endOf(path, Math.min(bytes, size))
    const lines = (isWhole ? text : text.slice(text.indexOf('\n') + 1)).split('\n')
    const read = logReader(readerOf(agents), { gates: false })
    const shown = lines.flatMap((line) => read(line).map((each) => cut(each.text, longestLine)))
    if (isWhole || shown.length >= mostLines || bytes >= mostBytes) return shown.slice(-mostLines)
  }
}

const mostBytes = 16 * 1024 * 1024

function endOf(path: string, bytes: number): string {
  if (bytes === 0) return ''
  const fd = openRegular(path)
  try {
    const buffer = Buffer.alloc(bytes)
    const read = readSync(fd, buffer, 0, bytes, statSync(path).size - bytes)
    return buffer.toString('utf8', 0, read)
  } finally {
    closeSync(fd)
  }
}
