/** A clock that is put forward or back while the program runs. */

/** From so many readings on, the wall clock is wrong by that much; what measures durations is not touched, as in the real world. */
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
