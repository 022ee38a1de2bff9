/** Where the facts of a live run go: into the log, then to everything that shows them. */
import type { Log } from '../../adapters/project/event-log.ts'
import { isTelemetrySet } from '../../adapters/telemetry/trace-context.ts'
import { asLogged } from '../../core/evolve/older-events.ts'
import type { Failure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import type { Decision, Event, Report, Reporter } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import type { Loop } from '../../loop.ts'
import type { StatusFile } from '../../views/status/account.ts'
import type { Book } from '../history/folded-log.ts'
import { finishedBeside } from '../history/other-features.ts'
import { noticed, toldNext } from '../noticed.ts'
import type { Setup } from '../parts.ts'
import type { keepDecideFile } from '../people/decide-file.ts'
import { leftBranch } from '../people/find-branch.ts'
import { keepViews } from './keep-views.ts'
import { masked } from './masked.ts'
import { openNotices } from './notices.ts'

type Shown = { setup: Setup; run: string; log: Log; io: Io; isJson: boolean } & Book

export type Outputs = {
  /** Written to disk when it returns. */
  append(events: Event[]): void
  show(events: Event[], now: State): void
  /** At the end: it changes nothing about that. */
  recordAfterEnd(fact: Report | Decision): void
  /** For those who look later: the run was not killed. Not worth another error: the log may be what failed. */
  recordHalt(failure: Failure): void
  status(): StatusFile
  /** Why telemetry is not sent although it is set up; null: it is sent, or not set up. */
  noTelemetry: string | null
  /** Sends what is due; the views on disk stay open. */
  close(graceMs?: number): Promise<unknown>
  closeViews(): void
}

export async function openOutputs(
  { setup, run, log, state, account, io, isJson }: Shown,
  decide: ReturnType<typeof keepDecideFile>,
  { loop, fault }: { loop(): Loop; fault(error: unknown): void },
): Promise<Outputs> {
  const { mask, screen } = setup
  let restored = 0
  const views = keepViews(setup, { state, account }, await finishedBeside(setup), fault)
  const tell: Reporter = (fact) => {
    const now = loop().state()
    if (now.run === run && now.outcome !== undefined) recordAfterEnd(fact)
    else loop().report(fact)
  }
  const notices = openNotices({ ...setup, run }, io.isTerminal && !isJson ? io.raw : null, (detail) =>
    tell(noticed('notice-failed', detail)),
  )
  const telemetry = isTelemetrySet(setup)
    ? await (await import('./telemetry.ts')).openRunTelemetry({ ...setup, run }, state, (detail) =>
        tell(noticed('telemetry-failed', detail)),
      )
    : null
  const sends = telemetry !== null && 'take' in telemetry ? telemetry : null
  const printJson = (events: Event[]): void => {
    if (isJson) for (const event of events) io.raw(`${JSON.stringify(asLogged(masked(event, mask)))}\n`)
  }
  const append = (events: Event[]): void => log.append(events.map((event) => masked(event, mask)))
  const recordAfterEnd = (fact: Report | Decision): void => {
    const event = masked({ at: loop().state().at, run, ...fact }, mask)
    log.append([event])
    printJson([event])
    screen.events([event], loop().state())
  }
  return {
    append,
    show(events, now) {
      printJson(events)
      screen.events(events, now)
      views.take(events)
      notices.take(events, now)
      sends?.take(events)
      decide.show(now)
      if (log.restored() <= restored) return
      restored = log.restored()
      loop().report(toldNext('log-restored', 'the event log was deleted or changed from outside; restored'))
    },
    recordAfterEnd,
    recordHalt({ message }) {
      const facts = [...leftBranch(setup, loop().state()), noticed('run-halted', message)]
      const events = facts.map((fact) => masked({ at: setup.now(), run, ...fact }, mask))
      try {
        log.append(events)
        printJson(events)
        views.take(events)
      } catch {}
    },
    status: views.status,
    noTelemetry: telemetry !== null && 'missing' in telemetry ? telemetry.missing : null,
    close: (graceMs) => Promise.all([notices.close(graceMs), sends?.close(graceMs)]),
    closeViews: views.close,
  }
}
