/** What a person did since the last run, as facts for the log, before the new run starts. */
import { readIfThere } from '../../adapters/files/files.ts'
import { type Log, openLog } from '../../adapters/project/event-log.ts'
import { blockedPath, eventLogPath } from '../../adapters/project/layout.ts'
import { copyPathOf } from '../../adapters/project/log/second-copy.ts'
import { finishRequest, refusedNotice, takeRequests } from '../../adapters/project/signed-inbox.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import type { State } from '../../core/state.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Event, Report } from '../../core/types.ts'
import { linesFor } from '../../views/screen/screen.ts'
import type { Noticed } from '../noticed.ts'
import { masked } from '../outputs/masked.ts'
import type { Setup } from '../parts.ts'
import { isCut } from '../preflight/edits-before-kill.ts'
import { isUnfinished } from '../preflight/left-by-kill.ts'
import type { Project } from '../project.ts'
import { typedAnswers, untoldAnswers, writeDecideFile } from './decide-file.ts'
import { factsOf } from './waiting-requests.ts'

/** What a person did between runs: resets, unblocking, answers. */
export function factsBefore(
  project: Pick<Setup, 'root' | 'home' | 'dir' | 'mask'>,
  state: State,
  options: { isReset: boolean },
): Report[] {
  const { requests, refused } = takeRequests(project.dir, project.home)
  const facts: Report[] = requests.flatMap(({ report }) => factsOf(report))
  const notices = [
    ...(refused.length > 0 ? [refusedNotice(refused)] : []),
    ...(isCut(state) ? untoldAnswers(project, state) : []),
  ]
  return [...notices, ...facts, ...factsInFiles(project, state, options)]
}

/** Those that only files show: reading them changes nothing. */
export function factsInFiles({ dir }: Pick<Project, 'dir'>, state: State, { isReset }: { isReset: boolean }): Report[] {
  // A killed run may not have written the file: that it is missing then means nothing.
  const isUnblocked = state.blocked !== undefined && !isUnfinished(state) && readIfThere(blockedPath(dir)) === null
  return [
    ...(isReset ? [{ kind: 'breaker.reset' as const }] : []),
    ...(isUnblocked ? [{ kind: 'unblocked' as const, note: '' }] : []),
    ...(isCut(state) ? [] : typedAnswers({ dir }, state)),
  ]
}

export function appendFacts(
  setup: Pick<Setup, 'dir' | 'mask'> & { run: string; screen: Pick<Setup['screen'], 'say'> },
  log: Log,
  state: State,
  facts: Report[],
): State {
  const events = facts.map((fact): Event => masked({ at: instantOf(Date.now()), run: setup.run, ...fact }, setup.mask))
  log.append(events)
  const next = events.reduce(evolve, state)
  // Only now: a kill before the log has the answer must not lose it.
  for (const event of events) if ('id' in event && event.id !== undefined) finishRequest(setup.dir, event.id)
  writeDecideFile(setup, next)
  const isNew = ({ kind }: Event): boolean => kind === 'question.answered' || kind === 'breaker.reset'
  for (const { tone, text } of events.filter(isNew).flatMap((event) => linesFor(event, next))) setup.screen.say(tone, text)
  return next
}

/** Before the run writes anything else. */
export function recordFact(setup: Setup, state: State, fact: Noticed): State {
  setup.screen.say('warn', `! ${fact.detail}`)
  const log = openLog(eventLogPath(setup.dir), () => copyPathOf(setup))
  try {
    return appendFacts({ ...setup, run: state.run }, log, state, [fact])
  } finally {
    log.close()
  }
}
