/** What a command may touch of the world it was started in. */
export type Io = {
  cwd: string
  env: Record<string, string | undefined>
  out(text: string): void
  err(text: string): void
  isTerminal: boolean
}
