/** A real ext4 file system in a file. A power cut is a copy of that file: what the kernel had not written yet is missing in it, as after a real one. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tried } from '../../src/core/failure.ts'

export type Disk = {
  /** Where the disk is mounted, also after a cut. */
  folder: string
  /** Everything is on the disk now. */
  settle(): void
  /** Stops the processes that work on the disk, copies what has reached it, and lets them continue. `meanwhile` sees what they had said until then. */
  cut<T>(name: string, meanwhile: () => T): T
  /** The disk after that cut. Nothing may use the present one. */
  plugIn(name: string): void
  remove(): void
}

/** null: this machine cannot mount file systems (no root, or no loop devices). */
export function makeDisk(megabytes: number): Disk | null {
  const place = mkdtempSync(join(tmpdir(), 'ralph-power-'))
  const folder = join(place, 'disk')
  const image = (name: string): string => join(place, `${name}.img`)
  mkdirSync(folder)
  must('truncate', '-s', `${megabytes}M`, image('live'))
  must('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image('live'))
  if (!mounted(image('live'), folder)) {
    rmSync(place, { recursive: true })
    return null
  }
  return {
    folder,
    settle: () => must('sync', '-f', folder),
    cut: (name, meanwhile) => {
      const stopped = stopAll(folder)
      try {
        must('cp', '--sparse=always', image('live'), image(name))
        return meanwhile()
      } finally {
        for (const pid of stopped) tried(() => process.kill(pid, 'SIGCONT'), false)
      }
    },
    plugIn: (name) => {
      must('umount', folder)
      if (!mounted(image(name), folder)) throw new Error(`${image(name)} cannot be mounted`)
      rmSync(image(name)) // it stays until it is unmounted
    },
    remove: () => {
      must('umount', folder)
      rmSync(place, { recursive: true })
    },
  }
}

/**
 * The journal is committed when somebody flushes, and otherwise not for long: the shortest time between two of these is when most is on the disk that
 * refers to what is not there yet.
 */
const mounted = (image: string, folder: string): boolean =>
  spawnSync('mount', ['-o', 'loop,commit=300', image, folder]).status === 0

function must(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
}

/** Repeated until no new one has come: a process can start another before it is stopped itself. */
function stopAll(folder: string): number[] {
  const stopped = new Set<number>()
  for (let found = workingIn(folder, stopped); found.length > 0; found = workingIn(folder, stopped))
    for (const pid of found) {
      stopped.add(pid)
      tried(() => process.kill(pid, 'SIGSTOP'), false)
    }
  return [...stopped]
}

const workingIn = (folder: string, known: Set<number>): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && !known.has(pid) && tried(() => readlinkSync(`/proc/${pid}/cwd`), '').startsWith(folder))
