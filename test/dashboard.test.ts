/** `ralph dashboard` in a real browser, beside real runs: it grows with them, steers them, and lets nobody else in. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { type Browser, chromium, type Page } from 'playwright-core'
import { writeFeature } from '../bench/history.ts'
import { eventsOf, finishes, says, told } from './support/loop.ts'
import { until } from './support/processes.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
let browser: Browser
before(async () => {
  const { PATH = '' } = process.env
  const env = { PATH, HOME: '/nonexistent', LANG: 'C.UTF-8' }
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'], env })
})
after(() => browser.close())

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
  const made = projectFor(t, {
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
  await page.getByRole('row', { name: /^thing idle 0\/3/ }).waitFor()
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
  await page.getByText('Answered for S-2. Continue with: ralph run').waitFor()
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

  await page.getByRole('list', { name: 'Commits' }).getByText('S-2.txt +1 −0').waitFor()
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
  const made = projectFor(t, {
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
  await page.getByLabel(/^How you resolved it/).fill('the key is there')
  await page.getByRole('button', { name: 'Unblock' }).click()
  await page.getByText('Unblocked. Continue with: ralph run').waitFor()
  const run = made.start('run')
  await page.getByRole('button', { name: /^2 ?running ?S-1/ }).waitFor()
  await page.getByRole('button', { name: 'Pause after this iteration' }).click()
  await page.getByText('The run pauses after this iteration. Continue with: ralph resume').waitFor()
  await page.getByLabel('A note for the next iteration').fill('mind the gap')
  await page.getByRole('button', { name: 'Say', exact: true }).click()
  await page.getByText('Noted. The next iteration will read it.').waitFor()
  made.write('../go', '')
  await page.getByRole('heading', { name: 'thing paused' }).waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'thing complete archived' }).waitFor()
  assert.equal((await run.ended).code, 0)
  assert.equal(await page.getByRole('button', { name: 'Say', exact: true }).count(), 0)
  assert.deepEqual(wrong, [])
  await end()
})

test('a page outlives its server and goes on by itself with the next one, on the same port [R-MON-2]', async (t) => {
  const made = projectFor(t, {})
  const one = await dashboard(made)
  const { page } = await tab(t, one.url)
  await page.getByText('Live', { exact: true }).waitFor()
  const kept = join(made.home, '.ralph', 'dashboard.json')
  await until('the key of the page', () => JSON.parse(readFileSync(kept, 'utf8')).keys.length === 1)
  await one.end()
  await page.getByText('Not connected. Trying again…').waitFor()
  const two = await dashboard(made)
  assert.equal(new URL(two.url).port, new URL(one.url).port)
  assert.notEqual(two.url, one.url)
  await page.getByText('Live', { exact: true }).waitFor()
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  await page.getByRole('row', { name: /^thing complete 1\/1/ }).waitFor()
  await two.end()
})

test('a page that the next server does not know says so, and goes on once the new address was opened [R-MON-2]', async (t) => {
  const made = projectFor(t, {})
  const one = await dashboard(made)
  const { page, another } = await tab(t, one.url)
  await page.getByText('Live', { exact: true }).waitFor()
  const kept = join(made.home, '.ralph', 'dashboard.json')
  await until('the key of the page', () => JSON.parse(readFileSync(kept, 'utf8')).keys.length === 1)
  await one.end()
  writeFileSync(kept, '{}')
  const two = await dashboard(made, '--port', new URL(one.url).port)
  await page.getByText(/^The dashboard was restarted\. Open the URL/).waitFor()
  await another(two.url)
  await page.getByText('Live', { exact: true }).waitFor()
  await two.end()
})

test('a story is skipped and retried from the page, before any run and while one is live [R-MON-2]', async (t) => {
  const made = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }],
    config: { gates: { tests: 'true' } },
    script: { stories: { 'S-1': [[...waitsFor('../go'), ...finishes]] }, otherwise: finishes },
  })
  const { url, end } = await dashboard(made, '-f', 'thing')
  const { page, wrong } = await tab(t, url)
  const story = (id: string) => page.getByRole('listitem').filter({ hasText: `Story ${id}` })
  await page.getByRole('button', { name: 'Skip S-3' }).click()
  await page.getByText('Skipped S-3. Undo with: ralph retry S-3').waitFor()
  await story('S-3').getByText('skipped').waitFor()
  const run = made.start('run', '--no-archive')
  await story('S-1').getByText('working').waitFor()
  await page.getByRole('button', { name: 'Skip S-2' }).click()
  await story('S-2').getByText('skipped').waitFor()
  await page.getByRole('button', { name: 'Retry S-3' }).click()
  await page.getByText('Reopened S-3 with all its attempts. The running loop will pick it up.').waitFor()
  await story('S-3').getByText('open', { exact: true }).waitFor()
  made.write('../go', '')
  assert.equal((await run.ended).code, 0)
  assert.deepEqual(made.passing(), ['S-1', 'S-3'])
  assert.deepEqual(wrong, [])
  await end()
})

test('a wrong token and a foreign name are refused at the socket [R-MON-2]', async (t) => {
  const made = projectFor(t, {})
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

test('of long runs with a thousand iterations each a page has a few rows, gone through by keyboard, and fits on a phone [R-MON-2]', async (t) => {
  const made = projectFor(t, {})
  writeFeature(join(made.root, '.ralph', 'run-01'), 1000)
  for (let run = 2; run <= 6; run++) cpSync(made.path('.ralph/run-01'), made.path(`.ralph/run-0${run}`), { recursive: true })
  const { url, end } = await dashboard(made, '--projects', '.')
  const { page, wrong } = await tab(t, url)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('row', { name: /^run-06 .*incomplete.* 200\/202 .*\$10\.00 .*iterations/ }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  await page.getByRole('link', { name: 'run-03' }).click()
  const list = page.getByRole('region', { name: /^Iterations, newest first/ })
  await list.getByRole('button', { name: /^1000 ?done ?S-200/ }).focus()
  assert.ok((await list.getByRole('listitem').count()) < 40)
  await page.keyboard.press('ArrowDown')
  await page.getByRole('heading', { name: /^Iteration 999/ }).waitFor()
  await page.keyboard.press('End')
  await page.getByRole('heading', { name: /^Iteration 1 / }).waitFor()
  await list.getByRole('button', { name: /^1 ?worked ?S-1/ }).waitFor()
  assert.ok((await list.getByRole('listitem').count()) < 40)
  assert.match((await page.evaluate('document.activeElement.textContent')) as string, /^1worked/)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
  assert.deepEqual(wrong, [])
  await end()
})

test('several projects are shown side by side: those named, else this one and all that were run; -f opens one [R-MON-2]', async (t) => {
  const [one, two] = [projectFor(t, { feature: 'first' }), projectFor(t, { feature: 'second' })]
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

test('a second dashboard takes another port than the first, and a port that is taken and asked for is refused', async (t) => {
  const made = projectFor(t, {})
  const one = await dashboard(made)
  const { port } = new URL(one.url)
  const two = await dashboard(made)
  assert.notEqual(new URL(two.url).port, port)
  const taken = await made.run('dashboard', '--no-open', '--port', port)
  assert.equal(taken.code, 64)
  assert.equal(taken.err, `ralph: Cannot listen on 127.0.0.1:${port}: the port is in use. Use another --port, or omit it.\n`)
  await one.end()
  await two.end()
})

test('a folder that is no project, and a port that is none, are refused with what to do', async (t) => {
  const made = projectFor(t, {})
  const folder = await made.run('dashboard', '--no-open', '--projects', '..')
  assert.equal(folder.code, 64)
  assert.match(folder.err, /^ralph: \S+ is not a project: it has no \.ralph folder\. Create one with: ralph init <feature>\n$/)
  const port = await made.run('dashboard', '--no-open', '--port', 'x')
  assert.equal(port.code, 64)
  assert.match(port.err, /^ralph: Invalid port "x": use a number up to 65535, or 0 for any free port\.\n$/)
})
