/** Shared by tests of failed stories: steps that a gate rejects, and a repository as its user sees it. */
import type { ProjectSketch, Steps, TestProject } from './project.ts'
import { filesOnDisk } from './repository.ts'

/** Fails as long as a file that ends with .bad exists, and names it. */
export const noBadFiles = 'for f in *.bad; do test ! -f "$f" || { echo "Error: $f is bad"; exit 1; }; done'

/** A rejected attempt has committed one part, and another part not. */
export const spoils: Steps = [
  { append: { path: '$RALPH_STORY.bad', text: 'x\n' } },
  { append: { path: 'code/$RALPH_STORY.js', text: 'committed\n' } },
  { commit: 'feat: half of $RALPH_STORY' },
  { append: { path: 'code/$RALPH_STORY.js', text: 'uncommitted\n' } },
  { append: { path: 'code/new-$RALPH_STORY.js', text: 'untracked\n' } },
  { flip: '$RALPH_STORY' },
  { say: 'Done, I believe.' },
]

/** S-1 fails at its second attempt; every other story passes. */
export const failingSketch: ProjectSketch = {
  script: {
    stories: { 'S-1': [spoils] },
    otherwise: [{ write: { path: '$RALPH_STORY.txt', text: 'there\n' } }, { flip: '$RALPH_STORY' }, { say: 'It is there.' }],
  },
  config: { gates: { tests: noBadFiles }, defaults: { max_attempts: 2 } },
}

export const failureBranches = (project: TestProject): string[] =>
  linesOf(project.git('branch', '--format=%(refname:short)', '--list', 'wip/*'))

export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** Everything in a repository that its user would miss, without `.ralph/`: content of the branch, index, status, every byte on disk. */
export const pictureOf = (project: TestProject) => ({
  branch: project.git('rev-parse', '--symbolic-full-name', 'HEAD'),
  content: withoutOurs(project.git('ls-tree', '-r', 'HEAD')),
  index: withoutOurs(project.git('ls-files', '--stage')),
  status: withoutOurs(project.git('status', '--porcelain', '--ignored')),
  files: filesOnDisk(project.root),
})

const withoutOurs = (text: string): string[] => linesOf(text).filter((line) => !/[\t ]"?\.ralph\//.test(line))
