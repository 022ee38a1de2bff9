/** The simulated project: its content, its history, its plan file, and what its gates find. It is the simulator's own truth, apart from the core's. */
import type { Gate, GateResult, Plan, Repo, Story, StoryId } from '../src/core/types.ts'
import { aResult } from './builders.ts'
import type { Random } from './random.ts'

/** A gate's command says how it behaves: always passes, always fails, goes by the content, or by chance. */
export const gateCommands = ['pass', 'content', 'fail', 'flaky'] as const

type GateRun = { startedSeq: number; passed: boolean }

export type Repository = {
  plan: Plan | null
  /** Rises with every change of content and every gate run: tells which came last. */
  seq: number
  changedSeq: number
  /** The last change that was not the user's. */
  agentChangedSeq: number
  /** Gates that always fail pass from here on. */
  isCalm: boolean
  /** The last recorded run of each gate. */
  lastRuns: Map<string, GateRun>
  startedGates: Map<number, number>
  now(): Repo
  /** Commits from this one on, without it. */
  since(head: string | null): { commits: string[]; trees: string[] }
  write(isGood: boolean, by?: 'agent' | 'user'): void
  revert(random: Random): void
  commit(): boolean
  /** The state that a story begins with, to go back to. */
  save(story: StoryId): void
  /** What is there now goes onto a branch, and the saved state comes back; where others have committed since, it stays. */
  putAside(story: StoryId, branch: string, own: string[]): 'reset' | 'kept'
  /** Contents that can still be reached: committed, on a branch, or in the tree. */
  reachable(): Set<string>
  planCopy(): Plan | null
  story(id: StoryId): Story | undefined
  setStory(id: StoryId, change: Partial<Story>): void
  /** Failed and skip, where the plan's format can hold them. */
  mark(id: StoryId, change: Pick<Partial<Story>, 'skip' | 'failed'>): void
  runGates(iteration: number, gates: Gate[], random: Random): GateResult[]
  recordGates(iteration: number, results: GateResult[]): void
}

export function repositoryWith(plan: Plan | null): Repository {
  let contents = 0
  let commits = 0
  let files = 'c0'
  const good = new Set(['c0'])
  const saved = new Map<StoryId, { files: string; length: number }>()
  const branches = new Map<string, string[]>()
  const history: { head: string; tree: string }[] = [{ head: 'h0', tree: 'c0' }]
  const last = (): { head: string; tree: string } => history.at(-1)!
  const changeTo = (content: string, by: 'agent' | 'user'): void => {
    if (content === files) return
    files = content
    repository.changedSeq = ++repository.seq
    if (by === 'agent') repository.agentChangedSeq = repository.seq
  }
  const passes = (command: string, random: Random): boolean => {
    if (command === 'content') return good.has(files)
    if (command === 'flaky') return random.chance(0.6) || repository.isCalm
    return command === 'pass' || repository.isCalm
  }
  const repository: Repository = {
    plan,
    seq: 0,
    changedSeq: 0,
    agentChangedSeq: 0,
    isCalm: false,
    lastRuns: new Map(),
    startedGates: new Map(),
    now: () => ({ ...last(), dirt: files === last().tree ? '' : `~${files}` }),
    since(head) {
      const made = history.slice(history.findIndex((commit) => commit.head === head) + 1)
      return { commits: made.map((commit) => commit.head), trees: made.map((commit) => commit.tree) }
    },
    write(isGood, by = 'agent') {
      const content = `c${++contents}`
      if (isGood) good.add(content)
      changeTo(content, by)
    },
    revert(random) {
      changeTo(random.pick(history).tree, 'agent')
    },
    commit() {
      if (files === last().tree) return false
      history.push({ head: `h${++commits}`, tree: files })
      return true
    },
    save: (story) => void saved.set(story, { files, length: history.length }),
    putAside(story, branch, own) {
      const start = saved.get(story)
      if (branches.has(branch)) return 'reset' // done before the kill
      const made = start === undefined ? [] : history.slice(start.length)
      if (start === undefined || start.length > history.length || made.some(({ head }) => !own.includes(head))) return 'kept'
      branches.set(branch, [files, ...made.map(({ tree }) => tree)])
      history.length = start.length
      changeTo(start.files, 'agent')
      return 'reset'
    },
    reachable: () => new Set([files, ...history.map(({ tree }) => tree), ...[...branches.values()].flat()]),
    planCopy: () =>
      repository.plan && { ...repository.plan, stories: repository.plan.stories.map((story): Story => ({ ...story })) },
    story: (id) => repository.plan?.stories.find((story) => story.id === id),
    setStory(id, change) {
      const story = repository.story(id)
      if (story !== undefined) Object.assign(story, change)
    },
    mark(id, change) {
      if (repository.plan?.marks === 'file') repository.setStory(id, change)
    },
    runGates(iteration, gates, random) {
      repository.startedGates.set(iteration, ++repository.seq)
      return gates.map(({ name, command, story, soft }) => {
        const passed = passes(command, random)
        return aResult(name, passed, {
          command,
          durationMs: 1000,
          ...(story === undefined ? {} : { story }),
          ...(soft ? { soft } : {}),
        })
      })
    },
    recordGates(iteration, results) {
      const startedSeq = repository.startedGates.get(iteration) ?? 0
      for (const { name, story, passed, ended } of results) {
        const known = repository.lastRuns.get(name)
        if (story === undefined && ended !== 'stopped' && (known === undefined || known.startedSeq <= startedSeq))
          repository.lastRuns.set(name, { startedSeq, passed })
      }
    },
  }
  return repository
}
