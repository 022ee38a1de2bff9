/** Runs tasks one after the other in the order they come; a failure does not stop the next. */
export function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => {}) // the caller gets the error
    return done
  }
}
