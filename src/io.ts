/** What a command may touch of the world it was started in. */
export type Io = {
  cwd: string
  env: Record<string, string | undefined>
  out(text: string): void
  err(text: string): void
  isTerminal: boolean
  /** Somebody can be asked: both ends are a terminal. */
  isAttended: boolean
}
