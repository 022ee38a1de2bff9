/** Any agent that speaks the Agent Client Protocol, through a bridge that holds the conversation and prints it as Claude Code would. */
import { fileURLToPath } from 'node:url'
import type { Agent } from '../../../ports.ts'
import { programOf } from '../command.ts'
import type { AgentChoice, AgentOptions } from '../shared/choice.ts'
import { streamJsonReader } from '../shared/stream-json.ts'
import { shellLimits } from '../shared/tool-rules.ts'
import { type Order, orderVariable } from './bridge-options.ts'

export function acpAgent({ name, command = [], env }: AgentChoice, { allowedTools, skipPermissions, root }: AgentOptions): Agent {
  const { program, args } = programOf(name, command, root)
  return {
    name,
    tellsWordsApart: true,
    tells: 'tokens', // some report it, but the protocol does not require it
    takesStatusTool: true,
    ...(skipPermissions ? {} : { limits: shellLimits(allowedTools) }),
    program,
    install: `make ${program} executable, or set another program in agent.command`,
    launch: ({ prompt, model, statusTool, isReadOnly = false, env: taskEnv }) => {
      const order: Order = isReadOnly
        ? { model, allowedTools: 'Read,Glob,Grep', skipPermissions: false, isReadOnly }
        : { model, allowedTools, skipPermissions, statusTool, isReadOnly }
      return {
        command: process.execPath,
        args: [bridgePath, program, ...args],
        env: { ...env, ...taskEnv, [orderVariable]: JSON.stringify(order) },
        stdin: prompt,
      }
    },
    reader: streamJsonReader,
  }
}

/** In a build, the bridge is next to the bundle with this code; from source, next to this file. */
const bridgePath = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './bridge.ts' : './acp.js', import.meta.url))
