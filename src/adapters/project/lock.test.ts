import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { type Held, type Holder, readLock, takeLock, underLock } from './lock.ts'

const folder = tempFolder()
let locks = 0
const newPath = () => join(folder, String(++locks), 'ralph.lock')
const run: Holder = { feature: 'login', run: 'r1', purpose: 'run' }

/** A process that ended long ago: its pid with another start. */
const dead = (fields: Partial<Held> = {}) =>
  JSON.stringify({ pid: process.pid, start: '1', host: hostname(), ...run, at: '2026-01-09T10:00:00.000Z', ...fields })

function child(code: string) {
  const program = `import * as lock from ${JSON.stringify(import.meta.resolve('./lock.ts'))}\n${code}`
  const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' }
  return spawn(process.execPath, ['--input-type=module', '-e', program], { env, stdio: ['pipe', 'pipe', 'inherit'] })
}

test('a lock says who holds it, and is gone when released', () => {
  const path = newPath()
  const lock = takeLock(path, { ...run, run: '' })
  lock.update({ run: 'r2' })
  const { pid, feature, run: id, purpose, host, isLive } = readLock(path)!
  lock.release()
  assert.deepEqual(
    { pid, feature, id, purpose, host, isLive },
    { pid: process.pid, feature: 'login', id: 'r2', purpose: 'run', host: hostname(), isLive: true },
  )
  assert.equal(readLock(path), null)
  assert.deepEqual(readdirSync(join(path, '..')), [])
})

test("a named pipe or a link to nothing in the place of the lock holds nobody up, and is nobody's lock", () => {
  for (const put of [(path: string) => execFileSync('mkfifo', [path]), (path: string) => symlinkSync('nowhere', path)]) {
    const path = newPath()
    const lock = takeLock(path, run)
    rmSync(path)
    put(path)
    lock.check()
    assert.equal(readLock(path)?.run, 'r1')
    rmSync(path)
    put(path)
    takeLock(path, { ...run, run: 'r2' }).release()
    assert.deepEqual(readdirSync(join(path, '..')), [])
  }
})

test('R-LOCK-1 a live run refuses another with 75 and names pid, feature, host and time', () => {
  const path = newPath()
  const lock = takeLock(path, run)
  const { at } = readLock(path)!
  const words = `A run of feature "login" is live here: pid ${process.pid} on ${hostname()}, since ${new Date(at).toTimeString().slice(0, 5)} (`
  assert.throws(
    () => takeLock(path, { ...run, purpose: 'command' }),
    (error: Error & { exit?: number }) => error.exit === 75 && error.message.startsWith(words),
  )
  lock.release()
})

/** Of this process, which lives, with a field that we never write so. */
const likeLive = [{ purpose: 5 }, { feature: null }, { at: 0 }, { start: 1 }, { host: [] }].map((wrong) =>
  JSON.stringify({ pid: process.pid, start: null, host: hostname(), ...run, at: '2026-01-09T10:00:00.000Z', ...wrong }),
)

test('R-LOCK-1 a lock left by a dead process is taken over, also one that makes no sense', () => {
  for (const left of [dead(), '', 'rubbish', 'null', '[]', '"x"', '{}', '{"pid":-1}', ...likeLive]) {
    const path = newPath()
    takeLock(path, run).release()
    writeFileSync(path, left)
    assert.equal(readLock(path)?.isLive ?? false, false)
    const lock = takeLock(path, run)
    assert.equal(readLock(path)?.isLive, true)
    lock.release()
    assert.deepEqual(readdirSync(join(path, '..')), [])
  }
})

test('a takeover that died in the middle holds nobody up', () => {
  const path = newPath()
  takeLock(path, run).release()
  writeFileSync(path, dead())
  writeFileSync(`${path}.takeover`, dead())
  takeLock(path, run).release()
  assert.deepEqual(readdirSync(join(path, '..')), [])
})

test("another host's lock counts as live, and the message says how to remove it", () => {
  const path = newPath()
  takeLock(path, run).release()
  writeFileSync(path, dead({ host: 'elsewhere' }))
  assert.throws(() => takeLock(path, run), { exit: 75, message: new RegExp(`on elsewhere, .*remove ${path}`) })
})

/** Of a holder in another container on this machine: its pid says nothing here, even where there is one. */
const inContainer = (fields: Partial<Held> = {}) =>
  dead({ start: null, boot: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(), pids: 'pid:[1]', ...fields })

