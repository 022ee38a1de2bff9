/** One after the other, in the order in which they come; what fails holds up nobody. */
export function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => {}) // whoever asked is told
    return done
  }
}
