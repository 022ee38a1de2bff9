/** Deliberate bugs about the worth of a pass: suspicions that a person decides on, and the least proof of a story. */
import type { Mutant } from './mutant.ts'

export const acceptedMutants: Mutant[] = [
  {
    name: 'nobody is asked about a suspicion',
    file: 'proof/grade.ts',
    from: "state.policy.proof?.suspicion === 'ask'",
    to: 'state.policy.proof === null',
  },
  {
    name: 'whatever a person answers about a suspicion is a yes',
    file: 'plan/questions.ts',
    from: 'suspicions === undefined || !isYes(text)',
    to: 'suspicions === undefined || text === ""',
  },
  {
    name: 'an agent goes on with what a person accepted',
    file: 'decide/accepted.ts',
    from: 'stories[id]?.accepted?.isDue === true',
    to: 'stories[id]?.accepted?.isDue === null',
  },
  {
    name: 'what was accepted is checked again and again',
    file: 'evolve/judged.ts',
    from: '{ ...before.accepted, isDue: undefined }',
    to: '{ ...before.accepted }',
  },
  {
    name: 'what an agent picked is checked in a worktree',
    file: 'decide/accepted.ts',
    from: "state.policy.pick === 'ralph' || isApart",
    to: 'state.policy.pick !== undefined || isApart',
  },
  {
    name: 'a suspicion that a person must decide on is a failure',
    file: 'decide/verdict.ts',
    from: "if (suspected.length > 0) return { verdict: 'question'",
    to: "if (suspected.length > 0) return { verdict: 'failed'",
  },
  {
    name: 'the settings overrule the proof that a story asks for',
    file: 'proof/grade.ts',
    from: '  if (story?.proof !== undefined) return story.proof\n',
    to: '',
  },
  {
    name: 'a story that needs no test is asked for one',
    file: 'proof/grade.ts',
    from: "if (quietKindOf(story) === undefined || minimum !== 'demonstrated') return minimum",
    to: 'if (quietKindOf(story) === undefined || minimum !== undefined) return minimum',
  },
  {
    name: 'a question about a suspicion is lost',
    file: 'evolve/judged.ts',
    from: '(judged.parked ?? []).filter(',
    to: '(judged.parked ?? []).slice(1).filter(',
  },
]
