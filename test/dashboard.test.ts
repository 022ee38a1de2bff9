/** `ralph dashboard` in a real browser, beside real runs: it grows with them, steers them, and lets nobody else in. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import type { Event } from '../src/core/types.ts'
import { eventsOf, finishes, says, told } from './support/loop.ts'
import { makeProject, type ProjectSketch, type Steps, type TestProject } from './support/project.ts'

const fixtures = join(dirname(fileURLToPath(import.meta.url)), 'fixtures', 'logs')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
let browser: Browser
before(async () => {
  const { PATH = '' } = process.env
  const env = { PATH, HOME: '/nonexistent', LANG: 'C.UTF-8' }
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'], env })
})
after(() => browser.close())

function project(t: TestContext, sketch: ProjectSketch): TestProject {
  const made = makeProject(sketch)
  t.after(made.remove)
  return made
}

async function dashboard(made: TestProject, ...args: string[]): Promise<{ url: string; end(): Promise<number | null> }> {
  const { child, ended, output } = made.start('dashboard', '--no-open', ...args)
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const found = /^http:\S+$/m.exec(output())?.[0]
      if (found !== undefined) resolve(found)
    }
    child.stdout!.on('data', look)
    child.on('close', () => reject(new Error(`it ended: ${output()}`)))
  })
  const end = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    return (await ended).code
  }
  return { url, end }
}

/** A tab of its own, in which nothing may go wrong and nothing may come from elsewhere. */
async function tab(t: TestContext, url: string): Promise<{ page: Page; wrong: string[]; another(url: string): Promise<Page> }> {
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  t.after(() => context.close())
  const wrong: string[] = []
  context.on('request', (asked) => {
    if (!asked.url().startsWith(new URL('/', url).href) && !asked.url().startsWith('data:')) wrong.push(asked.url())
  })
  context.on('console', (line) => line.type() === 'error' && wrong.push(line.text()))
  context.on('weberror', (error) => wrong.push(error.error().message))
  const another = async (address: string): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(address)
    return page
  }
  return { page: await another(url), wrong, another }
}

/** The agent goes on once the test has written this file. */
const waitsFor = (file: string): Steps => [{ run: `while [ ! -e ${file} ]; do sleep 0.05; done` }]

async function seriousFindings(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(axe)
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; impact: string; nodes: { html: string }[] }[]
    }
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical')
        found.push(`${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(' ')}`)
  }
  return found
}

test('a run is seen to grow without a reload, its question is answered and it is stopped, all from the page [R-MON-2]', async (t) => {
  const made = project(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }],
    config: { gates: { tests: 'true' } },
    script: {
      iterations: [
        [...waitsFor('../go-1'), ...finishes],
        says('<promise>DECIDE:tabs or spaces?</promise>'),
        told('tabs, always', ...waitsFor('../go-2'), ...finishes),
        finishes,
      ],
    },
  })
  const { url, end } = await dashboard(made)
  const { page, wrong } = await tab(t, url)
  assert.equal(new URL(page.url()).search, '', 'the token stays in the address')
  await page.getByRole('row', { name: /^thing idle/ }).waitFor()
  const first = made.start('run', '--no-archive')
  await page.getByRole('row', { name: /^thing running 0\/3/ }).waitFor()
  await page.getByRole('link', { name: 'thing' }).click()
  await page.getByRole('button', { name: /^1 ?running ?S-1/ }).waitFor()
  made.write('../go-1', '')
  await page.getByText('S-2 asks (iteration 2): tabs or spaces?').waitFor()
  await page.getByRole('button', { name: /^1 ?done ?S-1/ }).waitFor()
  assert.equal((await first.ended).code, 3)

  await page.getByLabel('Your answer').fill('tabs, always')
  await page.keyboard.press('Enter')
  await page.getByText('Answered for S-2. Go on with: ralph run').waitFor()
  await page.getByText('S-2 asks').waitFor({ state: 'detached' })
  assert.deepEqual(
    eventsOf(made, 'question.answered').map(({ text, story }) => [text, story]),
    [['tabs, always', 'S-2']],
  )

  const second = made.start('run', '--no-archive')
  await page.getByRole('button', { name: /^3 ?running ?S-2/ }).waitFor()
  await page.getByRole('button', { name: 'Stop after this iteration' }).click()
  await page.getByText('The run stops after this iteration.').waitFor()
  made.write('../go-2', '')
  await page.getByRole('heading', { name: 'thing interrupted' }).waitFor()
  assert.equal((await second.ended).code, 130)
  assert.deepEqual(made.passing(), ['S-1', 'S-2'])

  await page.getByText('Log of iteration 3').click()
  await page.getByLabel('Search the log').fill('It is there')
  await page.getByText('1 line found').waitFor()
  await page.getByRole('region', { name: 'Log of iteration 3' }).getByText('It is there.').waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  await page.goto(new URL('/', url).href)
  await page.getByRole('row', { name: /^thing interrupted 2\/3/ }).waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  assert.deepEqual(wrong, [])
  assert.equal(await end(), 143)
})

