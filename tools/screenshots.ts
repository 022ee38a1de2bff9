/** Makes docs/images: the monitor, commands, the dashboard, the report and notices of a scripted run, drawn by a browser, and a recording of the demo. `notices`: these alone. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { until } from '../test/support/processes.ts'
import { makeProject, prd, type TestProject } from '../test/support/project.ts'
import { openTerminal } from '../test/support/terminal.ts'
import { animatedSvg } from './screenshots/animated-svg.ts'
import { castText, readCast } from './screenshots/cast.ts'
import { noticePage } from './screenshots/notice-page.ts'
import { sentNotices } from './screenshots/notices.ts'
import { recordDemo } from './screenshots/record.ts'
import { app, search, searchScript, shop, vouchers } from './screenshots/scene.ts'
import { terminalPage } from './screenshots/terminal-page.ts'

const images = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'images')
const folder = join(tmpdir(), 'ralph-screenshots')
const themes = ['light', 'dark'] as const
const sizes = { 'monitor-120': { columns: 120, rows: 40 }, 'monitor-80': { columns: 80, rows: 24 } }
const desktop = { width: 1180, height: 1060 }
const phone = { width: 390, height: 844 }
rmSync(folder, { recursive: true, force: true })
mkdirSync(images, { recursive: true })
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', '--font-render-hinting=none'],
  env: { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), LANG: 'C.UTF-8' },
})
try {
  if (process.argv[2] !== 'notices') {
    await pictures(browser)
    await recording()
  }
  await noticePictures(browser)
} finally {
  await browser.close()
}

async function pictures(browser: Browser): Promise<void> {
  const mobile = makeProject({ ...app, at: join(folder, 'mobile-app') })
  const made = makeProject({
    ...shop,
    at: join(folder, 'web-shop'),
    script: { stories: { ...shop.script!.stories, ...searchScript } },
  })
  try {
    await mobile.run('run')
    await finishedBefore(made)
    const dashboard = made.start('dashboard', '--no-open', '--projects', made.root, mobile.root)
    const url = await until('the address of the dashboard', () => /^http:\S+$/m.exec(dashboard.output())?.[0])
    const run = made.start('run', '-f', 'checkout', '--no-archive')
    // The agent is in the middle of another story.
    await until('the mail', () => made.has('src/mail.js'))
    await monitorPictures(browser, made)
    await commandPicture(browser, made, 'command-status', ['status', '-f', 'checkout'])
    await dashboardPictures(browser, url)
    await emptyPicture(browser)

    made.write('../go', '')
    await run.ended
    await commandPicture(browser, made, 'command-why', ['why', '-f', 'checkout'])
    made.write('.ralph/vouchers/prd.json', vouchers)
    await commandPicture(browser, made, 'command-lint', ['lint', '-f', 'vouchers'])
    await made.run('answer', '-f', 'checkout', 'Ask the customer first.')
    // A question is not an attempt: from here on the agent plays the second part at once.
    const later = Object.entries(shop.script!.stories!).map(([story, attempts]) => [story, attempts.slice(-1)])
    made.write('.ralph/agent.json', JSON.stringify({ stories: Object.fromEntries(later) }))
    await made.run('run', '-f', 'checkout', '--no-archive')
    await reportPictures(browser, made)
  } finally {
    made.remove() // with everything that was started there
  }
}

async function finishedBefore(made: TestProject): Promise<void> {
  made.write('.ralph/search/prd.json', prd('search', '', search.stories ?? []))
  made.write(
    '.ralph/returns/prd.json',
    prd('returns', '', [
      { id: 'R-1', title: 'Return label' },
      { id: 'R-2', title: 'Refund' },
      { id: 'R-3', title: 'Exchange' },
    ]),
  )
  made.git('add', '-A')
  made.git('commit', '-q', '-m', 'Plans')
  await made.run('run', '-f', 'search')
}

async function monitorPictures(browser: Browser, made: TestProject): Promise<void> {
  for (const [name, size] of Object.entries(sizes)) {
    const terminal = openTerminal(made, ['monitor', '-f', 'checkout'], size)
    try {
      const screen = await until('the monitor', () => {
        const shown = terminal.coloured()
        return shown.includes('src/mail.js') && shown
      })
      await terminalPicture(browser, { name, screen, columns: size.columns, title: 'ralph monitor' })
    } finally {
      terminal.close()
    }
  }
}

/** What a command prints in a terminal, with its colours. */
async function commandPicture(browser: Browser, made: TestProject, name: string, args: string[]): Promise<void> {
  const size = { columns: 100, rows: 60 }
  const terminal = openTerminal(made, args, size)
  try {
    const screen = await until(name, () => {
      const shown = terminal.coloured()
      return shown.includes('[exit ') && shown
    })
    const own = screen.slice(0, screen.lastIndexOf('[exit '))
    await terminalPicture(browser, { name, screen: own, columns: size.columns, title: `ralph ${args.join(' ')}` })
  } finally {
    terminal.close()
  }
}

