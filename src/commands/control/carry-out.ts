/** Does what the dashboard's page asks for, or a program that drives Ralph. */
import type { PageRequest } from '../../dashboard/data/shapes.ts'
import type { Io } from '../../io.ts'
import { captured } from './captured-output.ts'
import { startRun, startWords } from './start-run.ts'

type Located = { root: string; dir: string; feature: string }
/** Through the commands: there is one way to make a request to a run. */
export async function carryOut({ root, dir, feature }: Located, asked: PageRequest, io: Io): Promise<string> {
  const commands = await import('../requests.ts')
  return captured({ ...io, cwd: root }, (inside): Promise<number> => {
    switch (asked.kind) {
      case 'say':
        return commands.runSay({ feature, text: asked.text }, inside)
      case 'answer':
        return commands.runAnswer({ feature, text: asked.text, story: asked.story }, inside)
      case 'accept':
        return commands.runAnswer({ feature, text: '', story: asked.story, accept: true }, inside)
      case 'unblock':
        return commands.runUnblock({ feature, note: asked.text }, inside)
      case 'retry':
        return commands.runRetry({ feature, story: asked.story }, inside)
      case 'skip':
        return commands.runSkip({ feature, story: asked.story }, inside)
      case 'start':
        return startRun({ root, dir, feature }, [], inside).then((started) => {
          inside.out(startWords(started, feature, 'you close this page'))
          return 0
        })
      case 'pause':
        return commands.runPause({ feature }, inside)
      case 'resume':
        return commands.runResume({ feature }, inside)
      case 'stop':
      case 'stop-now':
        return commands.runStop({ feature, now: asked.kind === 'stop-now' }, inside)
      case 'reset-breaker':
        return commands.runBreaker({ feature, action: 'reset' }, inside)
    }
  })
}
