/** What a sandbox is given and gives: a program as it would be started outside, and as it is started inside. */
import type { Needs } from '../../ports.ts'
import type { Places } from './view.ts'

/** A program as it would be started outside. */
export type Inner = {
  command: string
  args: string[]
  cwd: string
  env: Record<string, string>
  /** What it needs beside the project: an agent's own files and variables. */
  needs: Needs
  /** Files for this one start, read and not written. */
  files: string[]
  /** It looks, and changes nothing: the project is read-only too. */
  isReadOnly: boolean
}
export type Wrapped = {
  command: string
  args: string[]
  env: Record<string, string>
  /** Once it is over, however it ended: what outlives the command itself is ended too. */
  end(): Promise<void>
}
export type Sandbox = {
  wrap(inner: Inner): Wrapped
  /** Programs of this machine can be started in it. */
  hasPrograms: boolean
  /** Throws where it cannot be used: never is anything started outside instead. */
  check(): Promise<void>
  /** Ends what a run that was killed may have left in it. */
  endLeft(run: string): Promise<void>
}
export type SandboxOptions = Places & {
  run: string
  /** The environment of Ralph itself. */
  env: Record<string, string>
  /** docker's image. */
  name: string
  network: 'on' | 'off'
  /** More of the home folder, and more variables. */
  home: string[]
  variables: string[]
}
