/** A story that has begun and been marked as done in a small project, and its cross-examination. */
import { anEnd, anEndedFlight, aResult, aStart } from '../../sim/builders.ts'
import { sure } from '../../src/core/failure.ts'
import type { Examination } from '../../src/core/types/results.ts'
import type { Ended, Gate, GateResult } from '../../src/core/types.ts'
import { changedChecks } from '../../src/run/proof/changed-checks.ts'
import { examine } from '../../src/run/proof/examine.ts'
import { commitAll } from './repository.ts'
import { aWorld, type TestWorld } from './world.ts'

export const gates: Gate[] = [{ name: 'tests', command: 'npm test --silent' }]
export const testOf = (name: string, check: string): string =>
  `import { test } from 'node:test'\nimport assert from 'node:assert'\nimport * as all from '../sum.mjs'\ntest('${name}', () => ${check})\n`
export const manifest = (script: string): string => JSON.stringify({ type: 'module', scripts: { test: script } })

export const project = {
  'package.json': manifest('node --test'),
  'sum.mjs': 'export const sum = (a, b) => a + b\n',
  'test/sum.test.mjs': testOf('adds', 'assert.equal(all.sum(1, 2), 3)'),
}

/** Story S-1 has begun on this project, and its agent wrote these files; `passed`: how many tests ran then; `others`: more gates. */
export async function examinedAfter(
  files: Record<string, string>,
  more: Partial<Ended> = {},
  passed = 2,
  others: (Gate & Pick<GateResult, 'durationMs' | 'census'>)[] = [],
): Promise<[TestWorld, Examination, string[] | undefined]> {
  const policy = { gates: [...gates, ...others.map(({ name, command }) => ({ name, command }))] }
  const test = await aWorld({ files: project, policy })
  test.happens(aStart(1, 'S-1', { saves: true }))
  test.place.write(files)
  commitAll(test.place, 'work')
  const { head, tree, dirt } = await test.place.git.snapshot()
  const ended = anEnd(1, { repo: { head, tree, dirt }, flips: ['S-1'], ...more })
  const { checks } = await changedChecks(test.world, { ...ended, story: 'S-1' }, test.state())
  const gatesNow = [
    aResult('tests', true, { census: { passed, failed: 0, skipped: 0 } }),
    ...others.map(({ name, durationMs, census }) => aResult(name, true, { durationMs, ...(census && { census }) })),
  ]
  const now = test.state()
  const begun = { commit: now.repo.head, census: { tests: { passed: 1, failed: 0, skipped: 0 } } }
  const state = {
    ...now,
    stories: { ...now.stories, 'S-1': { ...sure(now.stories['S-1'], 'S-1'), begun } },
    judgedIn: 'clean' as const,
    flights: [anEndedFlight(ended, { story: 'S-1', gates: gatesNow })],
  }
  return [test, await examine(test.world, 1, { ...test.deed(), state }), checks]
}
