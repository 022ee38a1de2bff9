/** Ctrl+C and similar signals: once to stop properly, again to stop at once. */
import { type StopSignal, signalExit, stopSignals } from '../core/exit-codes.ts'

/** A launcher and a terminal may both pass the same signal on: within this time it counts once. */
const sameMs = 500
const launcherCheckMs = 1000

/** Returns a function to stop listening. */
export function onStopSignals(stop: (by: StopSignal) => void, endAll: () => Promise<unknown>): () => void {
  let firstAt: number | null = null
  const take = (by: StopSignal): void => {
    if (firstAt === null) {
      firstAt = performance.now()
      stop(by)
    } else if (performance.now() - firstAt > sameMs) {
      endAll().finally(() => process.exit(signalExit[by]))
    }
  }
  const listeners = stopSignals.map((signal) => {
    const listener = (): void => take(signal)
    process.on(signal, listener)
    return () => process.off(signal, listener)
  })
  const launcher = Number(process.env['RALPH_LAUNCHER'] ?? 0)
  const timer = setInterval(() => {
    if (launcher > 0 && process.ppid !== launcher) take('SIGHUP')
  }, launcherCheckMs).unref()
  return () => {
    clearInterval(timer)
    for (const remove of listeners) remove()
  }
}
