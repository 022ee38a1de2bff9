/** Recognises a lack of processes, memory or open files, which may be over a moment later. */
import { EXIT, Failure } from '../../core/failure.ts'

export const isShortage = (code: string): boolean => /^(EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test(code)

/** What to do about it; undefined: a different problem. */
export function adviceAt(code: string): string | undefined {
  if (code === 'EMFILE') return 'Allow more open files (ulimit -n 1024, or more), or use fewer workers (--parallel)'
  return isShortage(code) ? 'Free memory, processes or open files' : undefined
}

/** How long to wait before the one retry. */
export const againMs = 200

/** What ends the program: a stop with a message, a refusal by the system, or a bug. */
export function exitOfError(error: unknown): number {
  if (error instanceof Failure) return error.exit
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return EXIT.fault
  return isShortage(code) ? EXIT.missing : EXIT.data
}
