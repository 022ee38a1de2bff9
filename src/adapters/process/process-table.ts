/** The processes of this machine, from /proc, or from `ps` if there is none. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

export type Process = {
  pid: number
  parent: number
  group: number
  session: number
  state: string
  start: string
  name: string
  isKernel: boolean
  hasEmptyEnviron: boolean
}

export const hasProc = existsSync('/proc/self/environ')
/** The kernel's flag of its own threads. */
const kernelThread = 0x20_0000

export const isDead = ({ state }: Process) => state === 'Z' || state === 'X'

export function processes(): Process[] {
  if (!hasProc) return processesInPs(ps(['-Ao', 'pid=,ppid=,pgid=,stat=,lstart=,comm=']))
  return readdirSync('/proc')
    .filter((entry) => Number(entry) > 0)
    .flatMap((entry) => readStat(Number(entry)) ?? [])
}

export function readStat(pid: number): Process | undefined {
  const stat = statOf(pid)
  if (stat === undefined) return undefined
  const { name, field } = stat
  return {
    pid,
    name,
    state: field(3),
    parent: Number(field(4)),
    group: Number(field(5)),
    session: Number(field(6)),
    start: field(22),
    isKernel: (Number(field(9)) & kernelThread) !== 0,
    hasEmptyEnviron: field(51) !== '0' && field(50) === field(51),
  }
}

/** What it has used of the processors until now, in the kernel's ticks, and whether it waits for one. undefined: nobody knows. */
export function workOf(pid: number): { ticks: number; isDue: boolean } | undefined {
  const stat = statOf(pid)
  return stat && { ticks: Number(stat.field(14)) + Number(stat.field(15)), isDue: stat.field(3) === 'R' }
}

/** The name is in brackets and may contain brackets and blanks: the last one closes it. Fields have the manual's numbers: the state is field 3. */
function statOf(pid: number): { name: string; field(number: number): string } | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  const close = stat.lastIndexOf(')')
  const fields = stat.slice(close + 2).split(' ')
  return { name: stat.slice(stat.indexOf('(') + 1, close), field: (number) => fields[number - 3] ?? '' }
}

function processesInPs(text: string): Process[] {
  const plain = { isKernel: false, hasEmptyEnviron: false }
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, start, name] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S)\S*\s+(\S+ +\S+ +\S+ +\S+ +\S+)\s+(.*)$/.exec(line) ?? []
    if (!pid || !state || !start || !name) return []
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: 0,
        state,
        start,
        name: basename(name),
        ...plain,
      },
    ]
  })
}

/** Empty if the process is gone: ps says so with its exit code. */
export function ps(args: string[]): string {
  try {
    // Loaded only without /proc: `status` checks whether a run is live, and should stay fast.
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    return execFileSync('ps', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}
