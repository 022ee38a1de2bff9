import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ScreenLine } from '../screen/line.ts'
import { frameOf } from './frame.ts'
import { firstView, helpLines } from './keys.ts'
import type { Model } from './model.ts'

const lines = (count: number, name: string): ScreenLine[] =>
  Array.from({ length: count }, (_, index) => ({ tone: 'plain', text: `${name} ${index + 1}` }))
const model = (stories: number, log: number, top = 8, current = 0): Model => ({
  feature: 'thing',
  isLive: true,
  isPausing: false,
  questions: [],
  head: lines(1, 'head'),
  indicators: lines(top - 1, 'top'),
  now: [],
  stories: {
    rows: Array.from({ length: stories }, (_, index) => ({
      id: `S-${index + 1}`,
      mark: '·',
      tone: 'plain',
      title: `Story ${index + 1}`,
      tries: '1',
      time: '41s',
      cost: '$0.20',
    })),
    current,
  },
  panes: [{ title: 'Log', log: lines(log, 'log') }],
  opened: null,
})
const texts = (shown: ScreenLine[]): string[] => shown.map(({ text }) => text)

test('help takes the room of stories and log, so that no line of it is cut', () => {
  for (const size of [
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
  ]) {
    const { stories, log, isWide } = frameOf(model(30, 100), { ...firstView, mode: 'help' }, size)
    assert.deepEqual([stories, isWide], [[], false])
    assert.deepEqual(texts(log), ['Help', ...helpLines(false)])
    assert.ok(texts(log).every((text) => text.length <= size.columns))
  }
})

test('on 80 by 24 stories and log share what is left, with the current story among those shown', () => {
  const { top, stories, log, isWide } = frameOf(model(30, 100, 8, 14), firstView, { columns: 80, rows: 24 })
  assert.deepEqual(
    { top: top.length, isWide, stories: texts(stories), log: texts(log) },
    {
      top: 8,
      isWide: false,
      stories: [
        '  Story Title                                          Tries     Time     Cost',
        '· S-13  Story 13                                           1      41s    $0.20',
        '· S-14  Story 14                                           1      41s    $0.20',
        '· S-15  Story 15                                           1      41s    $0.20',
        '· S-16  Story 16                                           1      41s    $0.20',
        '  12 more above, 14 more below',
      ],
      log: ['Log', 'log 94', 'log 95', 'log 96', 'log 97', 'log 98', 'log 99', 'log 100'],
    },
  )
})

test('on 120 columns titles have at least 30 characters, and no line is wider than its part', () => {
  const title = 'A title of exactly thirty-two ch'
  const wide = model(1, 1)
  const frame = frameOf(
    { ...wide, stories: { rows: wide.stories.rows.map((row) => ({ ...row, id: 'LOGIN-12', title })), current: 0 } },
    firstView,
    { columns: 120, rows: 40 },
  )
  assert.match(frame.stories[1]!.text, /^· LOGIN-12 A title of exactly thirty-t.*… +1 +41s +\$0\.20$/)
  assert.ok(frame.stories.every(({ text }) => text.length <= frame.left))
})

test('a question of 300 characters is shown whole on 80 by 24, also while it is answered', () => {
  const words = `A: ${'May the agent change it? '.repeat(12)}`.trim()
  const asks = {
    ...model(6, 50, 4),
    questions: [
      { story: 'A', words },
      { story: 'B', words: 'B: or not?' },
    ],
  }
  const whole = (view: typeof firstView): string =>
    frameOf(asks, view, { columns: 80, rows: 24 })
      .top.filter(({ tone }) => tone === 'warn')
      .map(({ text }) => text.slice(10))
      .join(' ')
  assert.equal(whole(firstView), `${words} B: or not?`)
  assert.equal(whole({ ...firstView, mode: 'answer', asked: asks.questions[0]! }), words)
})

test('each parallel worker has a part of its own', () => {
  const panes = ['A', 'B'].map((name) => ({ title: `▸ ${name}`, log: lines(50, name) }))
  const { log } = frameOf({ ...model(2, 0), panes }, firstView, { columns: 80, rows: 24 })
  assert.deepEqual(texts(log), ['▸ A', 'A 46', 'A 47', 'A 48', 'A 49', 'A 50', '▸ B', 'B 47', 'B 48', 'B 49', 'B 50'])
})

