import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { evolve } from '../../core/evolve/evolve.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { asKnownNow } from '../../core/evolve/older-events.ts'
import type { Event } from '../../core/types.ts'
import { ledgerOf } from '../figures/ledger.ts'
import { costsOf, finishedOf, outlookOf } from '../report/costs.ts'
import { chargeCalls, emptyAccount, statusFile } from './account.ts'

const logs = globSync('test/fixtures/logs/*.jsonl')

test('an account kept up event by event says what the whole log says, at every point of it [R-TEL-6]', () => {
  assert.ok(logs.length > 1, 'no logs were found')
  for (const path of logs) {
    const events = readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => asKnownNow(JSON.parse(line) as Event))
    const account = emptyAccount()
    let state = initialState
    for (const [index, event] of events.entries()) {
      chargeCalls(account, state, event)
      state = evolve(state, event)
      const { costs, forecast, finished } = statusFile({ state, account }, event.kind, [], null)
      const ledger = ledgerOf(events.slice(0, index + 1))
      assert.deepEqual(
        { costs, forecast, finished },
        { costs: costsOf(ledger), forecast: outlookOf(ledger, [ledger]), finished: finishedOf(ledger) },
        `${path}, line ${index + 1}`,
      )
    }
  }
})
