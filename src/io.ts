/** What a command may use of its environment. */
export type Io = {
  cwd: string
  env: Record<string, string | undefined>
  out(text: string): void
  err(text: string): void
  isTerminal: boolean
  /** A person can be asked: input and output are a terminal. */
  isAttended: boolean
}
