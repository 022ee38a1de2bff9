import assert from 'node:assert/strict'
import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { committed, env, newFolder } from '../../test/support/repository.ts'
import { makeCopy } from './working-copy.ts'

const story = { id: 'S-1', title: 'One', description: '', acceptanceCriteria: ['It is there'], priority: 1, passes: false }
const plan = { feature: 'thing', branchName: 'feature/thing', description: '', userStories: [story] }

test('to look for files of a live run takes no lock of its index, which a landing may want at that moment', async () => {
  const { top } = await committed({ '.ralph/thing/prd.json': JSON.stringify(plan), 'a.txt': 'a\n' })
  const taken = { key: 'k', turn: 1, token: 'abcdef', repository: top, feature: 'thing', base: '', branch: '', head: null }
  const copy = await makeCopy(newFolder(), { ...taken, headSeq: 0, files: {}, outcome: null, pushing: null }, env)
  utimesSync(join(copy.dir, 'prd.json'), 1, 1) // with the lock, git would write the index with this
  const index = () => readFileSync(join(copy.folder, '.git', 'index'), 'hex')
  const before = index()
  assert.deepEqual([await copy.ownFiles(), index() === before], [{}, true])
})
