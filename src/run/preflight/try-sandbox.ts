/** Whether this project could work in a bwrap sandbox: the agent and the gate are tried in it, and a person decides. */

import { agentNamed, realAgentNames } from '../../adapters/agents/list.ts'
import { setVariables } from '../../adapters/process/child-env.ts'
import { findProgram } from '../../adapters/process/program.ts'
import { runTree } from '../../adapters/process/tree.ts'
import { openSandbox } from '../../adapters/sandbox/sandbox.ts'
import type { Inner, Sandbox } from '../../adapters/sandbox/wrapped.ts'
import type { Settings } from '../../config/table.ts'
import { Failure } from '../../core/failure.ts'
import { keyLine } from '../../core/proof/key-lines.ts'
import { noNeeds } from '../../ports.ts'

type Tried = { root: string; settings: Settings; env: NodeJS.ProcessEnv; gate: string }

/** In words for a person; null: nothing to say, because one is set, or the agent or bwrap cannot be used here. */
export async function sandboxAdvice({ root, settings, env: given, gate }: Tried): Promise<string | null> {
  const env = setVariables(given)
  const choice = typeof settings.agent === 'string' ? { name: settings.agent } : settings.agent
  if (settings['sandbox.kind'] !== 'none' || !realAgentNames.includes(choice.name) || !findProgram('bwrap', root, env))
    return null
  const { program, name, needs = noNeeds } = agentNamed(choice, { allowedTools: '', skipPermissions: false, root })
  const command = findProgram(program, root, env)
  const sandbox = command === null ? null : await workingSandbox({ root, settings, env })
  if (command === null || sandbox === null) return null
  const inner = { cwd: root, env, files: [], isReadOnly: false }
  const agent = await run({ ...inner, command, args: ['--version'], needs }, sandbox)
  if (agent !== null) return `bwrap works here, but ${name} --version fails in it (${agent}).${more}`
  const check = { ...inner, command: 'sh', args: ['-c', gate], needs: noNeeds }
  const inside = gate === '' ? null : await run(check, sandbox)
  const isOutside = inside !== null && (await run(check, null)) !== null
  if (inside !== null && !isOutside) return `bwrap works here, but "${gate}" fails in it (${inside}) and not outside.${more}`
  const ran = [`${name} --version`, ...(gate === '' || isOutside ? [] : [`"${gate}"`])].join(' and ')
  return `bwrap works here, and ${ran} ran in it. To isolate agents and gates: ralph config set sandbox.kind bwrap (see docs/sandbox.md).`
}

const more = ' See sandbox.home and sandbox.env in docs/sandbox.md.'

async function workingSandbox({
  root,
  settings,
  env,
}: Pick<Tried, 'root' | 'settings'> & { env: Record<string, string> }): Promise<Sandbox | null> {
  try {
    const lets = { home: settings['sandbox.home'], variables: settings['sandbox.env'], network: settings['sandbox.network'] }
    const sandbox = openSandbox('bwrap', { root, trusted: [], run: '', env, name: '', ...lets })
    await sandbox?.check()
    return sandbox
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

const longestMs = 30_000

/** Why it failed: the line that says so, or how it ended; null: it worked. */
async function run(inner: Inner, sandbox: Sandbox | null): Promise<string | null> {
  let output = ''
  const { end: close, ...started } = sandbox?.wrap(inner) ?? { ...inner, end: async () => {} }
  const end = await runTree({
    command: started.command,
    args: started.args,
    env: started.env,
    cwd: inner.cwd,
    stdin: '',
    tag: `init:${process.pid}`,
    timeoutMs: longestMs,
    graceMs: 500,
    keep: [],
    stop: new AbortController().signal,
    isMerged: true,
    onOutput: (bytes) => {
      output = (output + bytes.toString()).slice(-4000)
    },
  })
  await close()
  if (end.how === 'exited' && end.code === 0) return null
  if (end.how === 'timeout') return `not finished after ${longestMs / 1000} s`
  return keyLine(output) ?? `exit ${end.code}`
}
