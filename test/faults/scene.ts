/** What a scene of the fault walk is: a project, and what a user types in it, one command after the other. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ended, makeProject, type ProjectSketch, type TestProject } from '../support/project.ts'
import type { Order } from './orders.ts'

export type Command = {
  name: string
  args: string[]
  /** When nothing disturbs it. */
  code: number
  /** Typed again after a disturbance, it may only say that there is nothing left to do. */
  isDone?(ended: Ended, project: TestProject): boolean
}
/** What a person types while a run is live: once, as soon as it is time; `isRepeated`: each time. */
export type Request = Command & { isTime(project: TestProject): boolean; isRepeated?: true }

export type Scene = {
  name: string
  make(): TestProject
  /** In order, each with its exit code when nothing disturbs it; the last one ends the scene. */
  commands: Command[]
  /** During each run. */
  requests: Request[]
  /** Several agents work at the same time: what they do has no order, and a point may be missed. */
  isUnordered: boolean
  /** Files of the branch of a failed story. */
  rescued: string[]
}

const layer = join(dirname(fileURLToPath(import.meta.url)), 'layer.ts')

/** The program with the fault layer. */
export function startUnder(project: TestProject, order: Order, ...args: string[]): ReturnType<TestProject['start']> {
  Object.assign(project.env, { NODE_OPTIONS: `--import=${layer}`, RALPH_FAULTS: JSON.stringify(order) })
  const started = project.start(...args)
  delete project.env['NODE_OPTIONS']
  delete project.env['RALPH_FAULTS']
  return started
}

export const under = (project: TestProject, order: Order, ...args: string[]): Promise<Ended> =>
  startUnder(project, order, ...args).ended

/**
 * A project whose agent is a shell script, which is quick. Git touches a pack where it would write an object that is in it, and whether it would depends on
 * the second in which a file was written: so the agent always touches it.
 */
export function shellProject(cases: string, { files, config, ...sketch }: ProjectSketch): TestProject {
  const project = makeProject({
    ...sketch,
    files: { '.ralph/agent.sh': `${helpers}${cases}`, ...files },
    config: { agent: { name: 'shell', command: ['sh', '.ralph/agent.sh'], format: 'stream-json' }, ...config },
  })
  // As after a clone: existing objects are packed, new ones are loose.
  project.git('repack', '-a', '-d', '-q')
  project.git('pack-refs', '--all')
  // Which of them an object needs is random: its id contains the time.
  for (let first = 0; first < 256; first++)
    mkdirSync(join(project.root, '.git', 'objects', first.toString(16).padStart(2, '0')), { recursive: true })
  return project
}

const helpers = `
prompt=$(cat)
touch "$(git rev-parse --git-common-dir)"/objects/pack/*.pack
say() { printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"s","total_cost_usd":0.01}\\n' "$1"; }
answer() { say "$(tr -d '\\n' | sed 's/"/\\\\"/g')"; }
flip() { sed -i "/\\"title\\": \\"\${1:-Story $RALPH_STORY}\\"/,/\\"passes\\"/s/\\"passes\\": false/\\"passes\\": true/" "$RALPH_PLAN"; }
keep() { git add "$1" && { git diff --cached --quiet -- "$1" || git commit -q -m "feat: $2$RALPH_STORY" -- "$1"; }; }
meets() { touch "$TMPDIR/here-$1"; for n in $(seq 100); do test -e "$TMPDIR/here-$2" && return; sleep 0.05; done; }
waits() { touch "$TMPDIR/at-$1"; until test -e "$TMPDIR/go-$1"; do sleep 0.02; done; }
`
