/** A provider that cannot be reached, and the real agents that try again in the meantime: whenever such a call is ended, the provider is to blame. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadUrl, realCall } from './support/real-call.ts'
import { claude } from './support/real-claude.ts'
import { codex } from './support/real-codex.ts'

for (const agent of [claude, codex])
  test(`${agent.name}: while it tries to reach its provider, the provider is to blame [R-CB-4]`, async () => {
    const until = ({ kind }: { kind: string }): boolean => kind === 'throttled'
    const { end, transcript } = await realCall(agent, [{ text: 'Nobody hears this.' }], { modelUrl: deadUrl, until })
    assert.deepEqual([end.how, transcript.throttled?.by], ['stopped', 'unreachable'])
  })
