/**
 * Loaded before the program (--import), beneath its file and process functions. Every file change and every started process is a *point* with
 * a name; at the ordered point it is killed, refused, torn or slowed down. Otherwise points are only recorded.
 */
import childProcess from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { basename } from 'node:path'
import { leavesLock, refusedChild, unstartedChild } from './children.ts'
import { jumpClock, stopClock } from './clock.ts'
import { type How, type Order, phaseAfter, pointNamer, programRole, roleOf } from './orders.ts'

const order: Order = JSON.parse(process.env['RALPH_FAULTS'] ?? '{}')
const places = { root: process.cwd(), home: process.env['HOME'] ?? '/', temporary: tmpdir() }
delete process.env['NODE_OPTIONS'] // agents run without the layer
delete process.env['RALPH_FAULTS']

const real = { ...fs }
const { spawn, spawnSync } = childProcess
const opened = new Map<number, string>()
const nameOf = pointNamer()
let isDone = false
let phase = 'start'
let isInside = false
let room = order.room ?? Number.POSITIVE_INFINITY

if (process.argv[1]?.endsWith('ralph.js')) {
  if (order.clock === undefined) stopClock()
  else jumpClock(order.clock)
  layFiles()
  layProcesses()
  syncBuiltinESMExports()
}

/** What to do here: almost always nothing. */
const arrive = (kind: string, role: string): How | undefined => inside(() => whatAt(kind, role))

/** Node's own functions call each other by the names that we have replaced. */
function inside<T>(deed: () => T): T {
  const before = isInside
  isInside = true
  try {
    return deed()
  } finally {
    isInside = before
  }
}

function whatAt(kind: string, role: string): How | undefined {
  const name = nameOf(
    order.command === undefined ? phase : `${order.command}, ${order.isUnordered ? 'any order' : phase}`,
    kind,
    role,
  )
  if (order.trace !== undefined) real.appendFileSync(order.trace, `${name}\n`)
  if (order.slow?.kind === kind) wait(order.slow.ms)
  if (order.at !== name || isDone) return undefined
  isDone = true
  if (order.hit !== undefined) real.writeFileSync(order.hit, '')
  if (order.how === 'kill') die()
  if (order.how === 'tree' && kind !== 'start') dieWithAll()
  return order.how
}

function layFiles(): void {
  const target = (file: unknown): string => (typeof file === 'number' ? (opened.get(file) ?? '') : String(file))
  /** Uninteresting paths: standard output, pipes, sockets. */
  const isFile = (file: unknown): boolean => !isInside && (typeof file !== 'number' || opened.has(file))

  type Writer = 'writeFileSync' | 'appendFileSync' | 'writeSync'
  const layWrite = (name: Writer): void => {
    const deed = (...args: unknown[]) => inside(() => (real[name] as (...args: unknown[]) => unknown)(...args))
    const laid = (file: unknown, data: string | Buffer, ...rest: unknown[]): unknown => {
      if (!isFile(file)) return deed(file, data, ...rest)
      const path = target(file)
      const bytes = typeof data === 'string' ? Buffer.from(data) : data
      const how = arrive('write', roleOf(path, places))
      const fits = how === 'torn' || how === 'fail' ? bytes.length >> 1 : Math.min(room, bytes.length)
      if (how !== undefined || fits < bytes.length) {
        deed(file, bytes.subarray(0, fits), ...(name === 'writeSync' ? [] : rest))
        if (how === 'torn') die()
        room -= fits
        refuse('ENOSPC', 'write', typeof file === 'number' ? undefined : path)
      }
      room -= bytes.length
      const result = deed(file, data, ...rest)
      if (path.endsWith('/events.jsonl')) phase = phaseAfter(String(data)) ?? phase
      return result
    }
    Object.assign(fs, { [name]: laid })
  }
  for (const name of ['writeFileSync', 'appendFileSync', 'writeSync'] as const) layWrite(name)

  /** `at`: which argument names what is changed. Calls that change nothing are not points. */
  const lay = (name: keyof typeof fs, code: string, at = 0, isChange: (path: string) => boolean = () => true): void => {
    const deed = (...args: unknown[]) => inside(() => (real[name] as (...args: unknown[]) => unknown)(...args))
    const kind = name.replace(/Sync$/, '')
    const laid = (...args: unknown[]): unknown => {
      if (!isFile(args[at]) || !isChange(target(args[at]))) return deed(...args)
      const path = target(args[at])
      if (arrive(kind, roleOf(path, places)) !== undefined) refuse(code, kind, typeof args[at] === 'number' ? undefined : path)
      return deed(...args)
    }
    Object.assign(fs, { [name]: laid })
  }
  const isThere = (path: string): boolean => real.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  lay('renameSync', 'EACCES', 1)
  lay('linkSync', 'EIO', 1)
  lay('symlinkSync', 'ENOSPC', 1)
  lay('copyFileSync', 'ENOSPC', 1)
  lay('cpSync', 'ENOSPC', 1)
  lay('rmSync', 'EACCES', 0, isThere)
  lay('unlinkSync', 'EACCES', 0, isThere)
  lay('rmdirSync', 'EACCES', 0, isThere)
  lay('mkdirSync', 'ENOSPC', 0, (path) => !isThere(path))
  lay('mkdtempSync', 'ENOSPC')
  lay('fsyncSync', 'EIO')
  lay('fdatasyncSync', 'EIO')
  lay('ftruncateSync', 'EIO')
  lay('chmodSync', 'EACCES')
  // The lock's signs of life depend on time, not on what a run does.
  lay('utimesSync', 'EACCES', 0, (path) => isThere(path) && !path.endsWith('.lock'))

  fs.openSync = (path, flags, ...rest) => {
    const isWriting = !isInside && isForWriting(flags)
    if (isWriting && arrive('open', roleOf(String(path), places)) !== undefined) refuse('EMFILE', 'open', String(path))
    const fd = inside(() => real.openSync(path, flags, ...rest))
    if (isWriting) opened.set(fd, String(path))
    return fd
  }
  fs.closeSync = (fd) => {
    opened.delete(fd)
    real.closeSync(fd)
  }
}

