/** Agents that wait for each other: steps of the scripted agent with which a test shows who was at work at the same time. */
import type { Event, EventOf } from '../../src/core/types.ts'
import type { Steps, StorySketch, TestProject } from './project.ts'

export const nothingLeft = { worktrees: [], branches: [] }

export const stories = (count: number): StorySketch[] => Array.from({ length: count }, (_, index) => ({ id: `S-${index + 1}` }))

/** Writes its file, commits, and says that it is done. */
export const work = (id: string, ...before: Steps): Steps => [
  ...before,
  { write: { path: `${id}.txt`, text: `of ${id}\n` } },
  { commit: `feat: ${id}` },
  { flip: id },
  { say: 'It is there.' },
]

export const eventsOf = <K extends Event['kind']>(project: TestProject, kind: K): EventOf<K>[] =>
  project.events().filter((event): event is EventOf<K> => event.kind === kind)

/** Says in the project's home that it is here, and goes on when the others are too. */
export const meet = (self: string, ...others: string[]): Steps[number] => ({
  run: [`touch "$HOME/here-${self}"`, ...others.map((name) => waitFor(`here-${name}`))].join('; '),
})

/** Goes on when the test, or another agent, has put this file into the home. */
export const hold = (name: string): Steps[number] => ({ run: waitFor(name) })

const waitFor = (name: string): string => `while [ ! -e "$HOME/${name}" ]; do sleep 0.01; done`

/** Worktrees beside the project's own, and branches that stories are worked on. */
export function leftovers(project: TestProject): { worktrees: string[]; branches: string[] } {
  const worktrees = project
    .git('worktree', 'list', '--porcelain')
    .split('\n')
    .flatMap((line) => (line.startsWith('worktree ') ? [line.slice('worktree '.length)] : []))
  return {
    worktrees: worktrees.slice(1),
    branches: project
      .git('for-each-ref', '--format=%(refname:short)', 'refs/heads/wip')
      .split('\n')
      .filter((name) => name !== ''),
  }
}

/** Stories whose commit is on the branch: its subject names them. */
export const onBranch = (project: TestProject): string[] =>
  [...new Set(project.git('log', '--format=%s').split('\n'))]
    .flatMap((subject) => /^feat: (S-\d+)$/.exec(subject)?.[1] ?? [])
    .sort()
