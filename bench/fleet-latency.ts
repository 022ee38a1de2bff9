/** How long it takes from a mirrored event to the dashboard's page, through its stream of changes, like a browser. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Event } from '../src/core/types.ts'
import type { Overview, RunData } from '../src/dashboard/data/shapes.ts'
import type { Fleet } from '../src/fleet/database.ts'
import { submit } from '../src/fleet/features.ts'
import { takeFeatures } from '../src/fleet/leases.ts'
import { mirror } from '../src/fleet/write-turn.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** In ms, one per sample. */
export async function dashboardLatency(fleet: Fleet, url: string, samples: number): Promise<number[]> {
  const lines = readFileSync(join(root, 'test', 'fixtures', 'logs', 'proven.jsonl'), 'utf8')
    .trim()
    .split('\n')
  await submit(fleet, { repository: '/shown', feature: 'shown', base: '', priority: 100, labels: [] })
  const [taken] = (await takeFeatures(fleet, { worker: 'latency', labels: [], allow: ['/shown'] }, 1)).taken
  const home = mkdtempSync(join(tmpdir(), 'ralph-latency-'))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' }
  const program = join(root, 'bin', 'ralph.js')
  const child = spawn(process.execPath, [program, 'dashboard', '--fleet', url, '--no-open'], { cwd: home, env })
  try {
    const page = await opened(child.stdout)
    const stream = (await page.get('/api/events')).body!.getReader()
    const { projects } = (await (await page.get('/api/projects')).json()) as Overview
    const address = `/api/runs/${projects.find(({ path }) => path === '/shown')!.id}/shown`
    const took: number[] = []
    for (let seq = 1; seq <= samples; seq++) {
      const line = lines[seq - 1]!
      const began = performance.now()
      await mirror(fleet, taken!, [{ seq, line }])
      const { at, kind } = JSON.parse(line) as Event
      for (let isThere = false; !isThere; ) {
        await stream.read() // something changed
        const { status } = (await (await page.get(address)).json()) as RunData
        isThere = status.lastEvent?.at === at && status.lastEvent.kind === kind
      }
      took.push(performance.now() - began)
    }
    await stream.cancel()
    return took
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('close', resolve))
    rmSync(home, { recursive: true, force: true })
  }
}

async function opened(out: NodeJS.ReadableStream): Promise<{ get(path: string): Promise<Response> }> {
  let said = ''
  for await (const chunk of out) {
    said += chunk
    const address = /http:\/\/\S+/.exec(said)?.[0]
    if (address === undefined || !said.includes('\n')) continue
    const { origin, port, searchParams } = new URL(address)
    const cookie = `ralph_${port}=${searchParams.get('token')}`
    return { get: (path) => fetch(origin + path, { headers: { cookie } }) }
  }
  throw new Error(`the dashboard did not start: ${said}`)
}
