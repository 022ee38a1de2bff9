/** A small real fleet: a bare repository with features, a database, and workers as processes of the built program. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Event } from '../../src/core/types.ts'
import { type Fleet, openFleet } from '../../src/fleet/database.ts'
import type { Feature } from '../../src/fleet/features.ts'
import { compiled } from './memory.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { type Ended, prd, ralphProgram, type Steps, type StorySketch } from './project.ts'

export type FleetSketch = {
  /** By name: its stories. Each has the branch feature/<name>. */
  features: Record<string, StorySketch[]>
  script?: { stories?: Record<string, Steps[]>; otherwise?: Steps; iterations?: Steps[] }
  config?: Record<string, unknown>
  /** Arguments of init. */
  init?: string[]
}
export type WorkerProcess = { child: ChildProcess; folder: string; said(): string; ended: Promise<Ended> }
export type TestFleet = {
  postgres: Postgres
  url: string
  /** The remote, bare. */
  remote: string
  base: string
  env: Record<string, string>
  ralph(...args: string[]): Promise<Ended>
  /** A command that runs while the test continues. */
  run(...args: string[]): Omit<WorkerProcess, 'folder'>
  worker(...args: string[]): WorkerProcess
  open(): Promise<Fleet>
  /** In the remote. */
  git(...args: string[]): string
  feature(name: string): Promise<Feature>
  events(name: string): Promise<Event[]>
  /** Resolves when the check is true; polls, and gives up in the end. */
  until(what: string, isSo: () => Promise<boolean>, seconds?: number): Promise<void>
  remove(): Promise<void>
}

export async function makeFleet(sketch: FleetSketch, shared?: Postgres): Promise<TestFleet> {
  const base = mkdtempSync(join(tmpdir(), 'ralph-fleet-test-'))
  const postgres = shared ?? (await startPostgres())
  databases += 1
  const url = shared ? postgres.database(`fleet_${process.pid}_${databases}`) : postgres.url
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: join(base, 'home'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: base,
    GIT_CONFIG_NOSYSTEM: '1',
    ...compiled,
    GIT_AUTHOR_NAME: 'Worker',
    GIT_AUTHOR_EMAIL: 'worker@localhost',
    GIT_COMMITTER_NAME: 'Worker',
    GIT_COMMITTER_EMAIL: 'worker@localhost',
    RALPH_FLEET_DB: url,
  }
  mkdirSync(env['HOME']!, { recursive: true })
  const remote = join(base, 'remote.git')
  const seed = join(base, 'seed')
  const git = (...args: string[]): string => gitAt(remote, env, args)
  writeSeed(seed, sketch)
  mkdirSync(remote)
  gitAt(remote, env, ['init', '-q', '--bare', '-b', 'main'])
  gitAt(seed, env, ['init', '-q', '-b', 'main'])
  gitAt(seed, env, ['add', '-A'])
  gitAt(seed, env, ['commit', '-q', '-m', 'start'])
  gitAt(seed, env, ['push', '-q', remote, 'main'])
  const children = new Set<ChildProcess>()
  const start = (args: string[]): WorkerProcess => {
    const child = spawn(process.execPath, [ralphProgram, ...args], { cwd: base, env, stdio: ['ignore', 'pipe', 'pipe'] })
    children.add(child)
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    const ended = new Promise<Ended>((resolve) =>
      child.on('close', (code, signal) => {
        children.delete(child)
        resolve({ code, signal, out, err })
      }),
    )
    return { child, folder: '', said: () => out + err, ended }
  }
  const ralph = (...args: string[]): Promise<Ended> => start(args).ended
  const made = await ralph('fleet', 'init', '--db', url, ...(sketch.init ?? ['--lease', '5s']))
  if (made.code !== 0) throw new Error(`init: ${made.err}`)
  let opened: Promise<Fleet> | null = null
  const open = (): Promise<Fleet> => (opened ??= openFleet({ url, connections: 2 }))
  const feature = async (name: string): Promise<Feature> => {
    const [row] = await (await open()).query<Feature>('select * from ralph.features where feature = $1', [name])
    return row!
  }
  return {
    postgres,
    url,
    remote,
    base,
    env,
    ralph,
    run: (...args) => start(args),
    worker(...args) {
      workers += 1
      const folder = join(base, `worker-${workers}`)
      return { ...start(['fleet', 'work', '--allow', remote, '--folder', folder, ...args]), folder }
    },
    open,
    git,
    feature,
    async events(name) {
      const rows = await (await open()).query<{ line: string }>(
        'select line from ralph.events e join ralph.features f using (key) where f.feature = $1 order by seq',
        [name],
      )
      return rows.map(({ line }) => JSON.parse(line) as Event)
    },
    async until(what, isSo, seconds = 60) {
      const giveUpAt = performance.now() + seconds * 1000
      while (!(await isSo().catch(() => false))) {
        if (performance.now() > giveUpAt) throw new Error(`it did not come to this in ${seconds} s: ${what}`)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    async remove() {
      for (const child of children) child.kill('SIGKILL')
      await (await opened)?.close()
      if (!shared) await postgres.remove()
      rmSync(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }) // runs that lost their worker end by themselves
    },
  }
}

let databases = 0
let workers = 0

function writeSeed(seed: string, { features, script, config }: FleetSketch): void {
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(seed, name)), { recursive: true })
    writeFileSync(join(seed, name), text)
  }
  write('README.md', '# A project\n')
  const agent = script ?? {
    otherwise: [
      { write: { path: '$RALPH_STORY.txt', text: 'done\n' } },
      { commit: 'feat: $RALPH_STORY' },
      { flip: '$RALPH_STORY' },
      { say: 'It is there.' },
    ],
  }
  write('.ralph/agent.json', JSON.stringify(agent))
  write('.ralph/config.yaml', JSON.stringify({ agent: { name: 'scripted', script: '.ralph/agent.json' }, ...config }))
  for (const [name, stories] of Object.entries(features)) write(`.ralph/${name}/prd.json`, prd(name, `feature/${name}`, stories))
}

function gitAt(cwd: string, env: Record<string, string>, args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trimEnd()
}
