/** Which programs the gates of a run start, by their commands and the scripts that those run. */

import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { readIfThere, readJson } from '../../adapters/files/files.ts'
import { installedPython, isPythonProject } from '../../adapters/installed/python.ts'
import { installedRunners } from '../../adapters/installed/runners.ts'
import { lookUp } from '../../adapters/process/known-programs.ts'
import { scriptIn } from '../../adapters/test-command/javascript.ts'
import { filesOfGates } from '../../core/tamper/gate-files.ts'
import { shellCommands, unwrapped } from '../../core/tamper/shell.ts'
import type { KnownPrograms } from '../../core/types/results.ts'
import type { Plan, Policy } from '../../core/types.ts'
import type { Work } from '../parts.ts'

/** `logged`: what a killed run knew, on this machine. */
export function gatePrograms(
  { root, env, settings, agents }: Pick<Work, 'root' | 'env' | 'settings' | 'agents'>,
  { gates }: Pick<Policy, 'gates'>,
  plan: Plan | null,
  logged: KnownPrograms | undefined,
): KnownPrograms {
  if (logged?.on === hostname()) return logged
  const own = (plan?.stories ?? []).flatMap((story) => Object.entries(story.gates).map(([name, command]) => ({ name, command })))
  const all = [...gates, ...own]
  const script = (path: string, entry: string): string | undefined => scriptIn(readJson(join(root, path)), entry)
  const scripts = filesOfGates(all, (path) => existsSync(join(root, path)), script).flatMap(
    ({ path, entry }) => (entry === undefined ? shellScript(join(root, path)) : script(path, entry)) ?? [],
  )
  const words = [...all.map(({ command }) => command), ...scripts].flatMap(programsIn)
  // A program of the project itself is compared with its commits, or with what is installed.
  const started = words.filter((word) => /^\/?[\w.+-]+$|^\//.test(word))
  const found = lookUp([...started, ...othersJudging(settings, agents)], { root, env })
  const installed = {
    ...installedRunners(root),
    ...(isPythonProject(root, words) ? installedPython({ root, env }) : {}),
  }
  return { on: hostname(), found, ...(Object.keys(installed).length === 0 ? {} : { installed }), since: Date.now() }
}

const shellScript = (path: string): string | undefined =>
  /\.(?:ba|z)?sh$/.test(path) ? (readIfThere(path) ?? undefined) : undefined

/** An agent updates its own program while it works; that of a reviewer which is another agent has no reason to change. */
function othersJudging(settings: Work['settings'], agents: Work['agents']): string[] {
  const own = agents.agentFor({ plan: null }, null).program
  const names = [settings['roles.reviewer.agent'], settings['roles.learner.agent']].filter((name) => name !== '')
  return names.map((name) => agents.reviewer(name).agent.program).filter((program) => program !== own)
}

const programsIn = (command: string): string[] => shellCommands(command).flatMap((words) => unwrapped(words).words.slice(0, 1))
