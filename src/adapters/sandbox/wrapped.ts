/** Input and output of a sandbox: a program as it would start outside, and as it starts inside. */
import type { Needs } from '../../ports.ts'
import type { Places } from './visible-paths.ts'

/** A program as it would be started outside. */
export type Inner = {
  command: string
  args: string[]
  cwd: string
  env: Record<string, string>
  /** What it needs besides the project: an agent's own files and variables. */
  needs: Needs
  /** Files for this one start, read-only. */
  files: string[]
  /** It only reads: the project is read-only too. */
  isReadOnly: boolean
}
export type Wrapped = {
  command: string
  args: string[]
  env: Record<string, string>
  /** Called when it is over, however it ended: ends everything that outlives the command. */
  end(): Promise<void>
}
export type Sandbox = {
  wrap(inner: Inner): Wrapped
  /** Whether this machine's programs can start in it. */
  hasPrograms: boolean
  /** Throws if it cannot be used: nothing ever starts outside instead. */
  check(): Promise<void>
  /** Ends what a killed run may have left in it. */
  endLeft(run: string): Promise<void>
}
export type SandboxOptions = Places & {
  run: string
  /** The environment of Ralph itself. */
  env: Record<string, string>
  /** The docker image. */
  name: string
  network: 'on' | 'off'
  /** More of the home folder, and more variables. */
  home: string[]
  variables: string[]
}
