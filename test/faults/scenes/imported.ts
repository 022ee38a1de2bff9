/** A document becomes a plan by an agent, another tool's plan is added to it, and a run does it all. */
import type { TestProject } from '../../support/project.ts'
import { type Scene, shellProject } from '../scene.ts'

const agent = `
if test "$RALPH_ANSWER" = stories; then answer < "$(dirname "$0")/stories.json"; exit; fi
echo done > "$RALPH_STORY.txt"
keep "$RALPH_STORY.txt"
case "$RALPH_STORY" in S-*) flip ;; *) flip 'Story S-3' ;; esac
say 'It is there.'
`
const storyOf = (id: string): object => ({
  ...{ id, title: `Story ${id}`, description: 'For readers.', priority: 1, dependsOn: [] },
  acceptanceCriteria: [`${id}.txt is there`],
})

const has =
  (title: string) =>
  (_: unknown, project: TestProject): boolean =>
    project.has('.ralph/thing/prd.json') && project.read('.ralph/thing/prd.json').includes(title)

export const imported: Scene = {
  name: 'imported',
  make: () =>
    shellProject(agent, {
      stories: null,
      feature: 'thing',
      files: {
        'spec.md': '# Accounts\n\nReaders sign up, then they log in.\n',
        'fix_plan.md': '# Plan\n\n- [ ] Story S-3\n',
        '.ralph/stories.json': JSON.stringify({ stories: [storyOf('S-1'), storyOf('S-2')] }),
      },
      config: { gates: { tests: 'true' } },
    }),
  commands: [
    { name: 'import', args: ['import', 'spec.md', '-f', 'thing', '--yes'], code: 0, isDone: has('Story S-1') },
    {
      name: 'list',
      args: ['import', 'fix_plan.md', '--from', 'fix-plan', '-f', 'thing', '--yes'],
      code: 0,
      isDone: has('Story S-3'),
    },
    { name: 'run', args: ['run', '--no-archive'], code: 0 },
  ],
  requests: [],
  isUnordered: false,
  rescued: [],
}
