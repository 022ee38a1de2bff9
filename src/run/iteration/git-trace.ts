/** Records the agent's git commands. Whatever else happens to the branch meanwhile, the user did. */
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dropFile, makeFolder, readIfThere } from '../../adapters/files/files.ts'
import { logsFolder } from '../../adapters/project/layout.ts'
import type { Finding } from '../../core/proof/finding.ts'
import { isText, jsonIn, recordOf } from '../../core/text/json.ts'
import type { Work } from '../parts.ts'

/** `head`: when the agent started; `spans`: when its git commands ran; `readMs`: when it was read, after the agent ended. */
export type GitTrace = {
  head: string | null
  startedMs: number
  names: string[]
  spans: { from: number; to: number }[]
  /** Its commands that ended well, with the hooks that each has run. */
  commands: TracedCommand[]
  readMs?: number
}
export type TracedCommand = { name: string; args: string[]; hooks: string[] }

export type Traced = Pick<Work, 'dir' | 'git' | 'place' | 'env'>

/** In a folder that a sandboxed agent may write to. */
const tracePath = ({ dir }: Traced): string => join(logsFolder(dir), 'reports', 'git.trace')

export const traceEnv = (world: Traced): Record<string, string> =>
  isTraced(world) ? { GIT_TRACE2_EVENT: tracePath(world), GIT_TRACE2_EVENT_BRIEF: '1' } : {}

/** The user may have a trace of their own. */
export const isTraced = ({ git, env }: Traced): boolean => git !== null && env['GIT_TRACE2_EVENT'] === undefined

export function startTrace(world: Traced, head: string | null): void {
  if (!isTraced(world)) return
  try {
    dropFile(tracePath(world))
    makeFolder(dirname(tracePath(world)), 0o700)
    writeFileSync(tracePath(world), `${JSON.stringify({ event: began, time: new Date().toISOString(), head })}\n`)
  } catch {} // without it, everything counts as the agent's
}

/** null: there is none. */
export function readTrace(world: Traced): GitTrace | null {
  const trace = isTraced(world) ? parseTrace(readIfThere(tracePath(world)) ?? '') : null
  return trace && { ...trace, readMs: Date.now() }
}

export function dropTrace(world: Traced): void {
  if (isTraced(world)) dropFile(tracePath(world))
}

const began = 'agent began'

export function parseTrace(text: string): GitTrace | null {
  const [first, ...notes] = text.split('\n').map(jsonIn).filter(isNote)
  if (first?.event !== began) return null
  const spans = new Map<string, { from: number; to: number }>()
  const names: string[] = []
  const commands = new Map<string, TracedCommand & { code?: number }>()
  for (const { event, sid = '', time = '', name = '', argv = [], hook_name = '', code } of notes) {
    // A killed one has no end.
    if (event === 'version') spans.set(sid, { from: Date.parse(time), to: Number.POSITIVE_INFINITY })
    const span = spans.get(sid)
    if (event === 'atexit' && span !== undefined) span.to = Date.parse(time)
    if (event === 'cmd_name') names.push(name)
    if (event === 'start') commands.set(sid, { name: '', args: argv, hooks: [] })
    const command = commands.get(sid)
    if (command === undefined) continue
    if (event === 'cmd_name') command.name = name
    if (event === 'child_start' && hook_name !== '') command.hooks.push(hook_name)
    if (event === 'exit' && code !== undefined) command.code = code
  }
  // git itself commits without hooks while it replays commits.
  const isReplay = (sid: string): boolean => replays.has(commands.get(sid.slice(0, sid.lastIndexOf('/')))?.name ?? '')
  const good = [...commands]
    .filter(([sid, { code }]) => code === 0 && !(sid.includes('/') && isReplay(sid)))
    .map(([, { name, args, hooks }]) => ({ name, args, hooks }))
  return { head: first.head ?? null, startedMs: Date.parse(first.time ?? ''), names, spans: [...spans.values()], commands: good }
}

const replays = new Set(['rebase', 'cherry-pick', 'revert', 'merge', 'am', 'pull', 'fast-import', 'filter-branch', 'subtree'])

type Note = {
  event: string
  sid?: string
  time?: string
  name?: string
  head?: string | null
  argv?: string[]
  hook_name?: string
  code?: number
}

/** Invalid: git was killed while it wrote, or an agent wrote there itself. */
function isNote(value: unknown): value is Note {
  const { event, sid = '', time = '', name = '', head, argv = [], hook_name = '', code = 0 } = recordOf(value)
  const areWords = Array.isArray(argv) && argv.every(isText) && typeof code === 'number'
  return areWords && [event, sid, time, name, head ?? '', hook_name].every(isText)
}

/** Whether a commit made at that time is the user's. An older one was brought in by somebody unknown. */
export function isUsersCommit({ startedMs, spans, readMs = Number.POSITIVE_INFINITY }: GitTrace, madeMs: number | null): boolean {
  // What was made after it was read is Ralph's own: it brings commits back that an agent took off the branch.
  if (madeMs === null || madeMs < startedMs || madeMs > readMs) return false
  return !spans.some(({ from, to }) => from - slackMs <= madeMs && madeMs <= to + slackMs)
}

/** Clocks of file systems are coarser than git's. */
const slackMs = 250

/** `made`: those that count as the agent's; `untraced`: those that came at a time when no git of its trace ran. */
export type CommitsOfAgent = { made: string[]; untraced: string[]; madeAt: (commit: string) => number | null }

/** How commits of the agent got past hooks that check them, whatever its transcript shows. `hooks`: those that git runs there; `trace` null: it is gone. */
export function pastHooks(trace: GitTrace | null, hooks: string[], { made, untraced, madeAt }: CommitsOfAgent): Finding[] {
  const checks = ['pre-commit', 'commit-msg'].filter((name) => hooks.includes(name))
  if (made.length + untraced.length === 0 || checks.length === 0) return []
  const isPast = ({ name, args, hooks: ran }: TracedCommand): boolean =>
    name === 'commit-tree' || (name === 'commit' && !args.includes('--dry-run') && checks.some((check) => !ran.includes(check)))
  const how = [...new Set((trace?.commands ?? []).filter(isPast).map(({ name }) => `git ${name}`))]
  const found =
    made.length === 0
      ? []
      : how.map(
          (command): Finding => ({
            rule: 'hooks-bypassed',
            words: `bypassed the hooks in a commit (${command} that did not run ${checks.join(' and ')})`,
            isCertain: true,
          }),
        )
  // The user may have made it, with all hooks: nobody can tell.
  // An older one was only fetched, or is of a branch that the agent went to.
  const fresh = made.filter((commit) => trace === null || (madeAt(commit) ?? 0) >= trace.startedMs)
  const [first] = trace === null || fresh.length > mayMake(trace) ? fresh : untraced
  if (found.length > 0 || first === undefined) return found
  const words = `has a commit (${first.slice(0, 10)}) that is not in git's trace of the agent: unless you made it, ${checks.join(' and ')} may not have run`
  return [{ rule: 'hooks-bypassed', words, isBeyondChecks: true }]
}

/** How many commits its commands can have made. */
const mayMake = ({ commands }: GitTrace): number =>
  commands.some(({ name }) => replays.has(name))
    ? Number.POSITIVE_INFINITY
    : commands.filter(({ name }) => name === 'commit' || name === 'commit-tree').length
