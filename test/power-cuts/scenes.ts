/** Whole runs whose power is cut, each in another mode of Ralph. */
import type { ProjectSketch, Steps } from '../support/project.ts'

export type Scene = {
  sketch: ProjectSketch
  args: string[]
  /** Stories that pass in the end, in spite of the cut; all others fail. */
  passes: string[]
}

const stories = (count: number): { id: string }[] => Array.from({ length: count }, (_, at) => ({ id: `S-${at + 1}` }))

/** It notes each call in a file that is on another disk. */
const works = (calls: string): Steps => [
  { run: `echo "$RALPH_STORY" >> '${calls}'` },
  { write: { path: '$RALPH_STORY.txt', text: 'done\n' } },
  { commit: 'feat: $RALPH_STORY' },
  { flip: '$RALPH_STORY' },
  { say: 'It is there.' },
]

const gates = { tests: 'true' }
const lesson: Steps[] = [
  [
    {
      say: '{"successes": [], "failures": [], "discoveries": [{"description": "dates need a clock", "category": "gotcha"}]}',
    },
  ],
]
const passing: Steps[] = [[{ say: '{"missing": [], "extra": [], "reason": "", "verdict": "pass"}' }]]

export const scenes: Record<string, (calls: string) => Scene> = {
  'with reviewer and learner': (calls) => ({
    sketch: {
      stories: stories(3),
      script: {
        otherwise: works(calls),
        reviews: Object.fromEntries(stories(3).map(({ id }) => [id, passing])),
        lessons: Object.fromEntries(stories(3).map(({ id }) => [id, lesson])),
      },
      config: { gates },
    },
    args: ['run', '--no-archive'],
    passes: ['S-1', 'S-2', 'S-3'],
  }),
  'with three workers': (calls) => ({
    sketch: { stories: stories(6), script: { otherwise: works(calls) }, config: { gates } },
    args: ['run', '--no-archive', '--parallel', '3'],
    passes: ['S-1', 'S-2', 'S-3', 'S-4', 'S-5', 'S-6'],
  }),
  'with a story that fails onto its branch': (calls) => ({
    sketch: {
      stories: stories(3),
      script: {
        stories: {
          'S-2': [[{ write: { path: 'S-2.bad', text: 'half\n' } }, { commit: 'feat: half' }, { flip: 'S-2' }, { say: 'Done.' }]],
        },
        otherwise: works(calls),
      },
      config: { gates: { tests: 'test ! -e S-2.bad' }, defaults: { max_attempts: 1 } },
    },
    args: ['run', '--no-archive'],
    passes: ['S-1', 'S-3'],
  }),
  'with an archive at its end': (calls) => ({
    sketch: { stories: stories(2), script: { otherwise: works(calls) }, config: { gates } },
    args: ['run'],
    passes: ['S-1', 'S-2'],
  }),
}
