/** Whole runs with the real pi: a scripted model behind it, and everything between the two as users have it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { called, withoutSession } from '../support/agent-call.ts'
import { judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { usageLimitRun } from '../support/real-limits.ts'
import { looksOnly } from '../support/real-looks.ts'
import { piEnvironment, realPi } from '../support/real-pi.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const pi = { name: 'pi', program: realPi, environment: piEnvironment }

wholeRuns(pi, { usage: { inputTokens: 2400, outputTokens: 100, costUsd: 0.00762, cacheReadTokens: 400 }, toolSeconds: 8 })

usageLimitRun(pi)

looksOnly(pi, {
  look: { tool: { name: 'read', args: { path: 'a.txt' } } },
  changes: [
    { tool: { name: 'bash', args: { command: 'echo hi > b.txt' } } },
    { tool: { name: 'write', args: { path: 'b.txt', content: 'hi' } } },
  ],
})

test('a long answer, which pi repeats with every piece of it, comes once and whole [R-ITER-3]', async () => {
  const text = 'Long words. '.repeat(20_000).trim()
  const { code, entries } = await called(pi, [{ text, tokens: { input: 10, cached: 5, output: 60_000 } }])
  assert.equal(code, 0)
  assert.deepEqual(
    withoutSession(entries).filter(({ kind }) => kind !== 'usage'),
    [
      { kind: 'said', text, isSub: false },
      { kind: 'end', isError: false, text },
    ],
  )
})

judgesOutOfReach(pi, {
  looks: [{ tool: { name: 'ls', args: { path: '.' } } }],
  home: ({ marker }) => ({
    '.pi/agent/settings.json': JSON.stringify({ extensions: ['./planted.ts'] }),
    '.pi/agent/planted.ts': `import { appendFileSync } from "node:fs"\nappendFileSync("${marker}", "extension")\nexport default () => {}\n`,
    '.pi/agent/SYSTEM.md': order('home system'),
    '.pi/agent/APPEND_SYSTEM.md': order('home'),
    '.pi/agent/skills/review/SKILL.md': skill('home skills'),
  }),
  isOwn: /planted\.ts$/,
})
