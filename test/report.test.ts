/** `ralph report` over recorded logs: text, data and page are pure folds, and the page is safe and readable whatever the log says. */

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { runReport } from '../src/commands/report.ts'
import { Failure } from '../src/core/failure.ts'
import type { Event, EventOf } from '../src/core/types.ts'
import type { Io } from '../src/io.ts'
import { ledgerOf } from '../src/views/figures/ledger.ts'
import { costLines } from '../src/views/report/costs.ts'
import { reportPage } from '../src/views/report/html/page.ts'
import { style } from '../src/views/report/html/style.ts'
import { wholeReport } from '../src/views/report/report.ts'
import { tempFolder } from './support/folder.ts'
import { prd } from './support/project.ts'
import { dataOf, eventsIn, goldenOf, logs, reportsOf } from './support/reports.ts'

for (const name of logs()) {
  test(`${name}: text, data and page are those of the golden files; node test/fixtures/logs/record.ts --reports writes them [R-TEL-4] [R-TEL-6]`, () => {
    const { md, json, html } = reportsOf(name)
    assert.equal(md, goldenOf(name, 'md'))
    assert.deepEqual(JSON.parse(json), JSON.parse(goldenOf(name, 'json')))
    assert.equal(html, goldenOf(name, 'html'))
  })

  test(`${name}: cut off after any event, the log still gives a whole page and a text [R-TEL-4]`, () => {
    const events = eventsIn(name)
    for (let length = 1; length <= events.length; length++) {
      const cut = events.slice(0, length)
      assert.deepEqual(unclosedIn(reportPage(dataOf(cut))), [], `after ${cut.at(-1)!.kind}, event ${length}`)
      assert.match(wholeReport(ledgerOf(cut).state, dataOf(cut)), /^# Ralph Loop Execution Summary\n/)
    }
  })

  test(`${name}: the page needs no script and no other address [R-TEL-4]`, () => {
    const { html } = reportsOf(name)
    const tags = tagsOf(html).join('\n')
    assert.doesNotMatch(tags, /<(script|link|img|iframe|object|embed|base|form)\b|\bon\w+=|\bsrc=|\burl\(|\bhttps?:/i)
    assert.doesNotMatch(style, /url\(|@import|https?:|<|expression/i)
    assert.deepEqual(
      [...tags.matchAll(/href="([^"]*)"/g)].map(([, target]) => target),
      ['#content'],
    )
  })

  test(`${name}: headings go down one level at a time, tables have captions, charts and strips have titles, ids are unique`, () => {
    const { html } = reportsOf(name)
    const levels = [...html.matchAll(/<h(\d)/g)].map((match) => Number(match[1]))
    assert.deepEqual([levels[0], levels.filter((level, n) => n > 0 && (level === 1 || level > levels[n - 1]! + 1))], [1, []])
    assert.equal(html.match(/<table>/g)!.length, html.match(/<table><caption>[^<]/g)!.length)
    const drawings = html.match(/<svg\b(?![^>]*aria-hidden="true")/g)!.length // icons stand beside their words
    assert.equal(drawings, html.match(/<svg\b[^>]*role="img"[^>]*><title\b/g)!.length)
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map((match) => match[1])
    assert.deepEqual(ids, [...new Set(ids)])
    const pointedAt = [...html.matchAll(/(?:aria-labelledby|href)="#?([^"]*)"/g)].map((match) => match[1])
    assert.deepEqual(
      pointedAt.filter((id) => !ids.includes(id)),
      [],
    )
  })
}

test('whatever a log says, it shows as text: the markup is that of a harmless log [R-TEL-4]', () => {
  const events = eventsIn('troubled')
  const known: string[] = []
  const place = (text: string): number => (known.includes(text) ? known.indexOf(text) : known.push(text) - 1)
  const pageWith = (other: (text: string) => string): string => reportPage(dataOf(events.map((event) => withTexts(event, other))))
  const skeleton = tagsOf(pageWith((text) => `x${place(text)}`)).map(withoutValues)
  const nasty = fc.oneof(
    fc.constantFrom(
      '<script>alert(1)</script>',
      '" onload="x',
      "' x='",
      '</title>',
      ']]>',
      '-->',
      '&lt;b&gt;',
      '</style><b>',
      'a\u0000b',
    ),
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.string({ unit: fc.constantFrom('<', '>', '&', '"', "'", '/', '!', '-', ' ', 'a', '=', '\ud800'), minLength: 1 }),
  )
  fc.assert(
    fc.property(fc.array(nasty, { minLength: 1, maxLength: 8 }), (texts) => {
      const page = pageWith((text) => `${texts[place(text) % texts.length]}${place(text)}`)
      assert.deepEqual(tagsOf(page).map(withoutValues), skeleton)
      assert.ok(page.isWellFormed())
    }),
    { numRuns: 200 },
  )
  const page = reportPage(dataOf(events))
  assert.ok(page.includes('Take &lt;script&gt;alert(&quot;orders&quot;)&lt;/script&gt; &amp; pay | ship'))
})

test('unknown cost is unknown on the page and in the text, never 0 [R-LIM-5] [R-TEL-6]', () => {
  const events = eventsIn('proven').map((event) =>
    'usage' in event ? ({ ...event, usage: { ...event.usage, costUsd: null } } as Event) : event,
  )
  const data = dataOf(events)
  assert.deepEqual([data.costs.costUsd, data.costs.perProvenStoryUsd, data.costs.failedUsd], [null, null, null])
  const page = reportPage(data)
  assert.doesNotMatch(page, /\$0\.00/)
  assert.match(page, /<figcaption>Cost per iteration<\/figcaption><p class="soft">Unknown: not reported by the agent\.<\/p>/)
  const [first, ...rest] = dataOf(eventsIn('proven')).iterations
  const mixed = reportPage({ ...data, iterations: [{ ...first!, costUsd: null }, ...rest] })
  assert.equal(mixed.match(/<circle class="unknown"[^>]*><title>Iteration 1, S-1, Done: unknown</g)!.length, 1)
  assert.match(wholeReport(ledgerOf(events).state, data), /^- Total: unknown \(the agent does not report cost\)/m)
})

test('one call that did not say its cost, as one that was interrupted, leaves the rest known [R-LIM-5] [R-TEL-6]', () => {
  const events = eventsIn('proven')
  const ended = events.find((event) => event.kind === 'iteration.ended')!
  const known = dataOf(events).costs
  const { costs } = dataOf(
    events.map((event) => (event === ended ? { ...ended, usage: { ...ended.usage, costUsd: null } } : event)),
  )
  const { costUsd } = ended.usage
  assert.deepEqual([costs.unpriced, costs.costUsd?.toFixed(4)], [1, (known.costUsd! - costUsd!).toFixed(4)])
  assert.match(costLines(costs).join('\n'), /^- Total: \$\d+\.\d\d and 1 call of unknown cost for \d+ calls/m)
})

test('what a learner spent on a skill is in the cost, by its role, also where its answer could not be used [R-TEL-6]', () => {
  const events = eventsIn('proven')
  const before = dataOf(events).costs
  const { at, run } = events.at(-1)!
  const repo = events.findLast((event): event is EventOf<'iteration.settled'> => event.kind === 'iteration.settled')!.repo
  const usage = { inputTokens: 1000, outputTokens: 500, costUsd: 0.5 }
  const made = { category: 'testing', path: 'SKILL.md', isNew: true, durationMs: 100 }
  const ended: Event = { at, run, kind: 'skill.ended', repo, agent: 'scripted', usage, ...made }
  const unusable: Event = { ...ended, agent: '' }
  const retired: Event = { ...ended, agent: '', isRetired: true, usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } }
  const after = dataOf([...events, ended, unusable, retired]).costs
  assert.deepEqual([after.calls - before.calls, after.costUsd!.toFixed(2)], [2, (before.costUsd! + 1).toFixed(2)])
})

test('however long the history, the page shows the last 200 iterations and says so', () => {
  const data = dataOf(eventsIn('proven'))
  const iterations = Array.from({ length: 1000 }, (_, n) => ({ ...data.iterations[0]!, iteration: n + 1 }))
  const page = reportPage({ ...data, iterations })
  assert.match(page, /The last 200 of 1000 iterations\./)
  assert.equal(page.match(/<li class="t-good" title=/g)!.length, 200)
  assert.ok(page.length < 400_000, `${page.length} characters`)
})

test('every colour that carries text stands out from what is behind it, in light and in dark', () => {
  const [light, dark] = style.split('prefers-color-scheme:dark')
  for (const [theme, text] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    const colour = (name: string): string => new RegExp(`--${name}:(#\\w+)`).exec(text!)![1]!
    for (const front of ['ink', 'soft', 'done', 'worked', 'failed', 'asks', 'quiet', 'running'])
      for (const back of ['bg', 'card']) {
        const ratio = contrast(colour(front), colour(back))
        assert.ok(ratio >= 4.5, `${theme}: ${front} on ${back} has ${ratio.toFixed(2)}`)
      }
  }
})

test('the page goes beside the log, to a named file or to standard output, and the place is told [R-TEL-4]', async (t) => {
  const { io, root, said } = projectWith(t, 'proven')
  assert.equal(await runReport({ html: true }, io), 0)
  assert.equal(said(), '.ralph/login/report.html\n')
  assert.equal(readFileSync(join(root, '.ralph/login/report.html'), 'utf8'), goldenOf('proven', 'html'))
  assert.equal(await runReport({ html: 'out/page.html' }, io), 0)
  assert.equal(said(), 'out/page.html\n')
  assert.equal(readFileSync(join(root, 'out/page.html'), 'utf8'), goldenOf('proven', 'html'))
  assert.equal(await runReport({ html: '-' }, io), 0)
  assert.equal(said(), goldenOf('proven', 'html'))
})

test('without --html it is text, with --json the same data for programs; both at once are refused [R-TEL-4]', async (t) => {
  const { io, said, root } = projectWith(t, 'proven')
  assert.equal(await runReport({ feature: 'login' }, io), 0)
  assert.equal(said(), goldenOf('proven', 'md'))
  assert.equal(await runReport({ json: true }, io), 0)
  assert.deepEqual(JSON.parse(said()), JSON.parse(goldenOf('proven', 'json')))
  await assert.rejects(runReport({ json: true, html: true }, io), failure(64, /--html and --json cannot be combined/))
  writeFileSync(join(root, 'taken'), '')
  await assert.rejects(
    runReport({ html: 'taken/page.html' }, io),
    failure(64, /Could not write the report to taken\/page\.html .+ Name another file/),
  )
})

test('a feature that never ran is told so; programs get data all the same [R-TEL-4]', async (t) => {
  const { io, said, root } = projectWith(t, null)
  assert.equal(await runReport({ html: true }, io), 0)
  assert.equal(said(), 'login has never run. Start with: ralph run\n')
  assert.equal(existsSync(join(root, '.ralph/login/report.html')), false)
  assert.equal(await runReport({ json: true }, io), 0)
  const { feature, runs, iterations, outcome } = JSON.parse(said())
  assert.deepEqual({ feature, runs, iterations, outcome }, { feature: 'login', runs: [], iterations: [], outcome: null })
})

function projectWith(t: TestContext, log: string | null): { io: Io; root: string; said(): string } {
  const root = tempFolder(t)
  const dir = join(root, '.ralph', 'login')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'prd.json'), prd('login', '', [{ id: 'S-1' }]))
  if (log !== null)
    writeFileSync(
      join(dir, 'events.jsonl'),
      eventsIn(log)
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    )
  let out = ''
  const said = (): string => {
    const text = out
    out = ''
    return text
  }
  const env = { PATH: process.env['PATH'], HOME: join(root, 'home'), LANG: 'C.UTF-8' }
  const io: Io = {
    cwd: root,
    env,
    out: (text) => void (out += text),
    raw: (text) => void (out += text),
    err: (text) => void (out += text),
    isTerminal: false,
    isAttended: false,
  }
  return { io, root, said }
}

