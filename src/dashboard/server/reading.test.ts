/** How much of which logs an answer reads, and what it says before all are read. */

import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { tempFolder } from '../../../test/support/folder.ts'
import { foldLog } from '../../adapters/project/event-log.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { emptyAccount, statusFile } from '../../views/status/account.ts'
import { placesIn, projectPlaces } from './places.ts'
import { logReader } from './reading.ts'

const recorded = join(dirname(fileURLToPath(import.meta.url)), '../../../test/fixtures/logs/proven.jsonl')
const noTools = async () => () => ''
const oneLog = statSync(recorded).size

function projectWith(t: TestContext, ...features: string[]) {
  const root = tempFolder(t)
  const [project] = projectPlaces([root])
  const { value: state } = foldLog(recorded, initialState, evolve)
  for (const feature of features) {
    const dir = join(root, '.ralph', feature)
    mkdirSync(dir, { recursive: true })
    copyFileSync(recorded, join(dir, 'events.jsonl'))
    writeFileSync(join(dir, 'status.json'), JSON.stringify(statusFile({ state, account: emptyAccount() }, 'run.ended', [], null)))
  }
  return { root, project: project! }
}

test('the first answer has the state of every run, and reads no more logs than one answer may; the next ones read the rest', async (t) => {
  const { project } = projectWith(t, 'a', 'b', 'c')
  const reader = logReader(noTools, oneLog)
  const answer = async () => {
    const { projects, isReading } = await reader.overview([project])
    return { rows: projects[0]!.features.map(({ status, cost }) => [status?.outcome, cost !== undefined]), isReading }
  }
  const [known, kept] = [['incomplete', true] as const, ['incomplete', false] as const]
  assert.deepEqual(await answer(), { rows: [known, kept, kept], isReading: true })
  assert.deepEqual(await answer(), { rows: [known, known, kept], isReading: true })
  assert.deepEqual(await answer(), { rows: [known, known, known], isReading: false })
})

test('a log that is longer than one answer may read is read by the answer after', async (t) => {
  const { project } = projectWith(t, 'a')
  const reader = logReader(noTools, oneLog - 1)
  assert.equal((await reader.overview([project])).isReading, true)
  const { projects, isReading } = await reader.overview([project])
  assert.equal(isReading, false)
  assert.equal(projects[0]!.features[0]!.cost?.unpriced, 0)
})

test('the page of a run has its forecast once the logs beside it are read', async (t) => {
  const { project } = projectWith(t, 'a', 'b')
  const reader = logReader(noTools, oneLog - 1)
  const [, place] = placesIn(project)
  const forecastOf = async () => (await reader.run(project, place!)).forecast?.kind ?? null
  assert.deepEqual([await forecastOf(), await forecastOf()], [null, 'told'])
})

test('a run that has not ended and is not live was killed, by its log and by its status alike', async (t) => {
  const { root, project } = projectWith(t, 'a')
  const dir = join(root, '.ralph', 'a')
  const begun = foldLog(recorded, [] as string[], (lines, event) => [...lines, JSON.stringify(event)]).value.slice(0, 5)
  writeFileSync(join(dir, 'events.jsonl'), `${begun.join('\n')}\n`)
  const { value: state } = foldLog(join(dir, 'events.jsonl'), initialState, evolve)
  writeFileSync(join(dir, 'status.json'), JSON.stringify(statusFile({ state, account: emptyAccount() }, 'run.started', [], null)))
  const reader = logReader(noTools, 0)
  for (const isReading of [true, false]) {
    const overview = await reader.overview([project])
    assert.deepEqual([overview.isReading, overview.projects[0]!.features[0]!.status?.state], [isReading, 'killed'])
  }
})

test('a feature that has never run shows the stories of its plan, and one without a plan that can be read none', async (t) => {
  const { root, project } = projectWith(t)
  const story = { id: 'S-1', title: 'A', description: '', acceptanceCriteria: ['x'], priority: 1, passes: false }
  for (const [feature, text] of [
    ['good', JSON.stringify({ branchName: '', userStories: [story] })],
    ['poor', '{'],
  ] as const) {
    mkdirSync(join(root, '.ralph', feature), { recursive: true })
    writeFileSync(join(root, '.ralph', feature, 'prd.json'), text)
  }
  const { projects } = await logReader().overview([project])
  assert.deepEqual(
    projects[0]!.features.map(({ feature, status }) => [feature, status?.state, status?.stories.total]),
    [
      ['good', 'idle', 1],
      ['poor', 'idle', 0],
    ],
  )
})
