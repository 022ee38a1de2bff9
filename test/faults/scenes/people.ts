/** A person asks for things while a run is live: a note, a skip, a pause and its end, a stop, and a retry. */
import type { TestProject } from '../../support/project.ts'
import { type Request, type Scene, shellProject } from '../scene.ts'

/** Two agents wait until the person has asked. */
const agent = `
case "$RALPH_STORY" in S-1 | S-4) waits "$RALPH_STORY" ;; esac
echo done > "$RALPH_STORY.txt"
keep "$RALPH_STORY.txt"
flip
say 'It is there.'
`
const isAt =
  (story: string) =>
  (project: TestProject): boolean =>
    project.has(`../at-${story}`)
const kindsIn = (project: TestProject): string[] =>
  project.has('.ralph/thing/events.jsonl')
    ? [...project.read('.ralph/thing/events.jsonl').matchAll(/"kind":"([^"]+)"/g)].map((match) => match[1]!)
    : []
const isPaused = (project: TestProject): boolean =>
  kindsIn(project).lastIndexOf('run.paused') >
  Math.max(...['resume.requested', 'run.started', 'run.resumed', 'run.ended'].map((kind) => kindsIn(project).lastIndexOf(kind)))

const asked = (name: string, args: string[], isTime: (project: TestProject) => boolean): Request => ({
  name,
  args,
  code: 0,
  isTime,
})

export const people: Scene = {
  name: 'people',
  make: () =>
    shellProject(agent, {
      stories: ['S-1', 'S-2', 'S-3', 'S-4'].map((id) => ({ id })),
      config: { gates: { tests: 'true' } },
    }),
  commands: [
    { name: 'run', args: ['run', '--no-archive'], code: 130 },
    { name: 'again', args: ['run', '--no-archive'], code: 0 },
  ],
  requests: [
    asked('say', ['say', 'mind the gap'], isAt('S-1')),
    asked('skip', ['skip', 'S-2'], isAt('S-1')),
    asked('pause', ['pause'], isAt('S-1')),
    { ...asked('resume', ['resume'], isPaused), isRepeated: true },
    asked('retry', ['retry', 'S-2'], isAt('S-4')),
    asked('stop', ['stop'], isAt('S-4')),
  ],
  isUnordered: false,
  rescued: [],
}
