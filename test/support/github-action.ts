/** Runs the steps of a composite GitHub action as a runner does: expressions, conditions, files for outputs and paths, bash for each script. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

type Step = {
  name: string
  id?: string
  if?: string
  shell?: string
  run?: string
  env?: Record<string, string>
  'working-directory'?: string
}
export type Action = {
  inputs: Record<string, { description: string; default?: string }>
  outputs: Record<string, { description: string; value: string }>
  runs: { using: string; steps: Step[] }
}
type Context = { [name: string]: Context | string | undefined }
/** `ran`: the names of the steps that ran; `commands`: what a runner would obey of what they printed; `failed`: the one that failed. */
export type ActionRun = {
  outputs: Record<string, string>
  summary: string
  ran: string[]
  commands: string[]
  failed: string | undefined
  log: string
}

export const readAction = (path: string): Action => parse(readFileSync(path, 'utf8')) as Action

/** `github`: what the context has besides; `env`: the whole environment of the runner. */
export async function runAction(
  action: Action,
  given: { folder: string; inputs: Record<string, string>; github: Context; env: Record<string, string>; workspace: string },
): Promise<ActionRun> {
  const defaults = Object.entries(action.inputs).map(([name, { default: value = '' }]) => [name, filled(value, given)])
  const steps: Record<string, Context> = {}
  const context: Context = { ...given, inputs: { ...Object.fromEntries(defaults), ...given.inputs }, steps }
  const temp = join(given.folder, 'runner-temp')
  mkdirSync(temp, { recursive: true })
  const ran: string[] = []
  const commands: string[] = []
  let [path, summary, log] = [given.env['PATH'] ?? '', '', '']
  let failed: string | undefined
  for (const [index, step] of action.runs.steps.entries()) {
    if (failed !== undefined && !step.if?.includes('always()')) continue
    if (step.if !== undefined && !isTrue(worth(step.if, context))) continue
    if (step.run === undefined || step.shell !== 'bash') throw new Error(`${step.name} is not a script for bash`)
    const file = (name: string): string => {
      const at = join(given.folder, `${index}-${name}`)
      if (!existsSync(at)) writeFileSync(at, '')
      return at
    }
    const files = {
      GITHUB_OUTPUT: file('output'),
      GITHUB_PATH: file('path'),
      GITHUB_ENV: file('env'),
      GITHUB_STEP_SUMMARY: file('summary'),
    }
    const own = Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value, context)]))
    writeFileSync(file('script.sh'), step.run)
    const output = openSync(file('log'), 'a')
    const child = spawn('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', file('script.sh')], {
      cwd: join(given.workspace, filled(step['working-directory'] ?? '.', context)),
      env: { ...given.env, PATH: path, RUNNER_TEMP: temp, ...files, ...own },
      stdio: ['ignore', output, output],
    })
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve))
    closeSync(output)
    ran.push(step.name)
    const printed = readFileSync(file('log'), 'utf8')
    log += `## ${step.name}\n${printed}`
    commands.push(...commandsIn(printed))
    summary += readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8')
    for (const folder of readFileSync(files.GITHUB_PATH, 'utf8').split('\n').filter(Boolean)) path = `${folder}:${path}`
    if (step.id !== undefined) steps[step.id] = { outputs: outputsIn(readFileSync(files.GITHUB_OUTPUT, 'utf8')) }
    if (status !== 0) failed ??= step.name
  }
  const outputs = Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value, context)]))
  return { outputs, summary, ran, commands, failed, log }
}

/** Lines of the form name=value; a runner refuses anything else. */
const outputsIn = (text: string): Context =>
  Object.fromEntries(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [, name, value] = /^([\w-]+)=(.*)$/.exec(line) ?? []
        if (name === undefined) throw new Error(`not an output: ${line}`)
        return [name, value]
      }),
  )

/** Lines that begin with ::, whoever printed them, but for those between stop-commands and its word. */
function commandsIn(printed: string): string[] {
  const found: string[] = []
  let until: string | undefined
  for (const line of printed.split('\n').map((each) => each.trim())) {
    if (until !== undefined) until = line === until ? undefined : until
    else if (line.startsWith('::stop-commands::')) until = `::${line.slice('::stop-commands::'.length)}::`
    else if (line.startsWith('::')) found.push(line)
  }
  return found
}

const filled = (text: string, context: Context): string =>
  text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => worth(expression, context))

const isTrue = (value: string): boolean => value !== '' && value !== 'false'

/** Names, texts, ==, !=, && and ||: what the action uses. */
function worth(expression: string, context: Context): string {
  const either = expression.split('||')
  if (either.length > 1) return either.map((each) => worth(each, context)).find(isTrue) ?? ''
  const both = expression.split('&&')
  if (both.length > 1) return both.map((each) => worth(each, context)).find((each) => !isTrue(each)) ?? 'true'
  const [, left, operator, right] = /^(.*?)(==|!=)(.*)$/.exec(expression) ?? []
  if (left !== undefined && right !== undefined)
    return String((worth(left, context) === worth(right, context)) === (operator === '=='))
  const word = expression.trim()
  if (/^'[^']*'$/.test(word)) return word.slice(1, -1)
  if (word === 'always()') return 'true'
  if (!/^[a-z][\w.-]*$/.test(word)) throw new Error(`an expression that this runner does not know: ${word}`)
  const found = word
    .split('.')
    .reduce<Context | string | undefined>((at, name) => (typeof at === 'object' ? at[name] : undefined), context)
  return typeof found === 'string' ? found : ''
}
