/**
 * Loaded before the program (--import): it dies by SIGKILL at a given step. `event 7`: the log has its first seven lines, and nothing that
 * follows from them has been done. `deed 12`: the twelfth change to a file, lock or process is done. `story.failed 3`: the third of those
 * after such an event is in the log.
 */
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const isProgram = process.argv[1]?.endsWith('ralph.js') === true
const [unit, count] = (process.env['DIES_AT'] ?? '').split(' ')
delete process.env['NODE_OPTIONS'] // the agent survives
delete process.env['DIES_AT']
if (isProgram && unit === 'event') dieAtEvent(Number(count))
if (isProgram && unit === 'deed') dieAtDeed(Number(count))
if (isProgram && unit?.includes('.')) dieAfter(unit, Number(count))

const die = (): void => void process.kill(process.pid, 'SIGKILL')

/** Lines of one append share a write: it is cut after the given line, which is then complete and flushed. */
function dieAtEvent(last: number): void {
  const { writeFileSync, fdatasyncSync } = fs
  fs.writeFileSync = (file, data, options) => {
    if (typeof file !== 'number' || !isLog(file)) return writeFileSync(file, data, options)
    const before = fs.readFileSync(`/proc/self/fd/${file}`, 'utf8').split('\n').length - 1
    const lines = String(data).split('\n').slice(0, -1)
    const kept = lines.slice(0, Math.max(0, last - before))
    writeFileSync(file, kept.map((line) => `${line}\n`).join(''))
    if (before + kept.length < last) return
    fdatasyncSync(file)
    die()
  }
  syncBuiltinESMExports()
}

const isLog = (fd: number): boolean => fs.readlinkSync(`/proc/self/fd/${fd}`).endsWith('/events.jsonl')

function dieAfter(kind: string, last: number): void {
  const { writeFileSync } = fs
  fs.writeFileSync = (file, data, options) => {
    writeFileSync(file, data, options)
    if (typeof file !== 'number' || !isLog(file) || !String(data).includes(`"kind":"${kind}"`)) return
    fs.writeFileSync = writeFileSync
    dieAtDeed(last + 1) // the first is the flush of this line
  }
  syncBuiltinESMExports()
}

function dieAtDeed(last: number): void {
  let done = 0
  const counted = <T extends (...args: never[]) => unknown>(deed: T): T =>
    ((...args) => {
      const result = deed(...args)
      if (++done === last) die()
      return result
    }) as T
  fs.renameSync = counted(fs.renameSync)
  fs.fsyncSync = counted(fs.fsyncSync)
  fs.fdatasyncSync = counted(fs.fdatasyncSync)
  fs.rmSync = counted(fs.rmSync)
  childProcess.spawn = counted(childProcess.spawn)
  syncBuiltinESMExports()
}
