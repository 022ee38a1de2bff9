/** A stop that the user can do something about: the message says what happened, to what, and what to do next. */
export class Failure extends Error {
  readonly exit: number
  constructor(exit: number, message: string) {
    super(message)
    this.exit = exit
  }
}

export { EXIT } from './exit-codes.ts'

/** For values that exist unless Ralph has a bug: then it says what is missing. */
export function sure<T>(value: T | null | undefined, what: string): T {
  if (value === undefined || value === null) throw new Error(`there is no ${what}`)
  return value
}

/** For what the world may refuse: then the other counts. */
export function tried<T, O>(act: () => T, otherwise: O): T | O {
  try {
    return act()
  } catch {
    return otherwise
  }
}
