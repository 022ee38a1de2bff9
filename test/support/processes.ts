/** Shared by tests with kills: waits for what a run does, and finds what it left behind. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TestProject } from './project.ts'

const deadlineMs = 120_000
const lookMs = 5

/** Polls until there is a value; the deadline only fails the test. */
export async function until<T>(what: string, look: () => T | undefined | null | false): Promise<T> {
  const end = Date.now() + deadlineMs
  for (;;) {
    const found = look()
    if (found) return found
    if (Date.now() > end) throw new Error(`waited in vain for: ${what}`)
    await pause(lookMs)
  }
}

export const untilFile = (project: TestProject, name: string): Promise<boolean> =>
  until(`the file ${name}`, () => project.has(name))

/** Waits until the log has an event of this kind. */
export const untilEvent = (project: TestProject, kind: string): Promise<boolean> =>
  until(`an event ${kind}`, () => hasEvent(project, kind))

const hasEvent = (project: TestProject, kind: string): boolean =>
  project.has(`.ralph/${project.feature}/events.jsonl`) &&
  project.read(`.ralph/${project.feature}/events.jsonl`).includes(`"kind":"${kind}"`)

/** The run in the log. */
export const runOf = (project: TestProject): string => project.events().at(-1)!.run

/** Whether this machine lets bwrap make a sandbox. */
export const canShutIn = (): boolean =>
  spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0

/** Living processes with the mark of a run: its agents, its gates, and their children. */
export function survivors(run: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((entry) => Number(entry) > 0)
    .flatMap((pid) => {
      try {
        const isOfRun = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`RALPH_RUN=${run}:`)
        const isZombie = /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
        return isOfRun && !isZombie ? [{ pid: Number(pid), command }] : []
      } catch {
        return [] // gone meanwhile, or not ours
      }
    })
}

const here = dirname(fileURLToPath(import.meta.url))
const dies = join(here, 'dies.ts')

/** A run that dies by SIGKILL at this step: see dies.ts. */
export function runAndDie(project: TestProject, at: string, ...args: string[]): ReturnType<TestProject['run']> {
  Object.assign(project.env, { NODE_OPTIONS: `--import=${dies}`, DIES_AT: at })
  const { ended } = project.start('run', ...args)
  delete project.env['NODE_OPTIONS']
  delete project.env['DIES_AT']
  return ended
}

/** Its runs wait for no limit and no retry; or waits, and time limits, are over each time this file appears: see skips-waits.ts. */
export function withoutWaits<P extends TestProject>(project: P, overAt?: string): P {
  project.env['NODE_OPTIONS'] = `--import=${join(here, 'skips-waits.ts')}`
  if (overAt !== undefined) project.env['OVER_AT'] = project.path(overAt)
  return project
}
