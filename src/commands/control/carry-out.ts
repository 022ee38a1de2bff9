/** Does what the page asks for. */
import type { PageRequest } from '../../dashboard/data/shapes.ts'
import type { Io } from '../../io.ts'
import { startRun } from './start-run.ts'

type Located = { root: string; dir: string; feature: string }

/** Through the commands: there is one way to make a request to a run. */
export async function carryOut({ root, dir, feature }: Located, asked: PageRequest, io: Io): Promise<string> {
  const commands = await import('../requests.ts')
  let said = ''
  const inside: Io = { ...io, cwd: root, out: (text) => void (said += text), isTerminal: false, isAttended: false }
  switch (asked.kind) {
    case 'say':
      await commands.runSay({ feature, text: asked.text }, inside)
      break
    case 'answer':
      await commands.runAnswer({ feature, text: asked.text, story: asked.story }, inside)
      break
    case 'accept':
      await commands.runAnswer({ feature, text: '', story: asked.story, accept: true }, inside)
      break
    case 'unblock':
      await commands.runUnblock({ feature, note: asked.text }, inside)
      break
    case 'retry':
      await commands.runRetry({ feature, story: asked.story }, inside)
      break
    case 'skip':
      await commands.runSkip({ feature, story: asked.story }, inside)
      break
    case 'start':
      return startRun({ root, dir, feature }, io)
    case 'pause':
      await commands.runPause({ feature }, inside)
      break
    case 'resume':
      await commands.runResume({ feature }, inside)
      break
    case 'stop':
    case 'stop-now':
      await commands.runStop({ feature, now: asked.kind === 'stop-now' }, inside)
      break
    case 'reset-breaker':
      await commands.runBreaker({ feature, action: 'reset' }, inside)
      break
  }
  return said.trim()
}
