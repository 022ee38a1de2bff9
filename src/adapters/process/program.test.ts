import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { findProgram, whyNoProgram } from './program.ts'

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
