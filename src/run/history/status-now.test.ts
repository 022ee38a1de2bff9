import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { after, aStart, aStory, begun } from '../../../sim/builders.ts'
import { tempFolder } from '../../../test/support/folder.ts'
import { statusPath } from '../../adapters/project/layout.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { emptyAccount, statusFile } from '../../views/status/account.ts'
import { keptStatus, statusAsOf } from './status-now.ts'

const dir = tempFolder()

test('a status file of another form is as good as none', () => {
  assert.equal(keptStatus(dir), null)
  const status = statusFile({ state: initialState, account: emptyAccount() }, null, [], 0)
  const wrong = [
    { version: 2 },
    { stories: [] },
    { forecast: null },
    { forecast: { kind: 'soon' } },
    { finished: [null] },
    { costs: 5 },
  ]
  const told = { kind: 'told', stories: 1, from: 5, iterations: { p50: 1, p90: 2 }, ms: { p50: 1, p90: 2 }, costUsd: 'x' }
  const shapes = [
    ...[...wrong, { forecast: told }].map((fields) => JSON.stringify({ ...status, ...fields })),
    'null',
    '[]',
    '"x"',
    '{}',
    '{',
  ]
  for (const shape of shapes) {
    writeFileSync(statusPath(dir), shape)
    assert.equal(keptStatus(dir), null, shape)
  }
  writeFileSync(statusPath(dir), JSON.stringify(status))
  assert.deepEqual(keptStatus(dir), JSON.parse(JSON.stringify(status)))
})

test('a run that was killed neither stops nor pauses any more, as after a second Ctrl+C', () => {
  const status = statusFile({ state: { ...initialState, run: 'r' }, account: emptyAccount() }, null, [], 0)
  const asked = { ...status, state: 'running', soon: 'stops' } as const
  assert.deepEqual([statusAsOf(asked, true), statusAsOf(asked, false)], [asked, { ...status, state: 'killed' }])
})

test('what calls cost that were under way when a run was killed is unknown, never 0', () => {
  const working = begun([aStory('A')])
  const status = statusFile({ state: after([aStart(1, 'A')], working), account: emptyAccount() }, null, [], 0)
  const killed = statusAsOf(status, false)
  assert.deepEqual([status.cost.usd, status.cost.unpriced, status.calls], [0, 0, 1])
  assert.deepEqual([killed.cost.usd, killed.cost.unpriced, killed.cost.uncounted], [null, 1, 1])
  const paid = { ...status, calls: 3, cost: { ...status.cost, usd: 0.5 } }
  assert.deepEqual([statusAsOf(paid, false).cost.usd, statusAsOf(paid, false).cost.unpriced], [0.5, 1])
})
