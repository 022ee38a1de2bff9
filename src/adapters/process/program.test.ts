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
      [null, 'is there, but is no file that may be run (chmod +x ./agent.sh)'],
      [null, 'is not there'],
      [null, 'is not there'],
    ],
  )
})
