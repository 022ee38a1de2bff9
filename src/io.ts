/** What a command may use of its environment. */
export type Io = {
  cwd: string
  env: Record<string, string | undefined>
  /** For people: on a terminal with colours, and wrapped. */
  out(text: string): void
  err(text: string): void
  /** To standard output as it is: what programs read, and what already looks as it should. */
  raw(text: string): void
  isTerminal: boolean
  /** A person can be asked: input and output are a terminal. */
  isAttended: boolean
}
