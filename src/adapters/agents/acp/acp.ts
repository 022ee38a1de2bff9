/** Any agent that speaks the Agent Client Protocol, through a bridge that holds the conversation and prints it as Claude Code would. */
import { fileURLToPath } from 'node:url'
import type { Agent } from '../../../ports.ts'
import { programOf } from '../command.ts'
import type { AgentChoice, AgentOptions } from '../shared/choice.ts'
import { streamJsonReader } from '../shared/stream-json.ts'
import { type Order, orderVariable } from './order.ts'

export function acpAgent({ name, command = [], env }: AgentChoice, { allowedTools, skipPermissions, root }: AgentOptions): Agent {
  const { program, args } = programOf(name, command, root)
  return {
    name,
    tellsWordsApart: true,
    tells: 'tokens', // some do, but the protocol does not ask for it
    takesStatusTool: true,
    program,
    install: `make ${program} a program that can be started, or name another one under agent.command in the settings`,
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

/** Built, the bridge lies beside the bundle that this file is part of; from source, beside this file. */
const bridgePath = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './bridge.ts' : './acp.js', import.meta.url))
