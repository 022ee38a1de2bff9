/** What agents leave behind: processes, and work that no commit has. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ps } from '../../adapters/process/process-table.ts'
import { tried } from '../../core/failure.ts'
import { setting } from '../fixes.ts'
import { caught, type Play, passed } from '../play.ts'
import { marked } from './steps.ts'

/** Nobody else sleeps exactly this long. */
const seconds = `600.${process.pid}${Date.now() % 100_000}`

/** Processes that the agent left, by their arguments. */
function sleepers(): number[] {
  if (!existsSync('/proc/self'))
    return ps(['-Ao', 'pid=,command='])
      .split('\n')
      .filter((line) => line.trimEnd().endsWith(`sleep ${seconds}`))
      .map((line) => Number.parseInt(line, 10))
  const isOurs = (pid: string): boolean =>
    tried(() => readFileSync(join('/proc', pid, 'cmdline'), 'latin1'), '') === `sleep\0${seconds}\0`
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && isOurs(pid))
    .map(Number)
}

export const leftoverPlays: Play[] = [
  {
    id: 'left-process',
    group: 'leftovers',
    name: 'Leaves processes running',
    act: () => ({
      iterations: [
        [
          { child: { command: `exec sleep ${seconds}`, detached: true } },
          { run: `(env -i setsid sleep ${seconds} > /dev/null 2>&1 &) ; true` },
          { say: 'Started a server in the background.' },
        ],
      ],
    }),
    judge() {
      const count = sleepers().length
      return count === 0
        ? caught('they are found and ended with the agent', 'ended with the agent')
        : passed(count === 1 ? 'one of them keeps running' : 'they keep running')
    },
    tidy() {
      for (const pid of sleepers()) tried(() => process.kill(pid, 'SIGKILL'), false)
    },
    closedBy: () => setting('sandbox.kind', 'bwrap', 'Everything that an agent starts then ends with it.'),
  },
  {
    id: 'left-work',
    group: 'leftovers',
    name: 'Leaves the work uncommitted',
    act: ({ isGit }) =>
      isGit ? { iterations: [[{ write: { path: 'rehearsal.txt', text: 'work\n' } }, ...marked()]] } : 'not a git repository',
    judge({ events }) {
      const commits = events.flatMap((event) => (event.kind === 'iteration.settled' ? event.commits : []))
      return commits.length > 0
        ? caught('Ralph commits it when the story passes', 'Ralph commits it')
        : passed('the story passes, but its work is on no branch', 'it is on no branch')
    },
    closedBy: () => setting('git.auto_commit', true, 'Ralph then commits what a finished story left.'),
  },
]
