/** What a command says to a person, for those who show it elsewhere: a page, another program. */
import type { Io } from '../../io.ts'

/** Nobody can be asked. */
export async function captured(io: Io, act: (inside: Io) => Promise<unknown>): Promise<string> {
  let said = ''
  const hear = (text: string): void => {
    said += text
  }
  await act({ ...io, out: hear, err: hear, raw: hear, isTerminal: false, isAttended: false })
  return said.trim()
}