const failure = (exit: number, message: RegExp) => (error: unknown) =>
  error instanceof Failure && error.exit === exit && message.test(error.message)

const tagsOf = (page: string): string[] => page.replace(/<style>.*?<\/style>/s, '<style></style>').match(/<[^>]*>/g)!
const withoutValues = (tag: string): string => tag.replace(/"[^"]*"/g, '""')

/** Elements that are opened and not closed, or closed and not opened. */
function unclosedIn(page: string): string[] {
  const open: string[] = []
  for (const tag of tagsOf(page)) {
    const name = /^<\/?([a-z0-9]+)/.exec(tag)?.[1]
    if (name === undefined || name === 'meta' || tag.endsWith('/>')) continue
    if (!tag.startsWith('</')) open.push(name)
    else if (open.pop() !== name) return [tag]
  }
  return open
}

/** What somebody else may have written: people, agents, programs. */
const free = new Set([
  ...['feature', 'because', 'title', 'reason', 'command', 'output', 'agent', 'branch', 'summary', 'detail', 'text'],
  ...['id', 'story', 'dependsOn', 'flips', 'passed', 'refused', 'openStories', 'name', 'failedGates'],
])

/** The event with every such text replaced, the same text always by the same other. */
function withTexts<V>(value: V, other: (text: string) => string, key = ''): V {
  if (typeof value === 'string') return (free.has(key) && value !== '' ? other(value) : value) as V
  if (Array.isArray(value)) return value.map((item) => withTexts(item, other, key)) as V
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, withTexts(own, other, name)])) as V
}

