/** A test command as this machine can start it: where a program is installed under its other name only, that name. */
import { findProgram } from '../process/program.ts'

/** Debian calls pytest pytest-3, and has no python without an environment. */
const otherNames: Record<string, string> = { pytest: 'pytest-3', python: 'python3' }

export function asInstalled(command: string, root: string, env: Record<string, string | undefined>): string {
  const [program = ''] = command.split(' ', 1)
  const other = otherNames[program]
  if (other === undefined || findProgram(program, root, env) !== null || findProgram(other, root, env) === null) return command
  return `${other}${command.slice(program.length)}`
}
