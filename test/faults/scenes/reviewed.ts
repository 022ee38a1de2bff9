/** A reviewer that rejects and then passes, a last review of everything, lessons and their sum, and the archive at the end. */
import { type Scene, shellProject } from '../scene.ts'

/** S-1 is done by halves at first, which only the reviewer sees. */
const agent = `
case "$RALPH_ROLE" in
reviewer) cat "$(dirname "$0")/$(case "$(cat S-1.txt)" in half) echo fail ;; *) echo pass ;; esac).json" | answer; exit ;;
learner) answer < "$(dirname "$0")/lessons.json"; exit ;;
esac
case "$RALPH_STORY" in
S-1) if test -e S-1.txt; then echo whole > S-1.txt; keep S-1.txt; else echo half > S-1.txt; keep S-1.txt 'half of '; fi ;;
*) echo done > "$RALPH_STORY.txt"; keep "$RALPH_STORY.txt" ;;
esac
flip
say 'It is there.'
`

const review = { missing: [] as string[], extra: [], reason: 'Looked.', verdict: 'pass' }
const lesson = { description: 'dates need a clock', category: 'gotcha' }
const answers = {
  '.ralph/pass.json': JSON.stringify(review),
  '.ralph/fail.json': JSON.stringify({ ...review, missing: ['S-1.txt: the other half'], verdict: 'fail' }),
  '.ralph/lessons.json': JSON.stringify({ successes: [], failures: [], discoveries: [lesson] }),
}

export const reviewed: Scene = {
  name: 'reviewed',
  make: () =>
    shellProject(agent, {
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      files: answers,
      config: {
        gates: { tests: 'true' },
        review: { enabled: true, final: ['shell'] },
        learn: { enabled: true, aggregate_every: 2 },
      },
    }),
  commands: [
    // Killed once the feature is in the archive, there is nothing left to run.
    { name: 'run', args: ['run'], code: 0, isDone: ({ code, err }) => code === 64 && err.includes('archived in') },
  ],
  requests: [],
  isUnordered: false,
  rescued: [],
}
