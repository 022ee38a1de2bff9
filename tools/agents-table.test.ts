import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { abilitiesTable } from './agents-table.ts'

test('docs/agents.md says of each agent what its adapter says', () => {
  const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'agents.md'), 'utf8')
  assert.equal(/<!-- abilities -->\n([\s\S]*)\n<!-- \/abilities -->/.exec(page)?.[1], abilitiesTable())
})
