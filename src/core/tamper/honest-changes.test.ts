/**
 * Honest changes in many languages, in which the rules find nothing: test/fixtures/honest/*.txt. A change begins with `== words`; its files with
 * `--- path` as they were and `+++ path` as they are now, one of them alone where a file came or went.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { rulesIn, type Versions } from '../../../test/support/tamper.ts'
import type { GateFile } from './gate-files.ts'

const folder = fileURLToPath(new URL('../../../test/fixtures/honest/', import.meta.url))
const gateFiles: GateFile[] = [
  { gate: 'tests', path: 'package.json', entry: 'test' },
  { gate: 'tests', path: 'Makefile', entry: 'test' },
  { gate: 'tests', path: 'scripts/test.sh' },
]

for (const name of readdirSync(folder))
  for (const { words, versions } of changesIn(readFileSync(join(folder, name), 'utf8')))
    test(`honest ${name.replace('.txt', '')}: ${words}`, () => assert.deepEqual(rulesIn(versions, { gateFiles }), []))

function changesIn(text: string): { words: string; versions: Versions }[] {
  return text
    .split(/^== /m)
    .slice(1)
    .map((change) => {
      const [words = '', ...files] = change.split(/^(?=(?:---|\+\+\+) \S+$)/m)
      const versions: Versions = {}
      for (const file of files) {
        const [, side, path = '', content = ''] = /^(---|\+\+\+) (\S+)\n([\s\S]*?)\n*$/.exec(file) ?? []
        const known = versions[path] ?? [null, null]
        versions[path] = side === '---' ? [`${content}\n`, known[1]] : [known[0], `${content}\n`]
      }
      return { words: words.trim(), versions }
    })
}
