/** An agent that plays a script instead of using a model: for the demo, for tests, and for trying out settings at no cost. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Role } from '../../core/types.ts'
import type { Agent } from '../../ports.ts'
import { readIfThere } from '../files/files.ts'
import { askedOf } from './command.ts'
import type { AgentChoice, AgentOptions, KnownAgent } from './shared/choice.ts'
import { streamJsonReader } from './shared/stream-json.ts'

export const scripted: KnownAgent = { agent: scriptedAgent }

function scriptedAgent({ script, env }: AgentChoice, { root }: AgentOptions): Agent {
  if (!script) throw new Failure(EXIT.config, 'The agent "scripted" needs a script: agent: {name: scripted, script: file.yaml}.')
  return {
    name: 'scripted',
    tellsWordsApart: true,
    tells: 'cost',
    roles: rolesIn(resolve(root, script)),
    program: process.execPath,
    install: 'it comes with Ralph',
    launch: (task) => ({
      command: process.execPath,
      args: [playerPath, resolve(root, script)],
      env: { ...env, ...task.env, ...askedOf(task) },
      stdin: task.prompt,
    }),
    reader: streamJsonReader,
  }
}

/** Only a script with reviews or lessons is called as reviewer or learner. */
function rolesIn(path: string): Role[] {
  const text = readIfThere(path) ?? ''
  const has = (key: string): boolean => new RegExp(`^\\s*"?${key}"?\\s*:`, 'm').test(text)
  return [...(has('reviews') ? (['reviewer'] as const) : []), ...(has('lessons') ? (['learner'] as const) : [])]
}

/** In a build, the player is next to the bundle with this code; from source, next to this file. */
const playerPath = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './player/player.ts' : './player.js', import.meta.url))
