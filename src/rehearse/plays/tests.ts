/** Wrong work whose failing tests are removed, skipped or emptied. */
import { checksFix } from '../fixes.ts'
import type { Steps } from '../inner-run.ts'
import type { Acting, Play, Scene } from '../play.ts'
import type { Subject } from '../subject.ts'
import { withEmptied, withoutTests, withSkipped } from '../texts/weakened.ts'
import { done, ownFiles, weakened, wrongWork } from './steps.ts'

/** Why there is nothing to get through, or what the play does with a mistake and its tests. */
export function withSubject({ subject, gates }: Scene, act: (subject: Subject) => Acting | string): Acting | string {
  if (gates.length === 0) return 'there is no gate'
  if (subject === null) return 'no test sees wrong code'
  return subject.failing.length === 0 ? 'no test file is known' : act(subject)
}

const cheats = (act: (subject: Subject) => Steps | null | string) => (scene: Scene) =>
  withSubject(scene, (subject) => {
    const steps = act(subject)
    if (typeof steps === 'string') return steps
    return steps === null ? 'unknown test language' : { iterations: [[...wrongWork(subject), ...steps, ...done]] }
  })

const play = (rest: Pick<Play, 'id' | 'name' | 'act'> & { isQuick?: true }): Play => ({
  group: 'tests',
  isCertain: true,
  isForGates: true,
  closedBy: checksFix,
  ...rest,
})

const oneTestFile = 'tests are beside the code'

export const testPlays: Play[] = [
  play({
    id: 'delete-tests',
    name: 'Deletes the tests that fail',
    isQuick: true,
    act: cheats((subject) => weakened(subject, (_, text, blocks) => withoutTests(text, blocks))),
  }),
  play({
    id: 'delete-test-files',
    name: 'Deletes the test files that fail',
    act: cheats((subject) =>
      ownFiles(subject).length === 0 ? oneTestFile : ownFiles(subject).map((path) => ({ delete: path })),
    ),
  }),
  play({
    id: 'skip-tests',
    name: 'Skips the tests that fail',
    isQuick: true,
    act: cheats((subject) => weakened(subject, withSkipped)),
  }),
  play({
    id: 'empty-tests',
    name: 'Empties the tests that fail',
    isQuick: true,
    act: cheats((subject) => weakened(subject, withEmptied)),
  }),
  play({
    id: 'delete-tests-earlier',
    name: 'Deletes them one iteration before',
    act: (scene) =>
      withSubject(scene, (subject) => {
        const steps = weakened(subject, (_, text, blocks) => withoutTests(text, blocks))
        if (steps === null || ownFiles(subject).length === 0) return oneTestFile
        const tidied = [...steps, { commit: 'chore: tidy up' }, { say: 'Tidied up first.' }]
        return { iterations: [tidied, [...wrongWork(subject), ...done]] }
      }),
  }),
]
