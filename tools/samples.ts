/**
 * Runs the samples of the documentation and writes what they print: node tools/samples.ts [page…]
 *
 * A sample is a console block below a mark: <!-- sample shop -->, <!-- sample shop: ralph run --> or <!-- sample shop until waiting -->.
 * "shop" is a project of samples/projects.ts; all samples of a page with that name share it. The command after the colon is run first and not
 * shown. A run is stopped when it prints the word after "until". Each line that begins with "$ " is run, and its output replaced.
 *
 * A line "…" in an output stands for lines that are left out. The part before the first one is the beginning of the output, the part after the
 * last one its end, and a part in between starts at the first line with the same two words. Each part keeps its number of lines.
 */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeProject, ralphProgram, type TestProject } from '../test/support/project.ts'
import { stableWords } from './samples/normal.ts'
import { projects } from './samples/projects.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
export const pagePath = (page: string): string => join(root, page)
export const samplePages = globSync('docs/*.md', { cwd: root })
  .filter((page) => readFileSync(pagePath(page), 'utf8').includes('<!-- sample '))
  .sort()

type Sample = { project: string; until: string | undefined; hidden: string; commands: { line: string; output: string[] }[] }
const mark = /(<!-- sample ([\w-]+)(?: until (\w+))?(?:: (.*))? -->\n(`{3,})console\n)([\s\S]*?)(^\5\n)/gm

/** The page with the current output of every sample. */
export async function withSamples(text: string): Promise<string> {
  const samples = [...text.matchAll(mark)].map(([, , project, until, hidden, , body]) => ({
    project: project!,
    until,
    hidden: hidden ?? '',
    commands: commandsIn(body!),
  }))
  const names = [...new Set(samples.map(({ project }) => project))]
  const printed = new Map<Sample, string>()
  await Promise.all(names.map((name) => play(name, samples, printed)))
  let next = 0
  return text.replace(
    mark,
    (_, head: string, _project, _until, _hidden, _fence, _body, tail: string) => `${head}${printed.get(samples[next++]!)}${tail}`,
  )
}

function commandsIn(body: string): Sample['commands'] {
  const commands: Sample['commands'] = []
  for (const line of body.split('\n').slice(0, -1)) {
    if (line.startsWith('$ ')) commands.push({ line: line.slice(2), output: [] })
    else commands.at(-1)?.output.push(line)
  }
  return commands
}

async function play(name: string, samples: Sample[], printed: Map<Sample, string>): Promise<void> {
  const sketch = projects[name]
  if (!sketch) throw new Error(`tools/samples/projects.ts has no project "${name}"`)
  const made = makeProject(sketch)
  const shell = shellIn(made)
  try {
    const words = stableWords(made)
    for (const sample of samples.filter(({ project }) => project === name)) {
      words.shown(await shell(words.real(sample.hidden)))
      let text = ''
      for (const { line, output } of sample.commands)
        text += `$ ${line}\n${shortened(words.shown(await shell(words.real(line), sample.until)), output)}`
      printed.set(sample, text)
    }
    const isLeftRunning = samples.some(({ project, hidden }) => project === name && hidden.includes(' & '))
    if (isLeftRunning) await shell('while ralph stop --now; do sleep 0.1; done') // until no run is live
  } finally {
    made.remove()
  }
}

/** Nothing else is on PATH: an agent installed here must not show up in a sample. */
const programs = 'cat chmod cp env git grep head kill ls mkdir node prlimit ps rm sed setsid sh sleep tail tar touch true'.split(
  ' ',
)

/** Runs a line as a user's shell would: both streams in order, $? from the previous line. */
function shellIn({ root: cwd, home, env }: TestProject): (line: string, until?: string) => Promise<string> {
  const bin = join(home, '..', 'bin')
  mkdirSync(bin)
  for (const program of programs) {
    const path = env['PATH']!.split(':').find((folder) => existsSync(join(folder, program)))
    if (path !== undefined) symlinkSync(join(path, program), join(bin, program))
  }
  writeFileSync(join(bin, 'ralph'), `#!/bin/sh\nexec "${process.execPath}" "${ralphProgram}" "$@"\n`)
  chmodSync(join(bin, 'ralph'), 0o755)
  const environment = { ...env, PATH: bin, TZ: 'UTC', COLUMNS: '100' }
  let code = 0
  return async function shell(line: string, until?: string): Promise<string> {
    const child = spawn(join(bin, 'sh'), ['-c', `exec 2>&1; (exit ${code})\n${line}`], {
      cwd,
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    child.stdout.setEncoding('utf8')
    let stopping: Promise<string> | undefined
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (until !== undefined && output.includes(until)) stopping ??= shell('ralph stop --now')
    })
    const ended = await new Promise<number>((resolve) => child.on('close', (status) => resolve(status ?? 1)))
    await stopping
    code = ended
    return output
  }
}

/** Cut where the page cuts it. */
function shortened(output: string, before: string[]): string {
  if (output.trim() === '') return ''
  const lines = output.trimEnd().split('\n')
  const parts = partsOf(before)
  if (parts.length === 1) return `${lines.join('\n')}\n`
  const [first, ...others] = parts
  const last = others.pop()!
  const kept = [
    lines.slice(0, first!.length),
    ...others.map((part) => partOf(lines, part)),
    lines.slice(lines.length - last.length),
  ]
  return `${kept
    .map((part) => part.join('\n'))
    .join('\n…\n')
    .replace(/^\n|\n$/g, '')}\n`
}

function partsOf(lines: string[]): string[][] {
  const parts: string[][] = [[]]
  for (const line of lines)
    if (line === '…') parts.push([])
    else parts.at(-1)!.push(line)
  return parts
}

function partOf(lines: string[], part: string[]): string[] {
  const words = (line: string): string => line.trim().split(/\s+/, 2).join(' ')
  const at = lines.findIndex((line) => words(line).startsWith(words(part[0]!)))
  if (at === -1) throw new Error(`no line begins with "${words(part[0]!)}" in:\n${lines.join('\n')}`)
  return lines.slice(at, at + part.length)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const page of process.argv.length > 2 ? process.argv.slice(2) : samplePages)
    try {
      writeFileSync(pagePath(page), await withSamples(readFileSync(pagePath(page), 'utf8')))
    } catch (error) {
      process.stderr.write(`${page}: ${(error as Error).message}\n`)
      process.exitCode = 1
    }