type TerminalScreen = { name: string; screen: string; columns: number; title: string }

async function terminalPicture(browser: Browser, { name, screen, columns, title }: TerminalScreen): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 200 }, deviceScaleFactor: 1.5 })
  await page.setContent(terminalPage(screen, columns, title))
  await page.locator('main').screenshot({ path: join(images, `${name}.png`), omitBackground: true })
  await page.close()
}

/** The recording beside the picture, so that it can be drawn again, or played by asciinema. */
async function recording(): Promise<void> {
  const cast = castText(await recordDemo(folder))
  writeFileSync(join(images, 'demo.cast'), cast)
  writeFileSync(join(images, 'demo.svg'), animatedSvg(readCast(cast)))
}

async function dashboardPictures(browser: Browser, url: string): Promise<void> {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(url)
  await page.getByText('No key for the mail service in .env').waitFor()
  await page.setViewportSize({ ...desktop, height: 520 })
  await inBoth(page, 'dashboard-overview')
  await page.setViewportSize(phone)
  await inBoth(page, 'dashboard-phone')
  await page.setViewportSize(desktop)
  await page.getByRole('link', { name: 'checkout', exact: true }).click()
  await page.getByRole('button', { name: /C-2/ }).click()
  await page.getByRole('button', { name: /^2 ?Failed/ }).click()
  await page.getByRole('list', { name: 'Commits' }).waitFor()
  await inBoth(page, 'dashboard-run')
  await page.getByRole('link', { name: 'Transcript' }).click()
  await page.getByRole('region', { name: 'Transcript of iteration 2' }).waitFor()
  await inBoth(page, 'dashboard-transcript')
  await page.getByRole('link', { name: 'Changes' }).click()
  await page.getByRole('region', { name: 'Changes of src/discounts.js' }).waitFor()
  await inBoth(page, 'dashboard-changes')
  await page.getByRole('link', { name: 'Timeline', exact: true }).click()
  await page.getByRole('region', { name: /^Timeline of iterations/ }).waitFor()
  await page.setViewportSize({ ...desktop, height: 640 })
  await inBoth(page, 'dashboard-timeline')
  await page.setViewportSize(desktop)
  await page.getByRole('link', { name: 'Costs', exact: true }).click()
  await page.getByText('Open stories', { exact: true }).waitFor()
  await inBoth(page, 'dashboard-charts')
  await page.getByRole('link', { name: 'History', exact: true }).click()
  await page.getByRole('heading', { name: /^Receipts/ }).waitFor()
  await page.setViewportSize({ ...desktop, height: 760 })
  await inBoth(page, 'dashboard-history')
  await context.close()
}

async function emptyPicture(browser: Browser): Promise<void> {
  const made = makeProject({ at: join(folder, 'empty', 'new-project') })
  rmSync(made.dir, { recursive: true })
  try {
    const dashboard = made.start('dashboard', '--no-open', '--projects', made.root)
    const url = await until('the address of the empty one', () => /^http:\S+$/m.exec(dashboard.output())?.[0])
    const page = await browser.newPage({ viewport: { ...desktop, height: 600 }, reducedMotion: 'reduce' })
    await page.goto(url)
    await page.getByRole('heading', { name: 'No features yet' }).waitFor()
    await inBoth(page, 'dashboard-empty')
    await page.close()
  } finally {
    made.remove()
  }
}

async function reportPictures(browser: Browser, made: TestProject): Promise<void> {
  const file = join(folder, 'report.html')
  const { out } = await made.run('report', '-f', 'checkout', '--html', '-')
  writeFileSync(file, out)
  const page = await browser.newPage({ viewport: desktop })
  await page.goto(pathToFileURL(file).href)
  await inBoth(page, 'report')
  await page.setViewportSize(phone)
  await inBoth(page, 'report-phone')
  await page.close()
}

async function noticePictures(browser: Browser): Promise<void> {
  const sent = await sentNotices(join(folder, 'notices'))
  for (const service of ['slack', 'discord', 'telegram', 'ntfy', 'email'] as const) {
    const page = await browser.newPage({ viewport: { width: 460, height: 200 }, deviceScaleFactor: 1.5 })
    await page.setContent(noticePage(service, sent))
    await page.locator('main').screenshot({ path: join(images, `notice-${service}.png`), omitBackground: true })
    await page.close()
  }
}

async function inBoth(page: Page, name: string, fullPage = false): Promise<void> {
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: join(images, `${name}-${colorScheme}.png`), fullPage, animations: 'disabled' })
  }
}
