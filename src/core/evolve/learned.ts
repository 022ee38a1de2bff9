/** Learning: lessons after a finished story, skills after several; counts each use, and retires what does not help. */
import { dirtKey, treeKey } from '../decide/verdict.ts'
import type { LearningState, UseCount } from '../learning/learning-state.ts'
import type { JudgedFlight, State } from '../state.ts'
import type { LearningEnded, SkillEnded } from '../types/results.ts'
import type { Decision, EventOf, Repo, StoryId } from '../types.ts'
import { withSeen } from './growing-set.ts'
import { agentInTurn, insteadWords } from './usage-limits.ts'

/**
 * What to do next about learning; null: nothing. Learning never delays a run: a refused call is dropped. `isEnding`: no story is left, or the
 * run is about to end.
 */
export function nextLesson(state: State, isEnding: boolean): Decision[] | null {
  const { policy, learning, call } = state
  if (learning.running !== 'none') return []
  const retired = retirable(learning)
  if (retired !== null) return [retired]
  if (policy.learn === undefined) return null
  const { agent: named, aggregateEvery, atEnd } = policy.learn
  const [due] = learning.due
  if (due === undefined && learning.sinceGathered >= aggregateEvery)
    return [
      {
        kind: 'gathering.started',
        finished: learning.finished,
        because: `${learning.sinceGathered} stories of this project finished since the last time`,
      },
    ]
  const [category = ''] = learning.skills
  if (due === undefined && category === '')
    return isEnding && atEnd && learning.hasNews
      ? [
          {
            kind: 'gathering.started',
            finished: learning.finished,
            because: 'new lessons, and the run is about to end',
          },
        ]
      : null
  if (call.phase === 'requested') return []
  const agent = agentInTurn(state, { agent: named, role: 'learner' })
  const about = due === undefined ? `write the skill ${category}` : `${due.story} is finished: extract lessons`
  const what = `${about}${insteadWords(state, named, agent)}`
  if (call.phase === 'none' || call.role !== 'learner')
    return [{ kind: 'call.requested', call: call.last + 1, role: 'learner', agent, because: what }]
  if (due === undefined) return [{ kind: 'skill.started', category, call: call.last, agent, because: what }]
  const again = learning.unread === undefined ? {} : { again: learning.unread }
  return [{ kind: 'learning.started', ...due, call: call.last, agent, ...again, because: learning.unread ?? what }]
}

type LearningFact = EventOf<
  | 'learning.started'
  | 'learning.ended'
  | 'gathering.started'
  | 'gathering.ended'
  | 'skill.started'
  | 'skill.ended'
  | 'lesson.retired'
  | 'skill.retired'
>

/** What follows from each fact about learning. */
export function afterLearning(state: State, event: LearningFact): State {
  switch (event.kind) {
    case 'learning.started':
      return learningStarted(state, 'learning')
    case 'learning.ended':
      return learningEnded(state, event)
    case 'gathering.started':
      return learningStarted(state, 'gathering')
    case 'gathering.ended':
      return gatheringEnded(state, event)
    case 'skill.started':
      return learningStarted(state, 'skill')
    case 'skill.ended':
      return skillEnded(state, event)
    case 'lesson.retired':
      return { ...state, learning: withRetired(state.learning, event.lesson) }
    case 'skill.retired':
      return learningStarted({ ...state, learning: withRetired(state.learning, `${skillMark}${event.skill}`) }, 'retiring')
  }
}

/** After this many uses a lesson or skill must have shown that it helps. */
const trialUses = 10

