/** Agents that wait for each other: steps of the scripted agent by which a test shows which agents ran at the same time. */
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

/** Reports its presence in the project's home, and continues when the others are there too. */
export const meet = (self: string, ...others: string[]): Steps[number] => ({
  run: [`touch "$HOME/here-${self}"`, ...others.map((name) => waitFor(`here-${name}`))].join('; '),
})

/** Continues when the test, or another agent, has put this file into the home. */
export const hold = (name: string): Steps[number] => ({ run: waitFor(name) })

const waitFor = (name: string): string => `while [ ! -e "$HOME/${name}" ]; do sleep 0.01; done`

/** Worktrees besides the project's own, and the branches of stories. */
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

/** Stories whose commit is on the branch, by its subject. */
export const onBranch = (project: TestProject): string[] =>
  [...new Set(project.git('log', '--format=%s').split('\n'))]
    .flatMap((subject) => /^feat: (S-\d+)$/.exec(subject)?.[1] ?? [])
    .sort()
