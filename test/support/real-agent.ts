/**
 * Real agents for tests: each in its pinned version, installed once into a cache outside the repository, in an environment isolated from this
 * machine.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { onDisk } from './memory.ts'

export type PinnedAgent = {
  name: string
  /** Its npm package, in exactly this version: npm silently takes an older one if the newest does not support this Node. */
  package: string
  version: string
  /** Its program, inside node_modules. */
  program: string
}

/** The path of the program; the first call downloads it. */
export function realAgent(agent: PinnedAgent): string {
  const cache = process.env['RALPH_TEST_CACHE'] ?? join(onDisk(), 'ralph-test-agents')
  const folder = join(cache, `${agent.name}-${agent.version}`)
  const program = join(folder, 'node_modules', agent.program)
  if (!existsSync(program)) install(agent, folder, program)
  return program
}

/** Built from scratch, so that no key, token or setting of the machine reaches the agent. */
export const bareEnvironment = (home: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: home,
  TMPDIR: home,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  NO_COLOR: '1',
  CI: '1',
})

function install({ package: name, version }: PinnedAgent, folder: string, program: string): void {
  // Two test files may install at once: each uses its own folder, and the first to rename wins.
  const own = `${folder}.${process.pid}`
  mkdirSync(own, { recursive: true })
  const args = ['install', '--prefix', own, '--no-save', '--no-fund', '--no-audit', '--loglevel=error', '--ignore-scripts']
  const { status, error } = spawnSync('npm', [...args, `${name}@${version}`], { cwd: own, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`installing ${name} ${version} failed: ${error?.message ?? `npm exited with ${status}`}`)
  try {
    renameSync(own, folder)
  } catch (error) {
    if (!existsSync(program)) throw error
    rmSync(own, { recursive: true })
  }
}