test('an opened story shows its iterations, the error of the chosen one and its log', () => {
  const opened = {
    title: { tone: 'bad' as const, text: 'A Log in · failed' },
    iterations: [2, 3].map((iteration) => ({ iteration, shown: { tone: 'bad' as const, text: `${iteration}  failed` } })),
    chosen: 3,
    errors: [{ tone: 'bad' as const, text: 'tests:' }],
    log: lines(50, 'log'),
  }
  const view = { ...firstView, opened: { story: 'A', iteration: null } }
  const { stories, log } = frameOf({ ...model(3, 9), opened }, view, { columns: 80, rows: 24 })
  assert.deepEqual(stories, [])
  assert.deepEqual(texts(log), [
    ...['A Log in · failed', '  2  failed', '▸ 3  failed', '    tests:', 'Log of iteration 3'],
    ...Array.from({ length: 9 }, (_, index) => `log ${42 + index}`),
  ])
})

test('on a wide screen they stand beside each other, and 20 lines of the log and more are seen', () => {
  const { stories, log, isWide, page } = frameOf(model(3, 100), firstView, { columns: 140, rows: 50 })
  assert.deepEqual([isWide, stories.length, log.length, page], [true, 4, 39, 38])
})

test('a log that is scrolled says how much is below', () => {
  const { log } = frameOf(model(1, 100), { ...firstView, scroll: 5 }, { columns: 80, rows: 24 })
  assert.deepEqual([log[0]!.text, log.at(-1)!.text], ['Log: 5 lines below', 'log 95'])
})

test('questions to choose from stand where the log was, and the end of what is typed is seen on any width', () => {
  const asks = { ...model(1, 5), questions: ['A: tabs?', 'B: now?'].map((words) => ({ story: words[0]!, words })) }
  const choosing = frameOf(asks, { ...firstView, mode: 'choose', chosen: 1 }, { columns: 80, rows: 24 })
  assert.deepEqual(texts(choosing.log), ['Questions', '  1 A: tabs?', '▸ 2 B: now?'])
  const typing = { ...firstView, mode: 'answer' as const, asked: asks.questions[0]!, text: `${'x'.repeat(300)} end` }
  for (const columns of [60, 80, 200]) {
    const { foot } = frameOf(asks, typing, { columns, rows: 24 })
    assert.match(foot.text, /^Answer to A \(Esc: cancel\)> ….* end▏$/)
    assert.ok(foot.text.length <= columns, `${foot.text.length} on ${columns}`)
  }
})

test('the last line names the keys that do something now', () => {
  const foot = (more: Partial<Model>): string =>
    frameOf({ ...model(1, 1), ...more }, firstView, { columns: 100, rows: 24 }).foot.text.replace(
      ' · n note · ↑↓ Enter story · f feature · ? help · q leave',
      '',
    )
  const questions = [{ story: 'A', words: 'A?' }]
  assert.deepEqual(
    [foot({}), foot({ isPausing: true }), foot({ questions }), foot({ isLive: false, questions })],
    ['p pause · s stop', 'p resume · s stop', 'p pause · s stop · a answer', 'a answer'],
  )
})

test('whatever the size, nothing is higher than the screen', () => {
  const some = fc.nat(60)
  fc.assert(
    fc.property(some, some, fc.integer({ min: 1, max: 12 }), some, some, fc.integer({ min: 8, max: 70 }), (...given) => {
      const [storyCount, logCount, topCount, current, scroll, rows] = given
      for (const columns of [80, 140]) {
        const frame = frameOf(model(storyCount, logCount, topCount, current), { ...firstView, scroll }, { columns, rows })
        const { top, stories, log } = frame
        const body = frame.isWide ? Math.max(stories.length, log.length) : stories.length + log.length
        assert.ok(top.length + body + 1 <= rows - 1, `${top.length} + ${body} + 1 on ${rows} rows`)
      }
    }),
  )
})
