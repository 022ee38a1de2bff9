import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { tempFolder } from '../../../test/support/folder.ts'
import { compressOldLogs } from './compress-old.ts'

const folder = tempFolder()
let folders = 0
const nameOf = (iteration: number): string => `iteration-${String(iteration).padStart(3, '0')}.log`
const textOf = (iteration: number): string => `what was printed in ${iteration}\n`.repeat(1000)

function logsOf(iterations: number[], others: string[] = []): string {
  const logs = join(folder, String(++folders))
  mkdirSync(logs)
  for (const iteration of iterations) writeFileSync(join(logs, nameOf(iteration)), textOf(iteration))
  for (const name of others) writeFileSync(join(logs, name), name)
  return logs
}

test('R-TEL-4 all but the newest logs are compressed, whole and with their date, and nothing else is touched', async () => {
  const others = ['summary.csv', 'events.jsonl', 'plan-001.rejected', 'last-prd.json', 'iteration-002.log.bak']
  const logs = logsOf([1, 2, 999, 1000, 1001], others)
  const then = new Date('2026-01-09T12:00:00Z')
  utimesSync(join(logs, nameOf(1)), then, then)
  assert.equal(await compressOldLogs(logs, 2), 3)
  assert.deepEqual(
    readdirSync(logs).sort(),
    [...others, ...[1, 2, 999].map((n) => `${nameOf(n)}.gz`), nameOf(1000), nameOf(1001)].sort(),
  )
  for (const iteration of [1, 2, 999])
    assert.equal(gunzipSync(readFileSync(join(logs, `${nameOf(iteration)}.gz`))).toString(), textOf(iteration))
  assert.deepEqual(statSync(join(logs, `${nameOf(1)}.gz`)).mtime, then)
  assert.equal(await compressOldLogs(logs, 2), 0)
})

test('R-TEL-4 twenty at most at a time, the oldest first', async () => {
  const logs = logsOf(Array.from({ length: 50 }, (_, index) => index + 1))
  const left = () => readdirSync(logs).filter((name) => name.endsWith('.log'))
  const first = [await compressOldLogs(logs, 5), left()[0], left().length]
  assert.deepEqual(first, [20, nameOf(21), 30])
  assert.deepEqual([await compressOldLogs(logs, 5), await compressOldLogs(logs, 5), left().length], [20, 5, 5])
})

test('fewer logs than are kept, an empty folder and none at all are nothing to do', async () => {
  const none = await Promise.all([logsOf([1, 2]), logsOf([]), join(folder, 'never')].map((logs) => compressOldLogs(logs, 2)))
  assert.deepEqual(none, [0, 0, 0])
})

test('killed before the log went, it is done again; what cannot be compressed stays', async () => {
  const logs = logsOf([1, 2, 3])
  writeFileSync(join(logs, `${nameOf(1)}.gz`), 'from before')
  mkdirSync(join(logs, `${nameOf(2)}.gz`))
  assert.equal(await compressOldLogs(logs, 1), 1)
  assert.equal(gunzipSync(readFileSync(join(logs, `${nameOf(1)}.gz`))).toString(), textOf(1))
  assert.deepEqual(readdirSync(logs).sort(), [`${nameOf(1)}.gz`, nameOf(2), `${nameOf(2)}.gz`, nameOf(3)].sort())
})

test('what a killed run had half compressed or half bundled is removed, what this one is writing is not', async () => {
  const others = ['.iteration-001.log.gz.tmp-1-7', '.iterations-001-100.tar.tmp-1-8']
  const own = [`.iteration-009.log.gz.tmp-${process.pid}-900`, 'x.tmp-1-1']
  const logs = logsOf([1, 2, 3], [...others, ...own])
  await compressOldLogs(logs, 1)
  assert.deepEqual(readdirSync(logs).sort(), [...own, `${nameOf(1)}.gz`, `${nameOf(2)}.gz`, nameOf(3)].sort())
})

test('a compressed log and a bundle are for their user alone', async () => {
  const logs = logsOf(Array.from({ length: 210 }, (_, index) => index + 1))
  while ((await compressOldLogs(logs, 2)) > 0);
  const made = readdirSync(logs).filter((name) => /\.(gz|tar)$/.test(name))
  assert.ok(made.includes('iterations-001-100.tar'))
  assert.deepEqual(
    made.filter((name) => (statSync(join(logs, name)).mode & 0o077) !== 0),
    [],
  )
})

test('a link where a temporary file will be leads nothing elsewhere', async () => {
  const logs = logsOf([1, 2, 3])
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(elsewhere, 'mine')
  for (let n = 1; n < 1000; n++) symlinkSync(elsewhere, join(logs, `.${nameOf(1)}.gz.tmp-${process.pid}-${n}`))
  await compressOldLogs(logs, 1)
  assert.equal(readFileSync(elsewhere, 'utf8'), 'mine')
})
