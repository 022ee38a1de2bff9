/** Real pipes. Node gives its children sockets, which cannot be opened by name, and which some programs take for no input. */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropFile } from '../files/files.ts'

/** For a child's output: `echo no > /dev/stderr`, common in scripts, would fail with a socket. Undefined without mkfifo. */
export function outputPipe(): { write: number; read: () => Socket } | undefined {
  return withPipe((path) => {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    return { write: openSync(path, 'w'), read: () => new Socket({ fd, readable: true, writable: false }) }
  })
}

/** For a child's input. `read` must be closed here once the child has it. Undefined without mkfifo. */
export function inputPipe(): { read: number; write: Socket } | undefined {
  return withPipe((path) => {
    const opener = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // without a reader, opening to write would wait
    const write = openSync(path, 'w')
    const read = openSync(path, 'r')
    closeSync(opener)
    return { read, write: new Socket({ fd: write, readable: false, writable: true }) }
  })
}

function withPipe<T>(made: (path: string) => T): T | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-pipe-'))
  try {
    const path = join(folder, 'pipe')
    return spawnSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' }).status === 0 ? made(path) : undefined
  } finally {
    dropFile(folder)
  }
}
