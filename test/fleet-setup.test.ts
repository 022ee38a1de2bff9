/** Before there is a fleet: its packages, its database, the way to it. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { tempFolder } from './support/folder.ts'
import { startPostgres } from './support/postgres.ts'
import { ralphProgram } from './support/project.ts'

function folderFor(t: TestContext): string {
  const folder = tempFolder(t)
  mkdirSync(join(folder, 'home'))
  return folder
}

function ralphIn(folder: string, program: string, ...args: string[]) {
  const env = { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), LANG: 'C.UTF-8' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('where the package of a fleet is missing it says how to install it, and everything else works', (t) => {
  const folder = folderFor(t)
  const package_ = dirname(dirname(ralphProgram))
  for (const name of ['bin', 'dist', 'package.json', 'templates'])
    cpSync(join(package_, name), join(folder, 'ralph', name), { recursive: true })
  const program = join(folder, 'ralph', 'bin', 'ralph.js')
  const { status, stderr } = ralphIn(folder, program, 'fleet', 'status', '--db', 'postgres://x@127.0.0.1:1/x')
  assert.equal(status, 69, stderr)
  assert.match(stderr, /^ralph: A fleet needs the package pg, which is missing\. Install it beside Ralph: npm install pg@8 /)
  assert.equal(ralphIn(folder, program, 'fleet').status, 64)
  assert.equal(ralphIn(folder, program, '--version').status, 0)
})

test('one command makes a fleet over TLS by a role without rights, and its password is not kept', async (t) => {
  const postgres = await startPostgres({ isEncrypted: true })
  t.after(() => postgres.remove())
  const folder = folderFor(t)
  const address = `postgres://ralph@localhost:${postgres.port}/fleet`
  const plain = ralphIn(folder, ralphProgram, 'fleet', 'init', '--db', `${address}?sslmode=disable`)
  assert.equal(plain.status, 77, plain.stderr)
  const verified = `${address.replace('ralph@', 'ralph:dummy-password@')}?sslmode=verify-full&sslrootcert=${postgres.certificate}`
  const made = ralphIn(
    folder,
    ralphProgram,
    'fleet',
    'init',
    '--db',
    verified,
    '--calls',
    '100/1h',
    '--per-repo',
    '4',
    '--lease',
    '30s',
  )
  assert.deepEqual([made.status, made.stderr], [0, ''])
  assert.equal(
    made.stdout,
    [
      `The fleet is ready in ${verified.replace(':dummy-password', '')}`,
      '  lease              30s',
      '  calls per account  100 in 1h 0m',
      '  per repository     4 at a time',
      'The password is not stored: provide it in PGPASSWORD, ~/.pgpass or RALPH_FLEET_DB.',
      'Next: ralph fleet submit <feature>, and on any machine: ralph fleet work --allow <repository>',
      '',
    ].join('\n'),
  )
  const kept = join(folder, 'home', '.ralph', 'fleet.json')
  assert.ok(statSync(kept).isFile())
  assert.doesNotMatch(readFileSync(kept, 'utf8'), /dummy-password/)
  const again = ralphIn(folder, ralphProgram, 'fleet', 'init', '--lease', '45s') // found by what was noted
  assert.match(again.stdout, /lease {14}45s\n {2}calls per account {2}100 in 1h 0m\n/)
  const foreign = ralphIn(folder, ralphProgram, 'fleet', 'status', '--db', `${address}?sslmode=verify-full`)
  assert.notEqual(foreign.status, 0) // a certificate that nobody vouches for
})