test('a blocked run is unblocked, paused, told something and let go on from the page, which follows it to the archive [R-MON-2]', async (t) => {
  const made = project(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: 'true' } },
    script: {
      iterations: [
        says('<promise>BLOCKED:no key</promise>'),
        told('the key is there', ...waitsFor('../go'), ...finishes),
        told('mind the gap', ...finishes),
      ],
    },
  })
  const { url, end } = await dashboard(made)
  const { page, wrong } = await tab(t, url)
  assert.equal((await made.run('run')).code, 2)
  await page.getByRole('row', { name: /^thing blocked/ }).waitFor()
  await page.getByRole('link', { name: 'thing' }).click()
  await page.getByText('Blocked since iteration 1: no key').waitFor()
  await page.getByLabel(/^What you did about it/).fill('the key is there')
  await page.getByRole('button', { name: 'Unblock' }).click()
  await page.getByText('Unblocked. Go on with: ralph run').waitFor()
  const run = made.start('run')
  await page.getByRole('button', { name: /^2 ?running ?S-1/ }).waitFor()
  await page.getByRole('button', { name: 'Pause after this iteration' }).click()
  await page.getByText('The run pauses after this iteration. Go on with: ralph resume').waitFor()
  await page.getByLabel('A note for the next iteration').fill('mind the gap')
  await page.getByRole('button', { name: 'Say', exact: true }).click()
  await page.getByText('Noted: the next iteration of the live run will read it.').waitFor()
  made.write('../go', '')
  await page.getByRole('heading', { name: 'thing paused' }).waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByRole('heading', { name: 'thing complete archived' }).waitFor()
  assert.equal((await run.ended).code, 0)
  assert.equal(await page.getByRole('button', { name: 'Say', exact: true }).count(), 0)
  assert.deepEqual(wrong, [])
  await end()
})

test('a page outlives its server, and goes on once the new address was opened [R-MON-2]', async (t) => {
  const made = project(t, {})
  const one = await dashboard(made)
  const { page, another } = await tab(t, one.url)
  await page.getByText('Live', { exact: true }).waitFor()
  const { port } = new URL(one.url)
  await one.end()
  await page.getByText('Not connected. Trying again…').waitFor()
  const two = await dashboard(made, '--port', port)
  await page.getByText(/^The dashboard was started anew\./).waitFor()
  await another(two.url)
  await page.getByText('Live', { exact: true }).waitFor()
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  await page.getByRole('row', { name: /^thing complete 1\/1/ }).waitFor()
  await two.end()
})

