/** A clock that is set forward or back while the program runs. */

/** After this many readings the wall clock is wrong by that much; clocks for durations are unaffected, as in reality. */
export function jumpClock(jumps: { after: number; ms: number }[]): void {
  let readings = 0
  setClock(() => {
    readings += 1
    return jumps.findLast(({ after }) => readings > after)?.ms ?? 0
  })
}

/**
 * It goes a thousandth of its way, and never into the next second: git's objects have their second in them, so that what a run writes does not
 * depend on how fast the machine is.
 */
export function stopClock(): void {
  const began = Date.now()
  const second = began - (began % 1000)
  setClock((now) => second + (now - began) / 1000 - now)
}

/** `offMs`: by how much the wall clock is wrong, asked at each reading. */
export function setClock(offMs: (now: number) => number): void {
  const RealDate = Date
  const now = (): number => {
    const real = RealDate.now()
    return Math.floor(real + offMs(real))
  }
  globalThis.Date = new Proxy(RealDate, {
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
  })
}