for (const [what, fields] of [
  ['in another pid namespace with the same host name', {}],
  ['in another pid namespace with another host name', { host: 'container' }],
  ['in another pid namespace, whose pid lives here too', { pid: process.ppid }],
  ['before this machine started anew', { boot: 'before' }],
] as const)
  test(`a lock of a holder ${what} counts by its signs of life, never by its pid [R-LOCK-1]`, async () => {
    const path = newPath()
    takeLock(path, run).release()
    writeFileSync(path, inContainer(fields))
    assert.equal(readLock(path)!.isLive, true)
    const beats = spawn('sh', ['-c', 'while touch "$0"; do sleep 0.05; done', path], { stdio: 'ignore' })
    assert.throws(() => takeLock(path, run), { exit: 75, message: /was last active .* ago\. Wait for it, or end it there/ })
    beats.kill()
    await once(beats, 'exit')
    for (const silentMs of [61_000, -61_000]) {
      writeFileSync(path, inContainer(fields))
      const beat = new Date(Date.now() - silentMs)
      utimesSync(path, beat, beat)
      assert.equal(readLock(path)!.isLive, false)
      takeLock(path, run).release()
    }
  })

test('a holder that nobody can see and that gives no sign of life while it is watched is dead', () => {
  const path = newPath()
  takeLock(path, run).release()
  writeFileSync(path, inContainer())
  const lock = takeLock(path, run, 200)
  assert.equal(readLock(path)!.pids, readlinkSync('/proc/self/ns/pid'))
  lock.release()
  assert.deepEqual(readdirSync(join(path, '..')), [])
})

test('a holder gives signs of life', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const path = newPath()
  const lock = takeLock(path, run)
  utimesSync(path, 1, 1)
  t.mock.timers.tick(2000)
  assert.ok(statSync(path).mtimeMs > 1000)
  lock.release()
})

test('whoever was taken for dead learns it before its next word; a lock that was only removed is put back', () => {
  const path = newPath()
  const lock = takeLock(path, run)
  lock.check()
  rmSync(path)
  lock.check()
  assert.equal(readLock(path)?.isLive, true)
  writeFileSync(path, inContainer({ host: 'container' }))
  assert.throws(() => lock.check(), { exit: 75, message: /was taken over by pid \d+ on container .*this run stops/ })
  lock.release()
  assert.equal(readLock(path)?.host, 'container')
})

test('a lock that is no longer ours is neither removed nor written', () => {
  const path = newPath()
  const lock = takeLock(path, run)
  writeFileSync(path, dead({ run: 'other' }))
  lock.update({ run: 'r2' })
  lock.release()
  assert.equal(readFileSync(path, 'utf8'), dead({ run: 'other' }))
})

test("R-LOCK-1 a command's short lock is waited for", async () => {
  const path = newPath()
  const holder = child(`const held = lock.takeLock(${JSON.stringify(path)}, { feature: '', run: '', purpose: 'command' })
    console.log('held'); process.stdin.once('data', () => { setTimeout(() => { held.release(); process.exit() }, 30) })`)
  await once(holder.stdout, 'data')
  const ended = once(holder, 'exit')
  holder.stdin.write('go\n')
  await new Promise(setImmediate)
  takeLock(path, run).release()
  assert.deepEqual(await ended, [0, null])
})

test('R-LOCK-1 of several processes that find the same dead holder, exactly one wins', async () => {
  for (let round = 0; round < 5; round++) {
    const path = newPath()
    takeLock(path, run).release()
    writeFileSync(path, dead())
    // All are up before the first may try, and the winner keeps the lock until all have tried.
    const code = `process.stdout.write('up '); process.stdin.once('data', () => {
      try { lock.takeLock(${JSON.stringify(path)}, { feature: 'login', run: 'r1', purpose: 'run' }); process.stdout.write('won') }
      catch (error) { process.stdout.write(String(error.exit)) }
      process.stdin.once('data', () => process.exit()) })`
    const children = Array.from({ length: 4 }, () => child(code))
    await Promise.all(children.map((each) => once(each.stdout, 'data')))
    const answers = children.map(async (each) => String((await once(each.stdout, 'data'))[0]))
    for (const each of children) each.stdin.write('go\n')
    const said = (await Promise.all(answers)).sort()
    const ends = children.map((each) => once(each, 'exit'))
    for (const each of children) each.stdin.write('end\n')
    await Promise.all(ends)
    assert.deepEqual(said, ['75', '75', '75', 'won'])
  }
})

test('the lock of a process that was killed is taken over', () => {
  const path = newPath()
  const program = `import * as lock from ${JSON.stringify(import.meta.resolve('./lock.ts'))}
    lock.takeLock(${JSON.stringify(path)}, { feature: 'login', run: 'r1', purpose: 'run' }); process.kill(process.pid, 'SIGKILL')`
  spawnSync(process.execPath, ['--input-type=module', '-e', program], { env: { PATH: process.env['PATH'], HOME: folder } })
  assert.equal(readLock(path)?.isLive, false)
  takeLock(path, run).release()
})

test('work under a lock gives its result, and the lock is free after, also when it throws', () => {
  const path = newPath()
  assert.equal(
    underLock(path, () => 3),
    3,
  )
  assert.throws(() => underLock(path, () => assert.fail('broken')), /broken/)
  assert.equal(readLock(path), null)
})
