/** What can be said of a Dockerfile without building it. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

type Instruction = { word: string; rest: string; line: number }
type Stage = { base: string; name: string; instructions: Instruction[] }

/** Comments and continued lines are joined as Docker does. */
export function stagesOf(text: string): Stage[] {
  const stages: Stage[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    if (/^\s*(#|$)/.test(lines[at]!)) continue
    let whole = lines[at]!
    while (whole.endsWith('\\') && at + 1 < lines.length) whole = `${whole.slice(0, -1)}${lines[++at]!.trim()}`
    const [, word = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(whole) ?? []
    const [, base = '', name = String(stages.length)] = word === 'FROM' ? (/^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []) : []
    if (word === 'FROM') stages.push({ base, name, instructions: [] })
    else stages.at(-1)?.instructions.push({ word, rest, line })
  }
  return stages
}

/** In words, each with its line; empty: nothing to say against it. `context`: the folder that it is built in. */
export function problemsIn(text: string, context: string): string[] {
  const stages = stagesOf(text)
  const last = stages.at(-1)
  const problems = stages
    .filter(({ base }) => !/^[\w./-]+:\d[\w.-]*$/.test(base) && !stages.some(({ name }) => name === base))
    .map(({ base }) => `the base ${base} has no version`)
  for (const { word, rest, line } of stages.flatMap(({ instructions }) => instructions)) {
    const say = (what: string): void => void problems.push(`line ${line}: ${what}`)
    if (!known.includes(word)) say(`${word} is not an instruction`)
    if (word === 'ADD') say('ADD fetches and unpacks: use COPY')
    if (/^(ENV|ARG)$/.test(word) && /^\w*(TOKEN|KEY|SECRET|PASSWORD)/i.test(rest)) say('a secret stays in the image')
    if (/^(ENTRYPOINT|CMD)$/.test(word) && !isList(rest)) say(`${word} without [] goes through a shell, which gets the signals`)
    for (const [, from = ''] of rest.matchAll(/(?:--from=|,from=)([\w.-]+)/g))
      if (!stages.some(({ name }) => name === from)) say(`there is no stage ${from}`)
    const sources = word === 'COPY' && !rest.includes('--from=') ? rest.split(/\s+/).slice(0, -1) : []
    for (const source of sources) if (!existsSync(join(context, source))) say(`${source} is not in the context`)
    if (word !== 'RUN') continue
    const script = rest.replace(/^(--\S+\s+)*/, '')
    if (spawnSync('sh', ['-n'], { input: script }).status !== 0) say('the shell cannot read it')
    if (script.includes('apt-get install') && !script.includes('/var/lib/apt/lists')) say('the lists of apt stay in the image')
    if (/\bsudo\b|curl[^|]*\|\s*(ba)?sh/.test(script)) say('it runs what it fetches, or uses sudo')
  }
  const user = last?.instructions.findLast(({ word }) => word === 'USER')?.rest
  if (user === undefined || /^(root|0)(:|$)/.test(user)) problems.push('the image runs as root')
  if (!last?.instructions.some(({ word }) => word === 'ENTRYPOINT')) problems.push('the image has no ENTRYPOINT')
  return problems
}

const known = ['RUN', 'COPY', 'ADD', 'ENV', 'ARG', 'USER', 'WORKDIR', 'ENTRYPOINT', 'CMD', 'LABEL', 'EXPOSE', 'SHELL']

function isList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false
  }
}
