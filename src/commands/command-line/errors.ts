/** Errors of the command line: what went wrong in one line, and the exit code. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { adviceAt, exitOfError } from '../../adapters/process/shortage.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'
import { version } from '../../version.ts'

/** What was wrong, what was meant, and where to look: one line, like every other error. */
export function oneLine(text: string, command: string | undefined): string {
  const [what = '', meant = ''] = text.trim().split('\n')
  const where = command === undefined ? '"ralph help" lists all commands' : `"ralph help ${command}" shows how to use it`
  const advice = meant === '' ? ` ${where}.` : ` ${meant.replace(/^\(|\)$/g, '')}`
  return `ralph: ${what.replace(/^error: /, '').replace(/\.?$/, '.')}${advice}\n`
}

export function exitOf(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
  const exit = exitOfError(error)
  const { code = '', path, syscall, message, stack } = error as NodeJS.ErrnoException
  if (error instanceof Failure) io.err(`ralph: ${message}\n`)
  else if (exit === EXIT.fault) io.err(`ralph: a bug in Ralph, not your fault: ${message ?? error}\n${traceOf(stack ?? '')}`)
  else {
    const what = [syscall, path].filter((word) => word !== undefined).join(' ')
    const advice = adviceAt(code) ?? (code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space' : 'Make it accessible')
    io.err(`ralph: cannot ${what}: ${message.replace(/, \w+( '.*)?$/, '')}. ${advice}, then run again.\n`)
  }
  return exit
}

/** The stack trace goes to a file, unless there is no space for one. */
function traceOf(stack: string): string {
  const path = join(tmpdir(), `ralph-fault-${process.pid}.txt`)
  try {
    writeFileSync(path, `ralph ${version}, node ${process.version}, ${process.platform}\n${stack}\n`, { mode: 0o600, flag: 'wx' })
    return `Where it happened is in ${path}: please report it with that file. "ralph run" continues.\n`
  } catch {
    return `${stack}\n`
  }
}