test('a wrong token and a foreign name are refused at the socket [R-MON-2]', async (t) => {
  const made = project(t, {})
  const { url, end } = await dashboard(made)
  const { port, searchParams } = new URL(url)
  const status = (path: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      asked.on('error', reject).end()
    })
  const token = searchParams.get('token')
  assert.match(token ?? '', /^[\w-]{43}$/)
  assert.equal(await status(`/?token=${token}`), 200)
  assert.equal(await status('/?token=wrong'), 403)
  assert.equal(await status('/api/projects'), 403)
  assert.equal(await status(`/?token=${token}`, { host: `evil.example:${port}` }), 403)
  await end()
})

test('a thousand iterations are a few rows in the page, gone through by keyboard, and fit on a phone [R-MON-2]', async (t) => {
  const made = project(t, {})
  copyFileSync(join(fixtures, 'proven.jsonl'), join(made.dir, 'events.jsonl'))
  const events = made.events()
  const of = (kind: string): Event => events.find((event) => event.kind === kind)!
  const long = [of('run.started')]
  for (let iteration = 1; iteration <= 1200; iteration++) {
    const kinds = ['iteration.started', 'iteration.ended', 'iteration.judged', 'iteration.settled']
    long.push(...kinds.map((kind) => ({ ...of(kind), ...{ iteration, flips: [], passed: [] } }) as Event))
  }
  writeFileSync(join(made.dir, 'events.jsonl'), long.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const { url, end } = await dashboard(made, '--projects', '.')
  const { page, wrong } = await tab(t, url)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('link', { name: 'thing' }).click()
  const list = page.getByRole('region', { name: /^Iterations, newest first/ })
  await list.getByRole('button', { name: /^1200/ }).focus()
  assert.ok((await list.getByRole('listitem').count()) < 40)
  await page.keyboard.press('ArrowDown')
  await page.getByRole('heading', { name: /^Iteration 1199/ }).waitFor()
  await page.keyboard.press('End')
  await page.getByRole('heading', { name: /^Iteration 1 / }).waitFor()
  const focused = () => page.evaluate('document.activeElement.textContent') as Promise<string>
  await page.waitForFunction('document.activeElement.textContent.startsWith("1done")')
  assert.match(await focused(), /^1done/)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  await page.goto(new URL('/', url).href)
  await page.getByRole('row', { name: /^thing/ }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  assert.deepEqual(wrong, [])
  await end()
})

test('several projects are shown side by side: those named, else this one and all that were run; -f opens one [R-MON-2]', async (t) => {
  const [one, two] = [project(t, { feature: 'first' }), project(t, { feature: 'second' })]
  const named = await dashboard(one, '--projects', one.root, two.root, '-f', 'first')
  const { page } = await tab(t, named.url)
  await page.getByRole('heading', { name: 'first idle' }).waitFor()
  await page.getByRole('link', { name: 'Runs' }).click()
  for (const feature of ['first', 'second']) await page.getByRole('link', { name: feature }).waitFor()
  await named.end()
  mkdirSync(join(one.home, '.ralph'), { recursive: true })
  writeFileSync(join(one.home, '.ralph', 'projects.txt'), `${two.root}\n${join(two.root, 'gone')}\n`)
  const known = await dashboard(one)
  const { page: all } = await tab(t, known.url)
  for (const feature of ['first', 'second']) await all.getByRole('link', { name: feature }).waitFor()
  assert.equal(await all.getByRole('table').count(), 2)
  assert.equal(one.read('../home/.ralph/projects.txt'), `${two.root}\n${join(two.root, 'gone')}\n${one.root}\n`)
  await known.end()
})

test('a folder that is no project, and a port that is none, are refused with what to do', async (t) => {
  const made = project(t, {})
  const folder = await made.run('dashboard', '--no-open', '--projects', '..')
  assert.equal(folder.code, 64)
  assert.match(folder.err, /^ralph: \S+ is no project: it has no folder \.ralph\. Make one there with: ralph init <feature>\n$/)
  const port = await made.run('dashboard', '--no-open', '--port', 'x')
  assert.equal(port.code, 64)
  assert.match(port.err, /^ralph: "x" is no port: it takes a number up to 65535, or 0 for one that is free\.\n$/)
})
