/** Two workers: two stories that change the same line, one that fails onto its branch, and one that comes after. */
import { type Scene, shellProject } from '../scene.ts'

/** Every story adds a line to the same place, so that the second to land conflicts and is done again on top of the first. */
const agent = `
case "$RALPH_STORY" in
S-3)
  echo x > S-3.bad
  keep S-3.bad
  echo uncommitted > more.txt ;;
*)
  case "$RALPH_STORY" in S-1) meets S-1 S-2 ;; S-2) meets S-2 S-1 ;; esac
  git merge -q -X theirs main
  { cat shared.txt; echo "$RALPH_STORY"; } | sort -u > "$TMPDIR/shared-$RALPH_STORY" && cp "$TMPDIR/shared-$RALPH_STORY" shared.txt
  keep shared.txt ;;
esac
flip
say 'It is there.'
`

export const parallel: Scene = {
  name: 'parallel',
  make: () => {
    const project = shellProject(agent, {
      stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }, { id: 'S-4', dependsOn: ['S-1', 'S-2'] }],
      files: { 'a.txt': 'old\n', 'shared.txt': '' },
      config: { gates: { tests: 'test ! -e S-3.bad' }, defaults: { max_attempts: 2 } },
    })
    project.write('a.txt', 'staged\n')
    project.git('add', 'a.txt')
    project.write('notes.txt', 'mine\n')
    return project
  },
  commands: [{ name: 'run', args: ['run', '--parallel', '2'], code: 1 }],
  requests: [],
  isUnordered: true,
  rescued: ['S-3.bad', 'more.txt'],
}
