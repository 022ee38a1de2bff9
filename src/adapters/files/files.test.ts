import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { tempFolder } from '../../../test/support/folder.ts'
import { appendLines, makeFolder, readIfThere, replaceFile } from './files.ts'

const folder = tempFolder()

test('a replaced file has the new content and its old mode, in a folder that is made if need be', () => {
  const path = join(folder, 'a', 'b', 'plan.json')
  replaceFile(path, 'one')
  chmodSync(path, 0o640)
  replaceFile(path, Buffer.from('two'))
  assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o777], ['two', 0o640])
})

test('replacing leaves no other name behind, whatever the content, also when it fails', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 200 }), { maxLength: 4 }), fc.boolean(), (contents, isBlocked) => {
      const place = mkdtempSync(join(folder, 'p-'))
      const path = join(place, 'file')
      if (isBlocked) mkdirSync(join(path, 'in the way'), { recursive: true })
      for (const content of contents) {
        if (isBlocked) assert.throws(() => replaceFile(path, content))
        else replaceFile(path, content)
      }
      assert.deepEqual(readdirSync(place), isBlocked || contents.length > 0 ? ['file'] : [])
      if (!isBlocked) assert.equal(readIfThere(path), contents.at(-1) ?? null)
    }),
    { numRuns: 40 },
  )
})

test('appended text starts and ends on a line of its own', () => {
  const path = join(folder, 'notes', 'progress.txt')
  appendLines(path, 'one\ntwo\n')
  appendLines(path, '')
  appendLines(path, 'three')
  writeFileSync(path, `${readFileSync(path, 'utf8')}left by an agent`)
  appendLines(path, 'four\n')
  assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\nthree\nleft by an agent\nfour\n')
})

test('what is not there reads as null, and a folder in its place is told in one line', () => {
  assert.equal(readIfThere(join(folder, 'nowhere', 'file')), null)
  assert.throws(() => readIfThere(folder), { exit: 65, message: `${folder} is a folder; expected a file. Move it away.` })
})

test('an append that a kill tore is completed by the same append, and what somebody else left unfinished is not taken for it', () => {
  const entry = '\n---\nIteration: 3\nStory: N/A\nStatus: complete\n'
  const after = (before: string): string => {
    const path = join(folder, 'torn.txt')
    writeFileSync(path, before)
    appendLines(path, entry)
    return readFileSync(path, 'utf8')
  }
  assert.deepEqual(
    [after(`# Notes\n${entry.slice(0, 25)}`), after('# Notes\n'), after('# Notes\n\n---\nIt')],
    [`# Notes\n${entry}`, `# Notes\n${entry}`, `# Notes\n\n---\nIt\n${entry}`],
  )
})

test('a folder that no one can make is refused at once, also where the system says of one that is there that it is not', () => {
  makeFolder(join(folder, 'x', 'y'))
  makeFolder(join(folder, 'x', 'y'))
  assert.deepEqual(readdirSync(join(folder, 'x')), ['y'])
  assert.throws(() => makeFolder('/proc/none/.ralph'), { code: 'ENOENT', path: '/proc/none' })
})

test('an error names the file that was to be written, also where the system names none, or the one beside it', () => {
  const full = join(folder, 'full.txt')
  symlinkSync('/dev/full', full)
  assert.throws(() => appendLines(full, 'x'), { path: full, message: `ENOSPC: no space left on device, write '${full}'` })
  const taken = join(folder, 'taken.txt')
  mkdirSync(join(taken, 'inside'), { recursive: true })
  assert.throws(() => replaceFile(taken, 'x'), {
    path: taken,
    message: `EISDIR: illegal operation on a directory, rename '${taken}'`,
  })
})
