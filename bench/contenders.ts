/** What is measured: the bare loop, ralph, and any other program given on the command line, each with the same agent. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Failure } from '../src/core/failure.ts'
import { agentScript, makeProject, type Project, type Scratch } from './scratch.ts'

/** `command` runs in bash, in the project's folder; `help` if it is known. */
export type Contender = { name: string; command(project: Project, iterations: number): string; help: string | null }

/** `name=command line`, with {dir}, {agent} and {iterations} in it. */
export function contendersOf(scratch: Scratch, rivals: string[], helps: string[]): Contender[] {
  const named = (text: string): [string, string] => {
    const [, name, command] = /^([^=]+)=(.+)$/s.exec(text) ?? []
    if (name === undefined || command === undefined)
      throw new Failure(EXIT.usage, `"${text}" is not of the form 'name=command line'`)
    return [name.trim(), command]
  }
  const helpOf = new Map(helps.map(named))
  const floor: Contender = {
    name: 'floor',
    command: ({ agent }, count) => `for i in $(seq ${count}); do '${agent}' < .ralph/bench/prd.json > /dev/null 2>&1; done`,
    help: null,
  }
  const node = `'${process.execPath}' '${scratch.program}'`
  const ralph: Contender = {
    name: 'ralph',
    command: (_, count) => `${node} run --no-archive -n ${count}`,
    help: `${node} --help`,
  }
  const others = rivals.map(named).map(([name, command]): Contender => {
    const filled = ({ root, agent }: Project, count: number): string =>
      command.replaceAll('{dir}', root).replaceAll('{agent}', agent).replaceAll('{iterations}', String(count))
    return { name, command: filled, help: helpOf.get(name) ?? null }
  })
  return [floor, ralph, ...others]
}

/** A project of 20 stories, and an environment in which the agent is found first, as `claude` and as `agent`. */
export function arena(scratch: Scratch, stories: number): { project: Project; env: Record<string, string> } {
  const project = makeProject(scratch, stories, 'commits and flips')
  const names = join(scratch.folder, `agents-${project.root.split('-').at(-1)}`)
  mkdirSync(names)
  for (const name of ['claude', 'agent']) {
    writeFileSync(join(names, name), agentScript(project, 'commits and flips', 0))
    chmodSync(join(names, name), 0o755)
  }
  return { project, env: { ...scratch.env, PATH: `${names}:${scratch.env['PATH']}` } }
}
