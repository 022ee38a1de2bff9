/** CPU time of a program with all its children, as the kernel counts it for the waiting shell. */
import { spawnSync } from 'node:child_process'

/** User and system time. The command must succeed. */
export function processorMs(command: string[], cwd: string, env: Record<string, string>): number {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" > /dev/null 2>&3; } 3>&2'
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...command], { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`)
  const [user, system] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number)
  return (user! + system!) * 1000
}
