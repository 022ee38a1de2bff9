/** What a machine that is short of processes, memory or open files says: a moment later it may be over. */
import { EXIT, Failure } from '../../core/failure.ts'

export const isShortage = (code: string): boolean => /^(EAGAIN|EMFILE|ENFILE|ENOMEM)$/.test(code)

/** What to do about it; undefined: something else is the matter. */
export function adviceAt(code: string): string | undefined {
  if (code === 'EMFILE') return 'Allow more open files (ulimit -n 1024, or more), or use fewer workers (--parallel)'
  return isShortage(code) ? 'Free memory, processes or open files' : undefined
}

/** How long to wait before the one other try. */
export const againMs = 200

/** What ends the program: a stop with words, something that the world refused, or a fault of our own. */
export function exitOfError(error: unknown): number {
  if (error instanceof Failure) return error.exit
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return EXIT.fault
  return isShortage(code) ? EXIT.missing : EXIT.data
}