function contrast(front: string, back: string): number {
  const [a, b] = [luminance(front), luminance(back)].sort((x, y) => y - x)
  return (a! + 0.05) / (b! + 0.05)
}

function luminance(colour: string): number {
  const hex = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit).join('') : colour.slice(1)
  const [r, g, b] = [0, 2, 4].map((start) => {
    const share = Number.parseInt(hex.slice(start, start + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
}

test('a loop that a limit of the run ended, and not the breaker, counts as one that nothing stopped', () => {
  const events = eventsIn('troubled')
  const judged = events.find((event) => event.kind === 'iteration.judged' && event.passed.length === 0)!
  const ended = events.findLast(({ kind }) => kind === 'run.ended')!
  const after = (iterations: number, outcome: string): string | undefined => {
    const more = [...Array(iterations).fill(judged), { ...ended, outcome } as Event]
    return dataOf([...events, ...more]).learning?.results[0]?.soFar
  }
  assert.equal(dataOf(events).learning?.results[0]?.soFar, '100 % (2 of 2)')
  assert.equal(after(5, 'incomplete'), '67 % (2 of 3)')
  assert.equal(after(5, 'budget'), '67 % (2 of 3)')
  assert.equal(after(4, 'incomplete'), '100 % (2 of 2)')
  assert.equal(after(5, 'interrupted'), '100 % (2 of 2)')
})
