/** A question on the terminal, with a time limit, answered by one key. */
import type { Screen } from './screen.ts'

/** Gives the key that was pressed; null: nobody answered in time, or nobody can. */
export type Ask = (question: string, keys: Record<string, string>, timeoutMs: number, stop: AbortSignal) => Promise<string | null>

export function askOnTerminal(screen: Screen, isAttended: boolean): Ask {
  return (question, keys, timeoutMs, stop) => {
    if (!isAttended || stop.aborted) return Promise.resolve(null)
    const { stdin } = process
    const choices = Object.entries(keys)
      .map(([key, word]) => `[${key}] ${word}`)
      .join('  ')
    screen.say('strong', `? ${question}`)
    screen.say('strong', `  ${choices}  (ends by itself in ${Math.round(timeoutMs / 1000)} s)`)
    return new Promise((resolve) => {
      const done = (key: string | null): void => {
        clearTimeout(timer)
        stop.removeEventListener('abort', silent)
        stdin.off('data', take)
        stdin.setRawMode(false)
        stdin.pause()
        resolve(key)
      }
      const silent = (): void => done(null)
      // Keys that are pressed in quick succession come in one piece.
      const take = (bytes: Buffer): void => {
        for (const key of bytes.toString('utf8').toLowerCase()) {
          // Raw keys carry no signals: Ctrl+C is for us to pass on.
          if (key === '\u0003') return void process.kill(process.pid, 'SIGINT')
          if (key in keys) return done(key)
        }
      }
      const timer = setTimeout(silent, timeoutMs)
      stop.addEventListener('abort', silent)
      stdin.setRawMode(true)
      stdin.resume()
      stdin.on('data', take)
    })
  }
}
