/** How states look wherever Ralph shows them: the word, the tone and the icon of each. The dashboard and the report use the same. */

import type { Grade, Outcome, Verdict } from '../../../core/types.ts'
import type { Status } from '../../status/status.ts'
import { plural } from '../../status/status.ts'
import type { IconName } from './icons.ts'

export type PageTone = 'good' | 'bad' | 'warn' | 'live' | 'work' | 'quiet'
export type StateMark = { word: string; tone: PageTone; icon: IconName }

export const mark = (word: string, tone: PageTone, icon: IconName): StateMark => ({ word, tone, icon })

const states: Record<Status['state'], StateMark> = {
  idle: mark('Not started', 'quiet', 'ring'),
  running: mark('Running', 'live', 'play'),
  waiting: mark('Waiting', 'warn', 'clock'),
  paused: mark('Paused', 'warn', 'pause'),
  ended: mark('Ended', 'quiet', 'stop'),
  killed: mark('Process gone', 'bad', 'cross'),
}
const outcomes: Record<Outcome, StateMark> = {
  complete: mark('Complete', 'good', 'check'),
  blocked: mark('Blocked', 'warn', 'alert'),
  question: mark('Question', 'warn', 'question'),
  login: mark('Login needed', 'warn', 'alert'),
  'agent-unusable': mark('Agent unusable', 'bad', 'cross'),
  limited: mark('Usage limit', 'warn', 'clock'),
  budget: mark('Budget spent', 'warn', 'alert'),
  'testing-only': mark('Only ran tests', 'bad', 'cross'),
  'gate-missing': mark('Gate cannot run', 'bad', 'cross'),
  stuck: mark('Stuck', 'bad', 'cross'),
  'stories-failed': mark('Stories failed', 'bad', 'cross'),
  incomplete: mark('Iteration limit', 'warn', 'alert'),
  interrupted: mark('Stopped', 'quiet', 'stop'),
}

export const stateMark = ({ state, outcome }: Pick<Status, 'state' | 'outcome'>): StateMark =>
  state === 'ended' && outcome !== null ? outcomes[outcome] : states[state]

type StoryWord = Status['stories']['list'][number]['state']
const storyMarks: Record<StoryWord, StateMark> = {
  passes: mark('Passed', 'good', 'check'),
  open: mark('Open', 'quiet', 'ring'),
  failed: mark('Failed', 'bad', 'cross'),
  skipped: mark('Skipped', 'quiet', 'skip'),
  working: mark('Working', 'live', 'play'),
  asks: mark('Question', 'warn', 'question'),
}
export const storyMark = ({ state }: { state: StoryWord }): StateMark => storyMarks[state]

const verdicts: Record<Verdict, StateMark> = {
  done: mark('Done', 'good', 'check'),
  worked: mark('Worked', 'work', 'dot'),
  failed: mark('Failed', 'bad', 'cross'),
  blocked: mark('Blocked', 'warn', 'alert'),
  question: mark('Question', 'warn', 'question'),
  throttled: mark('Provider limit', 'quiet', 'clock'),
  unreadable: mark('Unreadable', 'warn', 'alert'),
  interrupted: mark('Stopped', 'quiet', 'stop'),
  lost: mark('Lost', 'quiet', 'stop'),
}
/** `isLive`: whether its run still is; what a gone process left behind does not run. */
export function verdictMark(
  { verdict, endedAt }: { verdict: Verdict | null; endedAt: string | null },
  isLive: boolean,
): StateMark {
  if (verdict !== null) return verdicts[verdict]
  if (!isLive) return verdicts.lost
  return endedAt === null ? states.running : mark('Checking', 'live', 'clock')
}

export const gradeMarks: Record<Grade, { mark: StateMark; title: string }> = {
  demonstrated: {
    mark: mark('Demonstrated', 'good', 'check'),
    title: 'A test of this story fails on the old code and passes now',
  },
  reviewed: { mark: mark('Reviewed', 'good', 'check'), title: 'Gates pass and a reviewer agrees' },
  gated: { mark: mark('Gated', 'good', 'check'), title: 'Gates pass' },
  unproven: { mark: mark('Unproven', 'warn', 'alert'), title: 'No gate confirmed it: only the agent says so' },
}

/** It passes, but something about it is suspicious. */
export const reservationMark = (count: number): StateMark => mark(plural(count, 'reservation'), 'warn', 'alert')

export const breakerMarks: Record<'open' | 'half-open' | 'closed', StateMark> = {
  open: mark('Open', 'bad', 'alert'),
  'half-open': mark('Half open', 'warn', 'clock'),
  closed: mark('Closed', 'good', 'check'),
}
