/** The recording of the demo in README.md: how it is kept, and that it is drawn from what was recorded. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { animatedSvg } from './screenshots/animated-svg.ts'
import { rowsOf, spansOf } from './screenshots/ansi.ts'
import { type Cast, castText, readCast } from './screenshots/cast.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const cast: Cast = {
  columns: 20,
  title: 'ralph run',
  frames: [
    { at: 0, rows: ['$ ralph run'] },
    { at: 500, rows: ['$ ralph run', '\x1b[32m✓ a < b'] },
    { at: 900, rows: ['$ ralph run', '\x1b[1m\x1b[32m✓\x1b[0m done'] },
  ],
  endMs: 2000,
}

test('a recording says only what changes, and is read as it was', () => {
  assert.deepEqual(readCast(castText(cast)), cast)
  const [, , second] = castText(cast).split('\n')
  assert.equal(second, JSON.stringify([0.5, 'o', '\x1b[2;1H\x1b[2K\x1b[32m✓ a < b\x1b[0m']))
})

test('a colour that continues over the end of a line begins the next row', () => {
  assert.deepEqual(rowsOf('\x1b[32m✓ one\n✓ two\x1b[39m\nthree\x1b[0m\n\n'), [
    '\x1b[32m✓ one',
    '\x1b[32m✓ two',
    '\x1b[32m\x1b[39mthree',
  ])
  const looks = spansOf('\x1b[1;31mred\x1b[0m plain')[0]?.map(({ text, look }) => [text, look.bold, look.colour])
  assert.deepEqual(looks, [
    ['red', true, '#e8776f'],
    [' plain', false, ''],
  ])
})

test('the drawing has a step for each frame, each row once, and no text that is markup', () => {
  const svg = animatedSvg(cast)
  assert.deepEqual(
    [...svg.matchAll(/([\d.]+)%\{/g)].map(([, percent]) => Number(percent)),
    [0, 25, 45, 100],
  )
  assert.equal(svg.match(/<g id="r\d+">/g)?.length, 3)
  assert.equal(svg.match(/<use /g)?.length, 5)
  assert.match(svg, />✓ a &lt; b<\/text>/)
  assert.doesNotMatch(svg, /<script|https?:\/\/(?!www\.w3\.org)/)
})

test('every service that gets notices has its picture in the docs', () => {
  const services = ['slack', 'discord', 'telegram', 'ntfy', 'email']
  const shown = [...read('docs/notices.md').matchAll(/\]\(images\/notice-(\w+)\.png\)/g)].map(([, name]) => name)
  assert.deepEqual(shown.toSorted(), services.toSorted())
  for (const service of services)
    assert.ok(readFileSync(join(root, `docs/images/notice-${service}.png`)).length > 10_000, service)
  const others = ['desktop', 'bell', 'webhook', 'command']
  const channels =
    read('src/adapters/notify/channels.ts')
      .match(/channels = \[(.*)\]/)?.[1]
      ?.split(', ') ?? []
  assert.deepEqual(channels.toSorted(), [...others, ...services].toSorted())
})

test('README shows the recording, which is small and drawn from the one that is kept', () => {
  const svg = read('docs/images/demo.svg')
  assert.equal(svg, animatedSvg(readCast(read('docs/images/demo.cast'))))
  assert.ok(Buffer.byteLength(svg) < 400_000)
  assert.match(read('README.md').slice(0, 3000), /<img src="docs\/images\/demo\.svg"/)
  const last = readCast(read('docs/images/demo.cast')).frames.at(-1)?.rows.join('\n') ?? ''
  assert.match(last, /COMPLETE \(code 0\)/)
})
