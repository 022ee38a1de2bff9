import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { World } from '../world.ts'
import { checkParallel } from './begin.ts'

test('submodules are empty in worktrees: several workers are told so, and what fills them, before the first story fails', async (t) => {
  const top = mkdtempSync(join(tmpdir(), 'ralph-submodules-'))
  t.after(() => rmSync(top, { recursive: true }))
  writeFileSync(join(top, '.gitmodules'), '[submodule "lib"]\n\tpath = vendor/lib\n\turl = ../lib\n')
  const said = (workers: number, setup: string): Promise<string[]> =>
    checkParallel({
      git: { top, canMergeAside: async () => true },
      settings: { 'parallel.workers': workers, 'worktree.setup': setup },
    } as unknown as World)
  const [words, ...more] = await said(2, '')
  assert.match(words ?? '', /\(vendor\/lib\/\) are empty in the worktrees .*"git submodule update --init --recursive"/)
  assert.deepEqual([more, await said(1, ''), await said(2, 'npm ci')], [[], [], []])
})
