/** `ralph dashboard` in a real browser, beside real runs: it grows with them, steers them, and lets nobody else in. */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
async function tab(
  t: TestContext,
  url: string,
  viewer: { timezoneId?: string; locale?: string } = {},
): Promise<{ page: Page; wrong: string[]; another(url: string): Promise<Page> }> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...viewer })
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

/** The row of a feature on the overview. */
const rowOf = (page: Page, feature: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name: feature, exact: true }) })

test('a run is started from the page, seen to grow without a reload, answered and stopped [R-MON-2]', async (t) => {
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
  await rowOf(page, 'thing').getByText('Not started').waitFor()
  await page.getByRole('link', { name: 'thing' }).click()
  await page.getByRole('button', { name: 'Start run' }).waitFor()
  await page.keyboard.press('r')
  await page.getByRole('dialog', { name: 'Start a run of thing?' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Started a run of thing. It continues when you close this page.').waitFor()
  await page.getByRole('button', { name: /^1 ?Running/ }).waitFor()
  await page.keyboard.press('g')
  await page.getByRole('heading', { name: 'Running (1)' }).waitFor()
  await rowOf(page, 'thing')
    .getByText(/S-1 Story S-1 · agent works for/)
    .waitFor()
  made.write('../go-1', '')
  await page.getByRole('heading', { name: 'Needs you (1)' }).waitFor()
  assert.equal(await page.title(), '(1) Ralph')
  await rowOf(page, 'thing').getByText('tabs or spaces?').waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('region', { name: 'Question of S-2' }).getByText('tabs or spaces?').waitFor()
  await page.getByRole('button', { name: /^2 ?Question/, pressed: true }).waitFor()
  await page.getByRole('heading', { name: 'Iteration 2', exact: true }).waitFor()
  await page.getByRole('button', { name: /^Passed S-1/ }).waitFor()
  await until('the end of the run', () => eventsOf(made, 'run.ended').length === 1)

  await page.getByLabel('Your answer').fill('tabs, always')
  await page.keyboard.press('Enter')
  await page.getByText('Answered for S-2. Continue with: ralph run').waitFor()
  await page.getByText('tabs or spaces?', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Answered. Start a run to continue.' }).waitFor()
  assert.deepEqual(
    eventsOf(made, 'question.answered').map(({ text, story }) => [text, story]),
    [['tabs, always', 'S-2']],
  )

  const second = made.start('run', '--no-archive')
  await page.getByRole('button', { name: /^3 ?Running/ }).click()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('button', { name: 'Stop after this iteration' }).click()
  await page.getByText('The run stops after this iteration.').waitFor()
  await page.getByRole('button', { name: 'Stopping…' }).waitFor()
  made.write('../go-2', '')
  await page.locator('.feature-head').getByText('Stopped', { exact: true }).waitFor()
  assert.equal((await second.ended).code, 130)
  assert.deepEqual(made.passing(), ['S-1', 'S-2'])

  await page.getByRole('list', { name: 'Commits' }).getByText('S-2.txt +1 −0').waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  await page.getByRole('link', { name: 'Changes' }).click()
  await page.getByRole('region', { name: 'Changes of S-2.txt' }).getByText('+there').waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  await page.getByRole('link', { name: 'Transcript' }).click()
  await page.getByLabel('Search the transcript').fill('It is there')
  await page.getByText('1 step found').waitFor()
  await page.getByRole('region', { name: 'Transcript of iteration 3' }).getByText('It is there.').waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  const address = page.url()
  assert.match(address, /\?story=S-2&iteration=3&view=transcript$/)
  for (const [name, part] of [
    ['Timeline', page.getByRole('region', { name: /^Timeline of iterations/ })],
    ['Costs', page.getByText('Open stories', { exact: true })],
    ['History', page.getByRole('heading', { name: 'Receipts (2)' })],
  ] as const) {
    await page.getByRole('link', { name, exact: true }).click()
    await part.waitFor()
    assert.deepEqual(await seriousFindings(page), [], name)
  }
  await page.goto(address)
  await page.getByRole('region', { name: 'Transcript of iteration 3' }).waitFor()
  await page.goto(new URL('/', url).href)
  await rowOf(page, 'thing').getByText('Stopped').waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('nothing like it')
  await page.getByText('No feature matches.').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await rowOf(page, 'thing').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('nothing')
  await page.getByText('No feature matches.').waitFor()
  await page.keyboard.press('Escape')
  await rowOf(page, 'thing').waitFor()
  assert.deepEqual(wrong, [])
  assert.equal(await end(), 143)
})

test('a blocked run is unblocked, paused, told something and let go on from the page, which follows it to the archive [R-MON-2]', async (t) => {
  const made = projectFor(t, {
    feature: 'thing-2', // not the second archive of thing
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
  await rowOf(page, 'thing-2').getByText('Blocked').waitFor()
  await page.getByRole('link', { name: 'thing-2' }).click()
  await page.getByRole('region', { name: 'Blocked' }).getByText('no key').waitFor()
  await page.getByLabel(/^How you resolved it/).fill('the key is there')
  await page.getByRole('button', { name: 'Unblock' }).click()
  await page.getByText('Unblocked. Continue with: ralph run').waitFor()
  const run = made.start('run')
  await page.getByRole('button', { name: /^2 ?Running/ }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('The run pauses after this iteration. Continue with: ralph resume').waitFor()
  await page.getByText('Pausing…').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Pausing…').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Pausing…').waitFor()
  await page.getByRole('button', { name: 'Say', exact: true }).click()
  await page.getByLabel('A note for the next iteration').fill('mind the gap')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Noted. The next iteration will read it.').waitFor()
  made.write('../go', '')
  await page.locator('.feature-head').getByText('Paused').waitFor()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.locator('.feature-head').getByText('Archived').waitFor()
  assert.equal((await run.ended).code, 0)
  assert.equal(await page.getByRole('button', { name: 'Say', exact: true }).count(), 0)
  await page.keyboard.press('g')
  await rowOf(page, 'thing-2').getByText('Archived').waitFor()
  assert.deepEqual(wrong, [])
  await end()
})

test('a failed story opens at the iteration that failed, with the lines that tell why; a start that is refused says why; a proposed criterion is accepted [R-MON-2]', async (t) => {
  const hostile = '<img src=x onerror=alert(1)> "S" \u202e&amp; {x}'
  const made = projectFor(t, {
    stories: [
      { id: 'S-1', title: hostile, acceptanceCriteria: ['<b>bold</b> claims'] },
      { id: 'S-2', title: 'x'.repeat(300), acceptanceCriteria: ['Answers in 10 ms'] },
    ],
    config: {
      defaults: { max_attempts: 1, decide: 'park' },
      gates: {
        tests:
          'test ! -e S-1.txt || { echo "not ok 1 - adds <script>alert(2)</script>"; echo "  AssertionError: expected 2, got 3"; exit 1; }',
      },
    },
    script: {
      stories: {
        'S-1': [finishes],
        'S-2': [says('<promise>DECIDE:10 ms is too little. AMEND: "Answers in 10 ms" => "Answers in 100 ms"</promise>')],
      },
    },
  })
  await made.run('run')
  const { url, end } = await dashboard(made, '-f', 'thing')
  const { page, wrong } = await tab(t, url)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('heading', { name: 'Iteration 1', exact: true }).waitFor()
  await page.getByRole('button', { name: /^1 ?Failed/, pressed: true }).waitFor()
  await page
    .getByRole('list', { name: 'Gates' })
    .getByText(/AssertionError: expected 2, got 3/)
    .first()
    .waitFor()
  await page.getByRole('heading', { name: `S-1 ${hostile.replace('\u202e', '')}` }).waitFor()
  await page.getByRole('list', { name: 'Acceptance criteria' }).getByText('<b>bold</b> claims').waitFor()
  assert.equal(await page.locator('main img, main script, main b').count(), 0)
  for (const name of ['Timeline', 'Costs', 'History', /^Stories/]) {
    await page.getByRole('link', { name }).click()
    await page.getByRole('link', { name }).and(page.locator('[aria-current]')).waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360, `${name}`)
  }
  await page.getByRole('button', { name: 'Accept this criterion' }).click()
  await page.getByText(/^Accepted for S-2:/).waitFor()
  assert.deepEqual(made.plan().userStories[1]?.['acceptanceCriteria'], ['Answers in 100 ms'])

  made.write('.ralph/config.yaml', 'agent: { name: nobody }\n')
  await page.getByRole('button', { name: 'Start run' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start run' }).click()
  await page
    .locator('.said.problem')
    .getByText(/nobody/)
    .waitFor()
  assert.deepEqual(
    wrong.filter((text) => !text.includes('409')),
    [],
  )
  await end()
})

test('two agents are followed live, step by step; what they print is text, whatever it says [R-MON-2]', async (t) => {
  const made = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: 'true' }, parallel: { workers: 2 } },
    script: {
      stories: {
        'S-1': [
          [
            { say: 'Looking around.' },
            ...waitsFor('$TMPDIR/go-1'),
            { say: '<script>document.title = "hacked"</script><img src=x onerror="document.title = 1">' },
            { tool: { name: 'Bash', target: 'npm test', text: 'not ok 7 - rounding', failed: true } },
            ...waitsFor('$TMPDIR/go-2'),
            ...finishes,
          ],
        ],
        'S-2': [[...waitsFor('$TMPDIR/go-3'), ...finishes]],
      },
    },
  })
  const { url, end } = await dashboard(made)
  const { page, wrong } = await tab(t, url)
  await page.setViewportSize({ width: 1440, height: 900 })
  const run = made.start('run', '--no-archive')
  await rowOf(page, 'thing')
    .getByText(/^2 agents · S-. Bash · S-. Bash$/)
    .waitFor()
  await page.getByRole('link', { name: 'thing' }).click()
  const agents = page.getByRole('list', { name: 'Agents at work' })
  await agents
    .getByText(/agent works for \d+s · Bash while/)
    .first()
    .waitFor()
  assert.equal(await agents.getByRole('listitem').count(), 2)
  await page.getByRole('button', { name: /^Working ?S-1/ }).click()
  await page.getByRole('link', { name: 'Transcript' }).click()
  const steps = page.getByRole('region', { name: /^Transcript of iteration/ })
  await steps.getByText('Looking around.').waitFor()
  assert.ok(await page.getByLabel('Follow').isChecked())
  made.write('../go-1', '')
  await steps.getByText('<script>document.title = "hacked"</script><img src=x').waitFor()
  await steps.getByText('not ok 7 - rounding').waitFor() // of a failed tool the result is open
  assert.equal(await page.locator('main img, main script').count(), 0)
  assert.equal(await page.title(), 'thing · Ralph')
  assert.deepEqual(await seriousFindings(page), [])
  await page.getByRole('link', { name: 'Timeline' }).click()
  for (const lane of ['Worktree 1', 'Worktree 2']) await page.getByText(lane, { exact: true }).waitFor()
  await page.goBack()
  await steps.getByText('not ok 7 - rounding').waitFor()
  made.write('../go-3', '')
  await page.getByRole('button', { name: /^Passed ?S-2/ }).waitFor()
  made.write('../go-2', '') // its work meets that of S-2
  assert.equal((await run.ended).code, 0)
  await page.locator('.feature-head').getByText('Complete').waitFor()
  await steps.locator('.step', { hasText: 'go-2' }).locator('.took').waitFor() // seen to begin, and to end
  await steps.getByText('It is there.').waitFor()
  await steps.getByText('Gate tests').first().waitFor()
  await page.getByRole('link', { name: 'Summary' }).click()
  await page.getByText('tests after the merge').waitFor()
  assert.deepEqual(wrong, [])
  await end()
})

test('the transcript of a run that nobody watched says how long each step took, by the times that its agent printed [R-MON-2]', async (t) => {
  const content = (type: string, second: number, content: object) =>
    JSON.stringify({ type, message: { role: type, content: [content] }, timestamp: `2026-01-09T12:00:0${second}.000Z` })
  const call = { type: 'tool_use', id: 't-1', name: 'Bash', input: { command: 'npm test' } }
  const result = { type: 'tool_result', tool_use_id: 't-1', content: 'all ok' }
  const made = projectFor(t, {
    config: { gates: { tests: 'true' } },
    script: {
      iterations: [
        [
          { print: content('assistant', 1, call) },
          { print: content('user', 5, result) },
          { print: content('assistant', 8, { type: 'text', text: 'All tests pass.' }) },
          ...finishes,
        ],
      ],
    },
  })
  await made.run('run', '--no-archive')
  const { url, end } = await dashboard(made, '-f', 'thing')
  const { page, wrong } = await tab(t, url)
  await page.getByRole('link', { name: 'Transcript' }).click()
  const steps = page.getByRole('region', { name: 'Transcript of iteration 1' })
  await steps.getByText('It is there.').waitFor()
  const tookOf = (text: string) => steps.locator('.step', { hasText: text }).locator('.took').textContent()
  assert.deepEqual([await tookOf('npm test'), await tookOf('All tests pass.')], ['4.0s', '3.0s'])
  assert.equal(await steps.locator('.step', { hasText: 'Gate tests' }).locator('.took').count(), 0) // it says so itself
  assert.deepEqual(await seriousFindings(page), [])
  assert.deepEqual(wrong, [])
  await end()
})

test('a stuck run is announced, started again with its breaker closed, and killed: its page does not say that it works [R-MON-2]', async (t) => {
  const idle = says('Looked around.')
  const made = projectFor(t, {
    config: { gates: { tests: 'true' } },
    script: { iterations: [idle, idle, idle, [...waitsFor('../never')]] },
  })
  const { url, end } = await dashboard(made)
  const { page, wrong } = await tab(t, url)
  await page.context().grantPermissions(['notifications'])
  const notices: string[][] = []
  await page.exposeFunction('tell', (...told: string[]) => void notices.push(told))
  await page.addInitScript(`globalThis.Notification = class {
    static permission = 'granted'
    static requestPermission = async () => 'granted'
    constructor(title, { body }) { globalThis.notice = this; tell(title, body) }
    close() {}
  }`)
  await page.reload()
  await page.getByRole('button', { name: 'Notify me when something needs me' }).click()
  await rowOf(page, 'thing').getByText('Not started').waitFor()
  assert.equal((await made.run('run')).code, 4)
  await rowOf(page, 'thing').getByText('Stuck').waitFor()
  await until('a notice', () => notices.length > 0)
  const reason = '3 of 3 iterations in a row without progress (iterations 1, 2, 3)'
  assert.deepEqual(notices, [['thing needs you', reason]])
  await page.evaluate('notice.onclick()')
  const banner = page.getByRole('region', { name: 'Why it stopped' })
  await banner.getByRole('heading', { name: reason }).waitFor()
  await banner.getByText('The circuit breaker is open').waitFor()
  await banner.getByText('ralph run --reset-circuit').waitFor()
  await banner.getByRole('button', { name: 'Close the breaker and start a run' }).click()
  await page.getByRole('dialog').getByText('Starting closes it').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Start run' }).click()
  await page.getByRole('button', { name: /^4 ?Running/, pressed: true }).waitFor()
  await page.getByRole('heading', { name: 'Iteration 4', exact: true }).waitFor()
  process.kill(eventsOf(made, 'run.started').at(-1)!.pid, 'SIGKILL')
  await page.getByRole('heading', { name: 'The run stopped without an end: its process is gone.' }).waitFor()
  await page.getByRole('button', { name: /^4 ?Lost/ }).waitFor()
  await page.getByRole('button', { name: /^Open ?S-1/ }).waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  await page.getByRole('link', { name: 'History' }).click()
  for (const [part, words] of [
    ['Runs (2)', 'Process gone'],
    ['Circuit breaker', 'Open'],
    ['Circuit breaker', 'Closed'],
  ] as const)
    await page
      .locator('section', { has: page.getByRole('heading', { name: part }) })
      .getByText(words, { exact: true })
      .waitFor()
  await page.keyboard.press('g')
  await page.getByLabel('State').selectOption('Needs you')
  await page.keyboard.press('/')
  await page.keyboard.type('thing')
  await page.waitForURL(/#\/\?search=thing&state=needs$/)
  await page.reload()
  await rowOf(page, 'thing').getByText('Process gone').waitFor()
  assert.equal(await page.getByLabel('Search features').inputValue(), 'thing')
  await page.goto(new URL('/#/run/none/..', url).href)
  await page.getByText('Not found. It was renamed or removed, or the address is wrong.').waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  await page.getByRole('link', { name: 'Go to the overview' }).click()
  await page.getByRole('heading', { name: 'Needs you (1)' }).waitFor()
  const feature = new URL((await page.getByRole('link', { name: 'thing' }).getAttribute('href')) ?? '', new URL('/', url)).href
  for (const address of [feature, new URL('/#/', url).href, feature]) await page.goto(address) // who leaves at once is not brought back
  await page.getByRole('heading', { name: 'thing', exact: true }).waitFor()
  assert.deepEqual(
    wrong.filter((text) => !text.includes('404')),
    [],
  )
  await end()
})

test('an open breaker is closed from the page without a run, and a run whose agent works is stopped at once [R-MON-2]', async (t) => {
  const idle = says('Looked around.')
  const made = projectFor(t, {
    config: { gates: { tests: 'true' } },
    script: { iterations: [idle, idle, idle, [...waitsFor('../never')]] },
  })
  assert.equal((await made.run('run')).code, 4)
  const { url, end } = await dashboard(made, '-f', 'thing')
  const { page, wrong } = await tab(t, url)
  const banner = page.getByRole('region', { name: 'Why it stopped' })
  await banner.getByText('ralph run --reset-circuit').waitFor()
  await banner.getByRole('button', { name: 'Close the breaker', exact: true }).click()
  await banner.getByText('The circuit breaker is open').waitFor({ state: 'detached' })
  await banner.getByText('ralph run', { exact: true }).waitFor()
  assert.equal(eventsOf(made, 'breaker.reset').length, 1)
  assert.equal(eventsOf(made, 'run.started').length, 1)
  await page.getByRole('button', { name: 'Start run' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start run' }).click()
  await page.getByRole('button', { name: /^4 ?Running/, pressed: true }).waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop now' }).click()
  await page.getByRole('button', { name: /^4 ?Stopped .*cost unknown$/ }).waitFor()
  await page.getByRole('button', { name: 'Start run' }).first().waitFor()
  assert.deepEqual(
    eventsOf(made, 'stop.requested').map(({ by, now }) => [by, now]),
    [['user', true]],
  )
  assert.deepEqual(await seriousFindings(page), [])
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
  await rowOf(page, 'thing').getByText('Complete').waitFor()
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
  const story = (id: string, state: string) =>
    page.getByRole('region', { name: 'Stories', exact: true }).getByRole('button', { name: new RegExp(`^${state} ?${id} `) })
  await story('S-3', 'Open').click()
  await page.getByRole('button', { name: 'Skip S-3' }).click()
  await page.getByText('Skipped S-3. Undo with: ralph retry S-3').waitFor()
  await story('S-3', 'Skipped').waitFor()
  const run = made.start('run', '--no-archive')
  await story('S-1', 'Working').waitFor()
  await story('S-2', 'Open').focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Skip S-2' }).click()
  await story('S-2', 'Skipped').waitFor()
  await page.locator('main').focus()
  await page.keyboard.press('j')
  await page.getByRole('button', { name: 'Retry S-3' }).click()
  await page.getByText('Reopened S-3 with all its attempts. The running loop will pick it up.').waitFor()
  await story('S-3', 'Open').waitFor()
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
  const { page, wrong } = await tab(t, url, { timezoneId: 'Asia/Kathmandu', locale: 'en-GB' })
  await page.setViewportSize({ width: 360, height: 740 })
  await rowOf(page, 'run-06').getByText('Iteration limit').waitFor()
  await rowOf(page, 'run-06').getByText('$10.00').waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await page.getByRole('link', { name: 'run-03' }).click()
  const list = page.getByRole('region', { name: 'Stories', exact: true })
  await page.getByRole('button', { name: /^1000 ?Done/, pressed: true }).waitFor()
  await list.getByRole('button', { name: /S-200/, pressed: true }).focus()
  assert.ok((await list.getByRole('listitem').count()) < 40)
  await page.keyboard.press('ArrowUp')
  await page.getByRole('heading', { name: /^S-199/ }).waitFor()
  await page.keyboard.press('Home')
  await page.getByRole('heading', { name: /^S-1 / }).waitFor()
  await page.getByRole('button', { name: /^5 ?Done/, pressed: true }).waitFor()
  assert.ok((await list.getByRole('listitem').count()) < 40)
  await list.locator('button:focus', { hasText: /^PassedS-1 / }).waitFor() // rows move under the focus
  await page.getByLabel('State of stories').selectOption('Open (2)')
  await list.getByRole('button', { name: /S-201/ }).waitFor()
  assert.equal(await list.getByRole('listitem').count(), 2)
  await page.getByRole('heading', { name: /^S-1 / }).waitFor() // what is open stays open
  await list.getByRole('button', { name: /S-202/ }).click()
  await page.waitForURL(/\?story=S-202&only=open$/)
  await page.reload()
  await list.getByRole('button', { name: /S-202/, pressed: true }).waitFor()
  assert.equal(await page.getByLabel('State of stories').inputValue(), 'open')
  await page.keyboard.press('/')
  await page.keyboard.type('nothing like it')
  await page.getByText('No story matches.').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await list.getByRole('button', { name: /S-199/ }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await page.getByRole('link', { name: 'Timeline' }).click()
  await page.getByText('1000 iterations. Click one to open it.').waitFor()
  await page.getByText('9 Jan 18:00', { exact: true }).waitFor() // 12:15 UTC
  await page.getByRole('region', { name: /^Timeline of iterations/ }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.getByText(/^Iteration 2, S-1: Worked/).waitFor()
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await page.keyboard.press('Tab')
  await page.getByRole('region', { name: /^Timeline of iterations/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^2 ?Worked/, pressed: true }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  assert.deepEqual(wrong, [])
  await end()
})

test('several projects are shown side by side: those named, else this one and all that were run; -f opens one [R-MON-2]', async (t) => {
  const [one, two] = [projectFor(t, { feature: 'first' }), projectFor(t, { feature: 'second' })]
  const named = await dashboard(one, '--projects', one.root, two.root, '-f', 'first')
  const { page } = await tab(t, named.url)
  await page.getByRole('heading', { name: 'first', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  for (const feature of ['first', 'second']) await page.getByRole('link', { name: feature }).waitFor()
  await named.end()
  mkdirSync(join(one.home, '.ralph'), { recursive: true })
  writeFileSync(join(one.home, '.ralph', 'projects.txt'), `${two.root}\n${join(two.root, 'gone')}\n`)
  const known = await dashboard(one)
  const { page: all } = await tab(t, known.url)
  for (const feature of ['first', 'second']) await all.getByRole('link', { name: feature }).waitFor()
  await all.getByLabel('Project').selectOption({ index: 2 })
  await all.getByRole('link', { name: 'first' }).waitFor({ state: 'detached' })
  await all.getByRole('link', { name: 'second' }).waitFor()
  assert.equal(one.read('../home/.ralph/projects.txt'), `${two.root}\n${join(two.root, 'gone')}\n${one.root}\n`)
  await known.end()
})

test('a project without a feature shows how to start [R-MON-2]', async (t) => {
  const made = projectFor(t, {})
  rmSync(made.dir, { recursive: true })
  const { url, end } = await dashboard(made)
  const { page } = await tab(t, url)
  await page.getByRole('heading', { name: 'No features yet' }).waitFor()
  await page.getByText('ralph init login').waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  made.write('.ralph/new/prd.json', JSON.stringify({ branchName: '', userStories: [] }))
  await page.getByRole('link', { name: 'new' }).click()
  await page.getByText(/^No stories: the feature has no plan, or its plan is empty/).waitFor()
  await page.route('**/api/runs/**', (asked) => asked.fulfill({ json: { feature: 'new' } })) // as another version may answer
  await page.reload()
  await page.getByRole('heading', { name: 'This page failed' }).waitFor()
  assert.deepEqual(await seriousFindings(page), [])
  await page.unroute('**/api/runs/**')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'new', exact: true }).waitFor()
  await end()
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
