import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { tempFolder } from '../../../test/support/folder.ts'
import { bundleLogs } from './bundle.ts'
import { type LogFile, logsIn, readLogFile } from './files.ts'

const folder = tempFolder()
let folders = 0
const nameOf = (iteration: number): string => `iteration-${String(iteration).padStart(3, '0')}.log.gz`
const textOf = (iteration: number): string => `what was printed in ${iteration}\n`.repeat(1 + (iteration % 40))
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

function logsOf(iterations: number[]): string {
  const logs = join(folder, String(++folders))
  mkdirSync(logs)
  for (const iteration of iterations) writeFileSync(join(logs, nameOf(iteration)), gzipSync(textOf(iteration)))
  return logs
}

async function read(log: LogFile): Promise<string> {
  const pieces: Buffer[] = []
  await readLogFile(log, { push: (bytes) => pieces.push(bytes), end: () => {} })
  return Buffer.concat(pieces).toString()
}

test('R-TEL-4 whole hundreds of compressed logs become one file each, and every one of them can still be read', async () => {
  const logs = logsOf([0, ...upTo(230)])
  writeFileSync(join(logs, 'iteration-231.log'), textOf(231))
  await bundleLogs(logs)
  const loose = upTo(230).slice(200).map(nameOf)
  assert.deepEqual(readdirSync(logs).sort(), [
    nameOf(0),
    ...loose,
    'iteration-231.log',
    'iterations-001-100.tar',
    'iterations-101-200.tar',
  ])
  const found = logsIn(logs)
  assert.deepEqual([...found.keys()], [0, ...upTo(231)])
  for (const [iteration, log] of found) assert.equal(await read(log), textOf(iteration))
})

test('tar reads a bundle, too', async () => {
  const logs = logsOf(upTo(201))
  const before = readFileSync(join(logs, nameOf(57)))
  await bundleLogs(logs)
  const bundle = join(logs, 'iterations-001-100.tar')
  assert.deepEqual(execFileSync('tar', ['tf', bundle], { encoding: 'utf8' }).trim().split('\n'), upTo(100).map(nameOf))
  assert.deepEqual(execFileSync('tar', ['xOf', bundle, nameOf(57)]), before)
})

test('killed before the logs went, or with one more of an old hundred, the bundle is made again and loses nothing', async () => {
  const logs = logsOf(upTo(201).filter((iteration) => iteration !== 7))
  await bundleLogs(logs)
  for (const iteration of [3, 7, ...upTo(310).slice(201)])
    writeFileSync(join(logs, nameOf(iteration)), gzipSync(textOf(iteration)))
  await bundleLogs(logs)
  const found = logsIn(logs)
  assert.deepEqual([...found.keys()], upTo(310))
  for (const [iteration, log] of found) assert.equal(await read(log), textOf(iteration))
  assert.equal(readdirSync(logs).includes(nameOf(7)), false)
})

test('a large log keeps its own file, and a damaged bundle is reported', async () => {
  const logs = logsOf(upTo(201))
  const noise = Buffer.from(Array.from({ length: 400_000 }, (_, n) => (n * n * 31 + n * 7) % 251))
  writeFileSync(join(logs, nameOf(5)), Buffer.concat([gzipSync(textOf(5)), noise]))
  await bundleLogs(logs)
  assert.ok(readdirSync(logs).includes(nameOf(5)))
  const bundle = join(logs, 'iterations-001-100.tar')
  const bytes = readFileSync(bundle)
  bytes.fill(0xff, 512, 700)
  writeFileSync(bundle, bytes)
  await assert.rejects(read(logsIn(logs).get(1)!), {
    exit: 65,
    message: /^iteration-001\.log\.gz in .*iterations-001-100\.tar cannot be read: /,
  })
})
