/** Questions that go out with buttons, and answers that come back: what each service must do. */

/** `code`: known only to this process and to whoever got the question. `choices`: the words of its buttons; none: any words. */
export type AskedThere = { code: string; title: string; text: string; choices: string[] }

/** `who`: as the log names them. */
export type GivenAnswer = { code: string; text: string; who: string }

export type AnswerChannel = {
  name: string
  /** null: it is there. Otherwise why not. */
  ask(question: AskedThere): Promise<string | null>
  /** Until it is stopped: each answer that counts, and what the service is told about it. `trouble`: why nothing comes for a while. */
  listen(answered: (given: GivenAnswer) => Promise<string>, trouble: (why: string) => void, stop: AbortSignal): Promise<void>
}

export type AnswerOptions = {
  env: Record<string, string | undefined>
  warn(text: string): void
  /** Milliseconds until the next try after a failure. */
  pauseMs?: number
}

/** The service's own words, or how the connection failed: a message may quote an address with a key in it. */
export const failureOf = (error: unknown): string => {
  const { name, cause } = error as { name: string; cause?: { code?: string } }
  return cause?.code ?? name
}

const longestChoice = 60

/** A button holds few words; the answer is all of them. */
export const shortened = (choice: string): string =>
  choice.length > longestChoice ? `${choice.slice(0, longestChoice - 1)}…` : choice
