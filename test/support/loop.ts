/** Shared by tests of the loop: common steps of agents, their prompts, and queries on the log. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { TestContext } from 'node:test'
import type { EventOf, Event as LogEvent } from '../../src/core/types.ts'
import { goneAfter, makeProject, type ProjectSketch, ralphProgram, type Steps, type TestProject } from './project.ts'

/** Writes the named story's file, commits it, and marks the story as done. */
export const finishes: Steps = [
  { write: { path: '$RALPH_STORY.txt', text: 'there\n' } },
  { commit: 'feat: $RALPH_STORY' },
  { flip: '$RALPH_STORY' },
  { say: 'It is there.' },
]
/** The same, and leaves it uncommitted. */
export const leaves: Steps = finishes.filter((step) => !('commit' in step))
export const commits = (path: string, text = 'more\n'): Steps => [{ append: { path, text } }, { commit: `feat: ${path}` }]
/** For a project `withoutWaits` until `../late`: its time is up. */
export const late: Steps[number] = { run: 'echo > ../late' }
export const idles: Steps = [{ say: 'Looked around.' }]
export const says = (text: string): Steps => [{ say: text }]
export const asks = (question: string): Steps => says(`<promise>DECIDE:${question}</promise>`)
/** Does the rest only if the prompt matches; otherwise the iteration fails with exit 99. */
export const told = (prompt: string, ...steps: Steps): Steps => [{ expect: { prompt } }, ...steps]

export type KeptProject = TestProject & { prompt(iteration: number): string; prompts(): string[] }

/** A project whose agent plays its script, and keeps the prompt of each call next to the project. */
export function makeKeptProject(sketch: ProjectSketch): KeptProject {
  const player = join(dirname(ralphProgram), '..', 'dist', 'player.js')
  const keeper = `p="$TMPDIR/prompt-$RALPH_ITERATION.txt"\ncat > "$p"\nexec '${process.execPath}' '${player}' "$(dirname "$0")/agent.json" < "$p"\n`
  const project = makeProject({
    ...sketch,
    files: { '.ralph/keep.sh': keeper, ...sketch.files },
    config: { agent: { name: 'kept', command: ['sh', '.ralph/keep.sh'], format: 'stream-json' }, ...sketch.config },
  })
  const base = join(project.root, '..')
  const prompt = (iteration: number): string => readFileSync(join(base, `prompt-${iteration}.txt`), 'utf8')
  const prompts = (): string[] => readdirSync(base).filter((name) => name.startsWith('prompt-'))
  return { ...project, prompt, prompts }
}

/** It goes when its test is over. */
export const keptProjectFor = (t: TestContext, sketch: ProjectSketch): KeptProject => goneAfter(t, makeKeptProject(sketch))

export const eventsOf = <K extends LogEvent['kind']>(project: TestProject, kind: K): EventOf<K>[] =>
  project.events().filter((event): event is EventOf<K> => event.kind === kind)

/** The story of each iteration, in order. */
export const storiesOf = (project: TestProject): (string | null)[] =>
  eventsOf(project, 'iteration.started').map((event) => event.story)

export const verdictsOf = (project: TestProject): string[] =>
  eventsOf(project, 'iteration.judged').map((event) => `${event.verdict}, ${event.progress}`)

/** How the last run ended. */
export function endOf(project: TestProject): { outcome: string; because: string } {
  const { outcome, because } = eventsOf(project, 'run.ended').at(-1)!
  return { outcome, because }
}

/** Every file under a folder with its content and time: equal before and after means that nothing was touched. */
export function filesUnder(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(
    paths.map((path) => [relative(folder, path), `${statSync(path).mtimeMs} ${readFileSync(path, 'latin1')}`]),
  )
}
