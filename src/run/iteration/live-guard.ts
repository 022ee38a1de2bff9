/** What an agent that can be told is kept from while it works, and what it must pass before it stops. Restoring afterwards holds for all agents. */

import { join } from 'node:path'
import { homeSettings } from '../../adapters/agents/list.ts'
import { commonDirOf } from '../../adapters/git/worktree-folders.ts'
import {
  archiveFolder,
  callsPath,
  featureFolder,
  NAMES,
  padded,
  projectConfig,
  projectLogsFolder,
  projectTemplates,
  reportsFolder,
  specsFolder,
  userConfig,
} from '../../adapters/project/layout.ts'
import { keyPath } from '../../adapters/project/person-key.ts'
import { gatesFor } from '../../core/decide/gates.ts'
import type { State } from '../../core/state.ts'
import { inShell } from '../../core/text/escape.ts'
import type { Gate } from '../../core/types.ts'
import type { Guard, Task } from '../../ports.ts'
import type { Work } from '../parts.ts'
import type { IterationStarted } from './gather-prompt.ts'

type GuardWorld = Pick<Work, 'root' | 'home' | 'dir' | 'git' | 'env' | 'settings'>

export function guardFor(world: GuardWorld, started: IterationStarted, state: State): Pick<Required<Task>, 'guard'> {
  const { root, settings } = world
  const patterns = settings['gates.protected']
  const atStop = settings['gates.in_session'] ? gatesAtStop(world, started, state) : null
  return {
    guard: {
      denied: deniedPaths(world),
      ...(patterns.length === 0 ? {} : { protects: { patterns, from: root, reason: protectedReason } }),
      ...(atStop === null ? {} : { atStop }),
    },
  }
}

const protectedReason =
  'Ralph protects this file (setting gates.protected): a story that changes it is refused. Make the code meet it as it is. If a criterion requires another content, stop and signal DECIDE with both quoted.'

/** Everything of ours that no iteration needs to edit: of all features, because an agent could work for another one. */
function deniedPaths({ root, home, git, env }: GuardWorld): string[] {
  const feature = featureFolder(root, '*')
  const gitFolder = git === null ? null : commonDirOf(git.dir)
  const { progress: _agentsToo, inbox, learnings, logs, ...files } = NAMES
  return [
    projectConfig(root),
    join(projectTemplates(root), '**'),
    join(archiveFolder(root), '**'),
    join(projectLogsFolder(root), '**'),
    ...Object.values(files).map((name) => join(feature, name)),
    ...[inbox, learnings, logs].map((name) => join(feature, name, '**')),
    join(specsFolder(feature), '**'),
    ...(gitFolder === null ? [] : ['hooks/**', 'config', 'info/**'].map((name) => join(gitFolder, name))),
    ...[userConfig(home), keyPath(home), callsPath(home), ...homeSettings(env)],
  ]
}

/** How often its agent was sent back. */
export const stopsPath = (dir: string, iteration: number): string => join(reportsFolder(dir), `${padded(iteration)}.stops`)

const mostStops = 3
const stopSeconds = 120
const fastMs = 60_000

/** The hard gates of the story that are not known to be slow; null: none. */
function gatesAtStop({ root, dir }: GuardWorld, { story, iteration }: IterationStarted, state: State): Guard['atStop'] | null {
  const slow = (state.baseline ?? []).filter(({ durationMs }) => durationMs > fastMs).map(({ name }) => name)
  const gates = gatesFor(state, { flips: story === null ? [] : [story] }).filter(
    ({ name, soft }) => soft !== true && !slow.includes(name),
  )
  if (gates.length === 0) return null
  return { script: stopScript(gates, root, stopsPath(dir, iteration)), seconds: stopSeconds }
}

/** An agent that asks a person may stop, whatever the gates say; and nobody is sent back more often than the limit. */
export const stopScript = (gates: Pick<Gate, 'name' | 'command'>[], root: string, count: string): string =>
  [
    'said=$(cat)',
    "case $said in *'>DECIDE:'* | *'>BLOCKED:'*) exit 0 ;; esac",
    `times=$(cat ${inShell(count)} 2>/dev/null || echo 0)`,
    `[ "$times" -lt ${mostStops} ] || exit 0`,
    `cd ${inShell(root)} || exit 0`,
    'check() {',
    '  out=$(sh -c "$2" 2>&1 </dev/null) && return',
    '  times=$((times + 1))',
    // What cannot be counted could continue forever.
    `  mkdir -p "$(dirname ${inShell(count)})" && echo "$times" >${inShell(count)} || exit 0`,
    `  printf 'Ralph ran its gates before you stop (%s of ${mostStops}). %s (%s) fails:\\n' "$times" "$1" "$2" >&2`,
    '  printf \'%s\\n\' "$out" | tail -n 60 | tail -c 6000 >&2',
    "  printf 'Fix the cause. If a criterion contradicts it, stop with DECIDE and quote both.\\n' >&2",
    '  exit 2',
    '}',
    ...gates.map(({ name, command }) => `check ${inShell(name)} ${inShell(command)}`),
    '',
  ].join('\n')
