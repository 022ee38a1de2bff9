/** Questions on the terminal: one answered by a key, with a time limit, and one answered by text. */
import { instantOf } from '../../core/text/time.ts'
import type { Screen } from '../outputs/screen.ts'

/**
 * Returns the pressed key; null: nobody answered in time, or nobody can. `silence` says what happens then, and Enter may choose it too, unless
 * another question comes next: many press Enter after their key.
 */
export type KeyQuestion = (
  question: string,
  answers: { keys: Record<string, string>; timeoutMs: number; silence?: string; ignoresEnter?: true },
  stop: AbortSignal,
) => Promise<string | null>

export function askOnTerminal(screen: Screen, isAttended: boolean): KeyQuestion {
  return (question, { keys, timeoutMs, silence, ignoresEnter }, stop) => {
    if (!isAttended || screen.isHidden() || stop.aborted) return Promise.resolve(null)
    const { stdin } = process
    const choices = Object.entries(keys).map(([key, word]) => `[${key}] ${word}`)
    const end = `(${silence ?? 'ends'} automatically in ${timeoutMs < 100_000 ? `${Math.round(timeoutMs / 1000)} s` : `${Math.round(timeoutMs / 60_000)} min`})`
    const row = [...choices, end].join('  ')
    return new Promise((resolve) => {
      const done = (key: string | null): void => {
        clearTimeout(timer)
        stop.removeEventListener('abort', silent)
        stdin.off('data', take)
        stdin.setRawMode(false)
        stdin.pause()
        screen.asking(null)
        resolve(key)
      }
      const silent = (): void => done(null)
      // Keys pressed in quick succession arrive together.
      const take = (bytes: Buffer): void => {
        for (const key of bytes.toString('utf8').toLowerCase()) {
          // Raw keys carry no signals, so Ctrl+C is passed on here.
          if (key === '\u0003') return void process.kill(process.pid, 'SIGINT')
          if (key in keys) return done(key)
          if (key === '\r' && silence !== undefined && !ignoresEnter) return silent()
        }
      }
      const timer = setTimeout(silent, timeoutMs)
      stop.addEventListener('abort', silent)
      stdin.setRawMode(true)
      stdin.resume()
      stdin.on('data', take)
      // Only now: whoever answers at once is heard. Choices that do not fit into one line have one each.
      screen.say('strong', `? ${question}`)
      for (const line of row.length + 2 > (process.stdout.columns ?? 80) ? [...choices, end] : [row])
        screen.say('strong', `  ${line}`)
      screen.asking(instantOf(Date.now() + timeoutMs))
    })
  }
}

/** Lines that arrive together were pasted, and are one text. */
const pasteMs = 50

/** Returns what was typed up to Enter; empty: nothing, or no key for too long. */
export async function askForText(
  prompt: string,
  silenceMs: number,
  stop: AbortSignal,
  output: NodeJS.WritableStream = process.stdout,
): Promise<string> {
  const { createInterface } = await import('node:readline') // most runs ask nothing
  if (stop.aborted) return ''
  const { stdin } = process
  const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0, prompt })
  const lines: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer = setTimeout(resolve, silenceMs)
  const wait = (ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(resolve, ms)
  }
  const onKey = (): void => wait(lines.length > 0 && reader.line === '' ? pasteMs : silenceMs)
  stop.addEventListener('abort', () => resolve())
  stdin.on('keypress', onKey)
  reader.on('line', (line) => {
    lines.push(line)
    wait(pasteMs)
  })
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  reader.on('close', resolve) // Ctrl+D
  reader.prompt()
  await promise
  clearTimeout(timer)
  stdin.off('keypress', onKey)
  reader.close()
  stdin.pause()
  if (lines.length === 0) output.write('\n') // the next message starts on its own line
  return lines.join('\n').trim()
}
