/** Quality: commands and a reviewer that warn, are recorded, and never block. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventsOf, finishes, verdictsOf } from './support/loop.ts'
import { runOf, survivors } from './support/processes.ts'
import type { ProjectSketch, Steps, TestProject } from './support/project.ts'
import { answers, ends, misses, passes, type ReviewedProject, reviewedProjectFor, reviewsOf, rowsOf } from './support/reviews.ts'

function reviewed(
  t: TestContext,
  config: Record<string, unknown>,
  reviews: Steps[] = [],
  sketch: ProjectSketch = {},
): ReviewedProject {
  const project = reviewedProjectFor(t, {
    ...sketch,
    config: { review: undefined, ...config }, // no review of the criteria, unless a test asks for it
    script: { otherwise: finishes, reviews: { 'S-1': reviews }, ...sketch.script },
  })
  return project
}

const receiptOf = (project: TestProject) => JSON.parse(project.read('.ralph/thing/report.json')).receipts['S-1']
const warns: Steps = answers({ verdict: 'warn', warnings: ['S-1.txt:1: no full stop'], reason: 'Small things.' })
const fine: Steps = answers({ verdict: 'pass', warnings: [], reason: 'Neat.' })

test('a red quality command warns, is in the receipt, and the story passes [R-GATE-1]', async (t) => {
  const project = reviewed(t, {
    gates: { tests: 'true' },
    quality: { commands: { style: 'echo no full stop; exit 3', dead: 'true' } },
  })
  const out = await ends(project, 0)
  assert.match(
    out,
    /✓ gate tests passed .*\n {2}! soft gate style failed in \S+ \(exit 3\)\n {6}no full stop\n {6}whole log: ralph logs 1\n {2}✓ gate dead passed/,
  )
  assert.deepEqual(verdictsOf(project), ['done, made'])
  assert.deepEqual(
    receiptOf(project).gates.map(({ name, passed, soft, exitCode }: Record<string, unknown>) => [name, passed, soft, exitCode]),
    [
      ['tests', true, undefined, 0],
      ['style', false, true, 3],
      ['dead', true, true, 0],
    ],
  )
})

test('quality commands look at flips alone, and a story that only they have seen is not proven [R-GATE-1]', async (t) => {
  const project = reviewed(t, { quality: { commands: { style: 'echo x >> ../runs' } } }, [], {
    script: { stories: { 'S-1': [finishes.slice(0, 2), [{ flip: 'S-1' }, { say: 'Done.' }]] } },
  })
  const out = await ends(project, 0)
  assert.equal(project.read('../runs'), 'x\n')
  assert.match(out, /Stories: +1\/1 complete \(1 unproven\)/)
})

test('a quality command that runs into its time limit is ended with all it started, and just warns [R-GATE-1] [R-LIM-7]', async (t) => {
  const project = reviewed(t, { quality: { commands: { slow: 'sleep 600 & wait' } }, gates: { quality_minutes: [0.002, 0.01] } })
  const out = await ends(project, 0)
  assert.match(project.prompt(1), /These gates also run, but only warn:\n- slow: `sleep 600 & wait`/)
  assert.doesNotMatch(project.prompt(1), /passes only if they pass/)
  assert.match(out, /gate slow has run for 0\.002 minutes; at 0\.01 it times out/)
  assert.match(out, /! soft gate slow timed out after \S+\n/)
  assert.deepEqual([project.passing(), survivors(runOf(project))], [['S-1'], []])
})

test('a quality review comes after the one of the criteria; its warnings are recorded and the story passes [R-GATE-1]', async (t) => {
  const project = reviewed(t, { review: { enabled: true }, quality: { review: true } }, [passes, warns])
  const out = await ends(project, 0)
  assert.match(out, /^agent played, a new session each iteration, no gate, spec review by played, quality review by played$/m)
  assert.match(
    out,
    /✓ spec review passed .*\n.*\n {2}! quality review found problems \(.*\)\n {6}Warning: S-1\.txt:1: no full stop\n/,
  )
  assert.deepEqual(reviewsOf(project), ['spec S-1: pass', 'quality S-1: fail'])
  assert.match(project.asked('S-1', 2), /it meets its criteria\. Say what could be done better\./)
  for (const [file, words] of [
    ['report.md', /proven by spec; quality warned/],
    ['report.md', /every story passes, proven by spec \(quality only warned\)/],
    ['progress.txt', /every story passes, proven by spec \(quality only warned\)/],
  ] as const)
    assert.match(project.read(`.ralph/thing/${file}`), words)
  const quality = receiptOf(project).gates[1]
  assert.deepEqual([quality.name, quality.soft, quality.passed], ['quality', true, false])
  assert.equal(quality.output, 'Warning: S-1.txt:1: no full stop\nReason: Small things.')
  assert.deepEqual(rowsOf(project), ['1 implement S-1 done', '1 review S-1 pass', '1 review S-1 warn'])
})

test('a story that its criteria refuse is not looked at for its quality [R-GATE-1]', async (t) => {
  const project = reviewed(t, { review: { enabled: true }, quality: { review: true } }, [misses('half'), passes, fine])
  await ends(project, 0)
  assert.deepEqual(reviewsOf(project), ['spec S-1: fail', 'spec S-1: pass', 'quality S-1: pass'])
})

const failing: [string, Steps[], string[]][] = [
  ['that cannot be read twice', [[{ say: 'Nice.' }]], ['quality S-1: unread', 'quality S-1: unread']],
  ['that changes the tree', [[{ write: { path: 'evil.txt', text: 'x' } }, ...fine]], ['quality S-1: fail']],
  ['that hangs', [[{ hang: true }]], ['quality S-1: fail']],
  ['that passes with warnings', [answers({ verdict: 'pass', warnings: ['long lines'] })], ['quality S-1: fail']],
]
for (const [what, reviews, came] of failing) {
  test(`a quality review ${what} is a warning like any other [R-GATE-1]`, async (t) => {
    const project = reviewed(t, { quality: { review: true }, gates: { quality_minutes: [0.01, 0.05] } }, reviews)
    await ends(project, 0)
    assert.deepEqual([reviewsOf(project), project.passing(), project.has('evil.txt')], [came, ['S-1'], false])
    assert.equal(eventsOf(project, 'iteration.started').length, 1)
  })
}

test('the warnings of a failed story are counted in its report [R-ESC-3]', async (t) => {
  const project = reviewed(t, { review: { enabled: true }, quality: { commands: { style: 'exit 1' } } }, [misses('half')])
  await ends(project, 1, '--max-attempts', '2')
  assert.match(project.read('.ralph/thing/report.md'), /- Quality warnings: 2/)
})
