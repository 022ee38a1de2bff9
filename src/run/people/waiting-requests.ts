/** Requests for a feature that came while a run of another one was live: its next run takes them, and until then views show what follows from them. */
import { type Request, waitingRequests } from '../../adapters/project/signed-inbox.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import type { State } from '../../core/state.ts'
import type { Report } from '../../core/types.ts'
import type { Project } from '../project.ts'

/** A stop or a pause was meant for a run that is over, and a live run has taken its own. */
export function factsOf(report: Request): Report[] {
  switch (report.kind) {
    case 'question.answered':
    case 'unblocked':
    case 'breaker.reset':
    case 'said':
    case 'finding.dismissed':
      return [report]
    case 'story.retried':
    case 'story.skipped':
      return [{ ...report, unwritten: true }]
    case 'pause.requested':
    case 'resume.requested':
    case 'stop.requested':
      return []
  }
}

/** The state after them, as of its last event. Only for a feature without a live run, which takes them itself. */
export function withWaiting({ dir, home }: Pick<Project, 'dir' | 'home'>, state: State): State {
  const facts = waitingRequests(dir, home).flatMap(factsOf)
  return facts.reduce((next, fact) => evolve(next, { at: state.at, run: state.run, ...fact }), state)
}
