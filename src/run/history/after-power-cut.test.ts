import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { thisBoot } from '../../adapters/project/lock-holder.ts'
import type { State } from '../../core/state.ts'
import { downAfterMs } from './after-power-cut.ts'

test('only another start of the same machine means that it went down', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const downAfter = (boot: string | undefined) => downAfterMs({ at, boot } as State)
  assert.deepEqual([undefined, thisBoot(), 'elsewhere 1-2-3', `${hostname()} 1-2-3`].map(downAfter), [
    null,
    null,
    null,
    Date.parse(at) + 3_600_000,
  ])
})
