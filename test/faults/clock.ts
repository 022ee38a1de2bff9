/** A clock that is set forward or back while the program runs. */

/** After this many readings the wall clock is wrong by that much; clocks for durations are unaffected, as in reality. */
export function jumpClock(jumps: { after: number; ms: number }[]): void {
  const RealDate = Date
  let readings = 0
  const now = (): number => {
    readings += 1
    return RealDate.now() + (jumps.findLast(({ after }) => readings > after)?.ms ?? 0)
  }
  globalThis.Date = new Proxy(RealDate, {
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
  })
}
