import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { openLog } from '../../adapters/project/event-log.ts'
import { dropRequest } from '../../adapters/project/signed-inbox.ts'
import { initialState } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import { appendFacts, factsBefore } from './facts-since-last-run.ts'

const asked: State = { ...initialState, run: 'r', questions: [{ question: 'A or B?', iteration: 1, story: null }] }
const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'

const saysInto = (said: string[]) => ({ say: (_tone: string, text: string) => void said.push(text) })

function decided(t: { after(undo: () => void): void }) {
  const dir = tempFolder(t)
  writeFileSync(join(dir, 'decide.txt'), `A or B?\n\n---\n## Answer\nB, with ${key}\n`)
  const facts = factsBefore({ root: dir, home: dir, dir, mask: masker({}) }, asked, { isReset: false })
  const said: string[] = []
  return { dir, facts, said, world: { dir, run: 'r', mask: masker({}), screen: saysInto(said) } }
}

test("a person's answer is in the log and on the screen, without credentials, before its file goes [R-HUM-2] [R-FILE-3]", (t) => {
  const { dir, facts, said, world } = decided(t)
  assert.ok(existsSync(join(dir, 'decide.txt')))
  const log = openLog(join(dir, 'events.jsonl'))
  const { questions } = appendFacts(world, log, asked, facts)
  log.close()
  assert.deepEqual(
    questions.map(({ text }) => text),
    ['B, with sk-***'],
  )
  assert.deepEqual(said, ['Answer to "A or B?": B, with sk-***'])
  assert.ok(!existsSync(join(dir, 'decide.txt')))
})

test('an answer that the log could not take is still in its file [R-HUM-2]', (t) => {
  const { dir, facts, world } = decided(t)
  const full = {
    append: () => {
      throw new Error('no space left')
    },
  } as unknown as ReturnType<typeof openLog>
  assert.throws(() => appendFacts(world, full, asked, facts), /no space left/)
  assert.ok(existsSync(join(dir, 'decide.txt')))
})

test('an answer, a note and a skip that no run came to take are taken before the next begins, once; a stop is not [R-HUM-2] [R-HUM-4]', (t) => {
  const dir = tempFolder(t)
  const id = dropRequest(dir, dir, { kind: 'question.answered', text: 'B', story: null })
  const note = dropRequest(dir, dir, { kind: 'said', text: 'mind the gap' })
  const skip = dropRequest(dir, dir, { kind: 'story.skipped', story: 'S-2' })
  dropRequest(dir, dir, { kind: 'stop.requested', by: 'user', now: false })
  const facts = factsBefore({ root: dir, home: dir, dir, mask: masker({}) }, asked, { isReset: false })
  assert.deepEqual(facts, [
    { kind: 'question.answered', text: 'B', story: null, id },
    { kind: 'said', text: 'mind the gap', id: note },
    { kind: 'story.skipped', story: 'S-2', id: skip, unwritten: true },
  ])
  const log = openLog(join(dir, 'events.jsonl'))
  const { questions } = appendFacts({ dir, run: 'r', mask: masker({}), screen: saysInto([]) }, log, asked, facts)
  log.close()
  assert.deepEqual(
    questions.map(({ text }) => text),
    ['B'],
  )
  assert.equal(readdirSync(join(dir, 'inbox')).length, 1)
})

test('a missing blocked.txt means that it was deleted, unless the run was killed before it could write one [R-HUM-1]', (t) => {
  const dir = tempFolder(t)
  const killed: State = { ...initialState, run: 'r', blocked: { reason: 'no key', iteration: 1 } }
  const factsOf = (state: State) => factsBefore({ root: dir, home: dir, dir, mask: masker({}) }, state, { isReset: false })
  assert.deepEqual(factsOf({ ...killed, outcome: { outcome: 'blocked', because: '' } }), [{ kind: 'unblocked', note: '' }])
  assert.deepEqual(factsOf(killed), [])
})