/** Used often, and stories passed less often with it than without. */
function retirable({ uses, all, retired }: LearningState): Decision | null {
  for (const [id, { times, passed }] of Object.entries(uses)) {
    const without = { times: all.times - times, passed: all.passed - passed }
    if (times < trialUses || without.times < trialUses || retired.includes(id)) continue
    if (passed / times >= without.passed / without.times) continue
    const because = `${percent(passed, times)} of ${times} iterations with it passed a story, ${percent(without.passed, without.times)} of ${without.times} without it`
    return id.startsWith(skillMark)
      ? { kind: 'skill.retired', skill: id.slice(skillMark.length), because }
      : { kind: 'lesson.retired', lesson: id, because }
  }
  return null
}

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / whole)} %`

/** Skills and lessons are counted side by side. */
const skillMark = 'skill '

/** Every finished story, passed or failed, is one to learn from. */
export function withFinished(
  learning: LearningState,
  stories: StoryId[],
  outcome: 'success' | 'failure',
  iteration: number,
): LearningState {
  if (stories.length === 0) return learning
  return {
    ...learning,
    due: [...learning.due, ...stories.map((story) => ({ story, outcome, iteration }))].slice(-10),
    finished: learning.finished + stories.length,
    sinceGathered: learning.sinceGathered + stories.length,
  }
}

/** Which lessons and skills an iteration had, and whether it passed its story. */
export function withUses(learning: LearningState, { ended, story, judged }: JudgedFlight): LearningState {
  const isAttempt = judged.verdict === 'done' || judged.verdict === 'worked' || judged.verdict === 'failed'
  if (story === null || !isAttempt) return learning
  const hasPassed = judged.passed.includes(story)
  const ids = [...(ended.lessons ?? []), ...(ended.skills ?? []).map((skill) => `${skillMark}${skill}`)]
  const uses = { ...learning.uses }
  for (const id of ids) uses[id] = oneMore(uses[id] ?? { times: 0, passed: 0 }, hasPassed)
  return { ...learning, uses, all: oneMore(learning.all, hasPassed) }
}

const oneMore = ({ times, passed }: UseCount, hasPassed: boolean): UseCount => ({
  times: times + 1,
  passed: passed + (hasPassed ? 1 : 0),
})

/** A run keeps what the feature has learned; unfinished learning of the last run is dropped. */
export const atRunStart = (learning: LearningState, unlearned = learning.sinceGathered): LearningState => {
  const { unread: _unread, ...rest } = learning
  return { ...rest, due: [], skills: [], running: 'none', isStopping: false, sinceGathered: unlearned }
}

const learningStarted = (state: State, running: LearningState['running']): State => ({
  ...state,
  call: running === 'gathering' || state.call.role !== 'learner' ? state.call : { ...state.call, phase: 'none' },
  learning: { ...state.learning, running, isStopping: false },
})

function learningEnded(state: State, event: LearningEnded): State {
  const { unread, ...learning } = state.learning
  const problem = event.isLost !== true && unread === undefined ? event.problem : undefined // it is requested again
  // A learner without lessons has answered, but taught nothing.
  const isCaptured = event.file !== undefined && event.lessons > 0
  const next: LearningState = {
    ...learning,
    running: 'none',
    ...(isCaptured ? { hasNews: true } : {}),
    ...(problem === undefined ? { due: learning.due.slice(1) } : { unread: problem }),
    captured: learning.captured + (isCaptured ? 1 : 0),
  }
  return { ...state, learning: next }
}

function gatheringEnded(state: State, { due, repo, patterns }: EventOf<'gathering.ended'>): State {
  const { hasNews: _, ...learning } = state.learning
  const gathered = patterns ? {} : { sinceGathered: 0, skills: due }
  return { ...withRepo(state, repo), learning: { ...learning, running: 'none', ...gathered } }
}

function skillEnded(state: State, event: SkillEnded & { repo: Repo }): State {
  const skills = state.learning.skills.filter((category) => category !== event.category)
  return { ...withRepo(state, event.repo), learning: { ...state.learning, running: 'none', skills } }
}

const withRetired = (learning: LearningState, id: string): LearningState => ({ ...learning, retired: [...learning.retired, id] })

/** A learner's call was refused: lessons are not worth an hour of waiting. */
export function withoutLearning(learning: LearningState): LearningState {
  const { unread: _unread, ...rest } = learning
  return { ...rest, due: [], skills: [] }
}

/** What learning wrote into the project is nobody's work. */
const withRepo = (state: State, repo: Repo): State => ({
  ...state,
  repo,
  seen: withSeen(state.seen, [treeKey(repo.tree), dirtKey(repo)]),
  check: repo.tree === state.repo.tree && repo.dirt === state.repo.dirt ? state.check : { phase: 'due' },
})
