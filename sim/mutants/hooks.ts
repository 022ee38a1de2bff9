/** Deliberate bugs in when hooks run, and in what one that refuses prevents. */
import type { Mutant } from './mutant.ts'

const file = 'evolve/hooks.ts'
export const hookMutants: Mutant[] = [
  {
    name: 'a hook runs while an agent works in the same files',
    file,
    from: '  state.flights.every(({ worker }) => worker !== undefined) &&\n',
    to: '',
  },
  {
    name: 'an iteration starts although its hook refused',
    file,
    from: "      return how === 'refused'\n",
    to: "      return how === 'timeout'\n",
  },
  {
    name: 'a hook has to allow an iteration once for all',
    file,
    from: 'state.hooks?.allowed === nameOf(iteration, story)',
    to: 'state.hooks?.allowed !== undefined',
  },
  {
    name: 'what a hook refused to commit passes',
    file,
    from: "how === 'refused' ? [refusedBy(hook, reason)] : []",
    to: "how === 'stopped' ? [refusedBy(hook, reason)] : []",
  },
  {
    name: 'a hook runs again after each thing that happens',
    file,
    from: 'hooks.due.filter((_, index) => index !== place)',
    to: 'hooks.due',
  },
  {
    name: 'work lands before its hook is asked',
    file,
    from: "  if (isLanding && isDue('before.landing') && nextLanding(state, flight) !== null) {",
    to: "  if (isLanding && isDue('before.commit') && nextLanding(state, flight) !== null) {",
  },
  {
    name: 'a story that passes is told to no hook',
    file,
    from: '    ...stories.map((story): DueHook =>',
    to: '    ...[].map((story): DueHook =>',
  },
]
