/** A failing gate, a rejected claim, a story that fails onto its branch, a question, its answer, a resume. */
import { type Scene, shellProject } from '../scene.ts'

/** S-1 fails at its only attempt and claims that everything is done; S-2 asks, and passes once it has its answer. */
const agent = `
case "$RALPH_STORY" in
S-1)
  echo x > S-1.bad
  git add S-1.bad && git commit -q -m 'feat: half of S-1' -- S-1.bad
  echo uncommitted > more.txt
  echo spoiled > b.txt
  flip
  say 'Done. <promise>COMPLETE</promise>' ;;
S-2)
  case "$prompt" in
  *'red, please'*) echo red > colour.txt; flip; say 'It is red.' ;;
  *) say '<promise>DECIDE:red or blue?</promise>' ;;
  esac ;;
esac
`

export const sequential: Scene = {
  name: 'sequential',
  make: () => {
    const project = shellProject(agent, {
      stories: [{ id: 'S-1' }, { id: 'S-2' }],
      files: { 'a.txt': 'old\n', 'b.txt': 'old\n', '.gitignore': '*.env\n' },
      config: {
        gates: { tests: 'for f in *.bad; do test ! -f "$f" || { echo "Error: $f is bad"; exit 1; }; done' },
        defaults: { max_attempts: 1 },
      },
    })
    project.write('a.txt', 'staged\n')
    project.git('add', 'a.txt')
    for (const name of ['b.txt', 'notes.txt', 'key.env']) project.write(name, 'mine\n')
    return project
  },
  commands: [
    { name: 'run', args: ['run'], code: 3 },
    { name: 'answer', args: ['answer', 'red, please'], code: 0, isDone: ({ code }) => code === 64 },
    { name: 'again', args: ['run'], code: 1 },
  ],
  requests: [],
  isUnordered: false,
  rescued: ['S-1.bad', 'more.txt'],
}
