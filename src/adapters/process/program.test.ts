import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { findProgram, versionOnDisk, whyNoProgram } from './program.ts'

const folder = tempFolder()

test('a file that may not be run is not called missing: that would send people looking for it', () => {
  writeFileSync(join(folder, 'agent.sh'), 'true\n')
  assert.deepEqual(
    ['./agent.sh', './none.sh', 'none'].map((command) => [findProgram(command, folder, {}), whyNoProgram(command, folder)]),
    [
      [null, 'exists, but is not executable (chmod +x ./agent.sh)'],
      [null, 'was not found'],
      [null, 'was not found'],
    ],
  )
})

test('the version of a program is that of its package, or in its path; a script of a project has none', () => {
  const put = (path: string, text = ''): string => {
    const whole = join(folder, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, text)
    return whole
  }
  const bin = put('lib/node_modules/@openai/codex/bin/codex.js')
  put('lib/node_modules/@openai/codex/package.json', '{"name": "@openai/codex", "version": "0.170.1"}')
  put('lib/node_modules/@openai/codex/bin/package.json', '{"type": "module"}')
  symlinkSync(bin, join(folder, 'codex'))
  assert.equal(versionOnDisk(join(folder, 'codex')), '0.170.1')
  assert.equal(versionOnDisk(put('share/claude/versions/2.1.400')), '2.1.400')
  put('project/package.json', '{"name": "shop", "version": "9.9.9"}')
  assert.equal(versionOnDisk(put('project/tools/agent.sh')), '')
  assert.equal(versionOnDisk(put('node_modules/broken/bin/x')), '')
  assert.equal(versionOnDisk(join(folder, 'missing')), '')
})