const isForWriting = (flags: fs.OpenMode | undefined): boolean =>
  typeof flags === 'number' ? (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0 : /[wa+]/.test(String(flags))

function layProcesses(): void {
  childProcess.spawn = ((command: string, args: string[], options: childProcess.SpawnOptions) => {
    const how = arrive('start', programRole(command, args))
    if (how === 'unstarted') return unstartedChild(spawn, command, options)
    if (how === 'fail')
      return basename(command) === 'git' ? refusedChild(spawn, options) : unstartedChild(spawn, command, options)
    if (how === 'torn') return leavesLock(spawn, options)
    const child = spawn(command, args, options)
    if (how === 'during') child.once('spawn', die)
    if (how === 'tree') child.once('spawn', dieWithAll)
    return child
  }) as typeof spawn
  childProcess.spawnSync = ((command: string, args: string[], options: childProcess.SpawnSyncOptions) => {
    const how = arrive('start', programRole(command, args))
    if (how === 'tree') dieWithAll()
    if (how !== undefined) return { status: null, signal: null, error: errorOf('EAGAIN', 'spawnSync', command) }
    return spawnSync(command, args, options)
  }) as typeof spawnSync
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  for (;;) wait(1000)
}

/** As when a container ends: everything that works in the project, some moment after the start of the last one. */
function dieWithAll(): never {
  wait(
    createHash('sha1')
      .update(order.at ?? '')
      .digest()
      .readUInt8() % 16,
  )
  const isOurs = (pid: string): boolean => {
    try {
      return pid !== String(process.pid) && real.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${places.home}\0`)
    } catch {
      return false // gone meanwhile, or not for us to read
    }
  }
  // Repeated until no new one has come: a process can start another before it dies.
  const all = (): string[] => real.readdirSync('/proc').filter((pid) => Number(pid) > 0 && isOurs(pid))
  for (let found = all(); found.length > 0; found = all())
    for (const pid of found) {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // gone meanwhile
      }
    }
  die()
}

function refuse(code: string, syscall: string, path: string | undefined): never {
  throw errorOf(code, syscall, path)
}

const words: Record<string, string> = {
  ENOSPC: 'no space left on device',
  EIO: 'i/o error',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
  EAGAIN: 'resource temporarily unavailable',
}

/** The system does not give the path of an open file. */
function errorOf(code: string, syscall: string, path: string | undefined): Error {
  const error = Object.assign(new Error(`${code}: ${words[code]}, ${syscall}${path === undefined ? '' : ` '${path}'`}`), {
    code,
    syscall,
  })
  return path === undefined ? error : Object.assign(error, { path })
}

function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
