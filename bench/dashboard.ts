/** How long a browser waits for the dashboard of fifty runs with a thousand iterations each, compared to an empty page. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { writeFeature } from './history.ts'
import { pairedRow, type Row } from './rows.ts'
import type { Scratch } from './scratch.ts'

const runs = 50
const iterations = 1000

/** Each round has its own dashboard, which has read nothing yet. */
export async function dashboardRows(scratch: Scratch, rounds: number): Promise<Row[]> {
  const root = join(scratch.folder, 'many-runs')
  const first = join(root, '.ralph', 'run-1')
  mkdirSync(root)
  writeFeature(first, iterations)
  for (let run = 2; run <= runs; run++) cpSync(first, join(root, '.ralph', `run-${run}`), { recursive: true })
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'], env: scratch.env })
  const empty = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<!doctype html><h1>Empty</h1>'))
  await new Promise<void>((resolve) => empty.listen(0, '127.0.0.1', resolve))
  const overview: { floor: number; ralph: number }[] = []
  const opened: { floor: number; ralph: number }[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      const page = await (await browser.newContext()).newPage()
      const floor = await emptyMs(page, (empty.address() as AddressInfo).port)
      const { url, end } = await openDashboard(scratch, root)
      const ralph = await tookMs(async () => {
        await page.goto(url)
        await page.getByRole('link', { name: `run-${runs}`, exact: true }).waitFor()
      })
      const ofOne = await tookMs(async () => {
        await page.getByRole('link', { name: 'run-25', exact: true }).click()
        await page.getByRole('button', { name: new RegExp(`^${iterations} ?Done`) }).waitFor()
      })
      overview.push({ floor, ralph })
      opened.push({ floor, ralph: ofOne })
      await page.context().close()
      await end()
    }
  } finally {
    await browser.close()
    empty.close()
  }
  const many = `${runs} runs of ${iterations.toLocaleString('en')} iterations`
  return [
    pairedRow(`dashboard of ${many}, to its rows`, 'ms', overview, 1000),
    pairedRow('the page of one of them, to its newest iteration', 'ms', opened, 1000),
  ]
}

const emptyMs = (page: Page, port: number): Promise<number> =>
  tookMs(async () => {
    await page.goto(`http://127.0.0.1:${port}/`)
    await page.getByRole('heading', { name: 'Empty' }).waitFor()
  })

async function tookMs(act: () => Promise<void>): Promise<number> {
  const before = performance.now()
  await act()
  return performance.now() - before
}

async function openDashboard({ program, env }: Scratch, root: string): Promise<{ url: string; end(): Promise<void> }> {
  const child = spawn(process.execPath, [program, 'dashboard', '--no-open', '--projects', root], { cwd: root, env })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk
      const found = /^http:\S+$/m.exec(printed)?.[0]
      if (found !== undefined) resolve(found)
    })
    child.once('close', () => reject(new Error(`the dashboard ended: ${printed}`)))
  })
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { url, end }
}
