import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { checks, committedFigures, type Figures, pageFile, reliabilityPage } from './reliability.ts'

const figures: Figures = {
  name: 'sim',
  what: 'Every invariant holds',
  tried: 1000,
  failures: 0,
  at: '2026-01-09T12:00:00.000Z',
  seconds: 90,
  machine: 'a machine',
  details: { kills: 12_000, note: 'a | b' },
}

test('docs/reliability.md is what the committed figures give; node tools/reliability.ts writes it', () => {
  assert.equal(readFileSync(pageFile, 'utf8'), reliabilityPage(committedFigures()))
})

test('every check of a night is there, under the name that the page gives', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>
  }
  const wrong = checks.filter(({ command, script }) => {
    const named = scripts[/^npm run (\S+)/.exec(command)![1]!] ?? ''
    return !existsSync(new URL(`../${script[0]}`, import.meta.url)) || !named.includes(script[0]!)
  })
  assert.deepEqual(wrong, [])
})

test('figures are shown with their check, and a check without any is told apart', () => {
  const page = reliabilityPage([figures])
  assert.match(page, /\*\*What was lost: nothing\.\*\* Not run yet: mutants, /)
  assert.match(page, /\| Simulator \| 1,000 seeds \| none \| 2026-01-09 \| 90 s \|/)
  assert.match(
    page,
    /Every invariant holds\. Alone: `npm run sim -- --seeds 100000`\n\n\| \| \|\n\|---\|---\|\n\| kills \| 12,000 \|\n\| note \| a \\\| b \|/,
  )
})

test('a missed goal of speed stands at the top too, and is no loss', () => {
  const page = reliabilityPage([figures, { ...figures, name: 'bench', failures: 1 }])
  assert.match(page, /\*\*What was lost: nothing\.\*\* Goals of speed that are missed: 1; see below\. Not run yet: /)
})

test('what did not hold stands at the top, whichever word its check has for it', () => {
  const page = reliabilityPage([
    { ...figures, failures: 2 },
    { ...figures, name: 'faults', failures: undefined, lost: 1 },
  ])
  assert.match(page, /\*\*What did not hold: 3; see below\.\*\*/)
  assert.match(page, /\| Faults \| 1,000 faults and kills \| \*\*1\*\* \|/)
})
