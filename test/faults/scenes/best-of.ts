/** Two attempts on one story, of which the smaller one lands and the other goes to a branch; and a story that comes after. */
import { type Scene, shellProject } from '../scene.ts'

/** The second attempt is the model's: the number of an iteration says nothing, because a kill may come before. */
const agent = `
case "$RALPH_STORY-$RALPH_MODEL" in
S-1-small) echo small > S-1.txt; keep S-1.txt 'small ' ;;
S-1-*) printf 'l\\na\\nr\\ng\\ne\\n' > S-1.txt; keep S-1.txt 'large '; echo more > more.txt ;;
*) cat S-1.txt > S-2.txt; keep S-2.txt ;;
esac
flip
say 'It is there.'
`

export const bestOf: Scene = {
  name: 'best-of',
  make: () => {
    const project = shellProject(agent, {
      stories: [
        { id: 'S-1', bestOf: 2 },
        { id: 'S-2', dependsOn: ['S-1'] },
      ],
      files: { 'a.txt': 'old\n' },
      config: { gates: { tests: 'test -e a.txt' }, models: ['small'] },
    })
    project.write('a.txt', 'staged\n')
    project.git('add', 'a.txt')
    project.write('notes.txt', 'mine\n')
    return project
  },
  commands: [{ name: 'run', args: ['run', '--no-archive'], code: 0 }],
  requests: [],
  isUnordered: true, // an attempt's work is looked at in pieces, and the first is judged after the second
  rescued: ['S-1.txt', 'more.txt'],
}
