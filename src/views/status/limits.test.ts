import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aStory, begun, startOfTime } from '../../../sim/builders.ts'
import type { State } from '../../core/state.ts'
import { later } from '../../core/text/time.ts'
import { emptyAccount, statusFile } from './account.ts'
import { statusLines } from './lines.ts'
import { statusOf } from './status.ts'

const until = later(startOfTime, 3_600_000)
const limited = (more: Partial<State> = {}): State => ({
  ...begun([aStory('A')]),
  agentLimits: { claude: { until, message: '', times: 1 }, codex: { until: startOfTime, message: '', times: 1 } },
  ...more,
})

test('agents at their usage limit are named with the end of it, as long as the run goes on and the limit lasts', () => {
  assert.deepEqual(statusOf(limited(), null).limits, [{ agent: 'claude', until }])
  assert.equal(statusOf(limited({ at: until }), null).limits, undefined)
  assert.equal(statusOf(limited({ outcome: { outcome: 'complete', because: '' } }), null).limits, undefined)
  const lines = statusLines(statusFile({ state: limited(), account: emptyAccount() }, null, [], 0), startOfTime)
  assert.match(lines.join('\n'), /^Limit: {7}claude is at its usage limit until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d/m)
})
