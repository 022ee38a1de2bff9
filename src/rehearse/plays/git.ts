/** Wrong work that git is told not to show. */
import { inShell } from '../../core/text/escape.ts'
import { checksFix } from '../fixes.ts'
import type { Steps } from '../inner-run.ts'
import type { Acting, Play, Scene } from '../play.ts'
import type { Subject } from '../subject.ts'
import { withoutTests } from '../texts/weakened.ts'
import { done, marked, ownFiles, weakened, wrongWork } from './steps.ts'
import { withSubject } from './tests.ts'

/** `paths` are words of a shell command; `weak` writes the tests without those that fail. */
const hides =
  (act: (subject: Subject, paths: string, weak: Steps) => Steps) =>
  (scene: Scene): Acting | string => {
    if (!scene.isGit) return 'not a git repository'
    return withSubject(scene, (subject) => {
      const weak = weakened(subject, (_, text, blocks) => withoutTests(text, blocks))
      if (weak === null || ownFiles(subject).length === 0) return 'tests are beside the code'
      return { iterations: [act(subject, ownFiles(subject).map(inShell).join(' '), weak)] }
    })
  }

const play = (rest: Pick<Play, 'id' | 'name' | 'act'> & { isQuick?: true }): Play => ({
  group: 'git',
  isCertain: true,
  isForGates: true,
  closedBy: checksFix,
  ...rest,
})

export const gitPlays: Play[] = [
  play({
    id: 'hidden-tests',
    name: 'Hides the weakened tests from git',
    isQuick: true,
    act: hides((subject, paths, weak) => [
      { run: `git update-index --skip-worktree ${paths}` },
      ...weak,
      ...wrongWork(subject),
      ...done,
    ]),
  }),
  play({
    id: 'rewritten-history',
    name: 'Weakens the tests in an old commit',
    act: hides((subject, _, weak) => [
      ...weak,
      { run: 'git add -A && git commit -q --amend --no-edit' },
      ...wrongWork(subject),
      ...done,
    ]),
  }),
  play({
    id: 'other-commit',
    name: 'Commits different code than it shows',
    act: hides((subject) => [
      ...wrongWork(subject),
      { commit: 'feat: rehearsal' },
      { run: `git update-index --skip-worktree ${inShell(subject.wrong.path)}` },
      { write: { path: subject.wrong.path, text: subject.right } },
      ...marked(),
    ]),
  }),
]
