/** Bundles a hundred old logs into one file, a plain tar of the compressed logs, so that a long history is not a folder of thousands. */
import { closeSync, fsyncSync, lstatSync, readdirSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { ifThere, openTemporary, temporaryName } from '../files/files.ts'
import { openRegular, readRegular } from '../files/open.ts'
import { padded } from '../project/layout.ts'

/** Where in a file one log lies. */
export type BundledFile = { name: string; at: number; size: number }

export const isBundle = (name: string): boolean => /^iterations-\d+-\d+\.tar$/.test(name)

/** Puts each full hundred of compressed logs into its bundle. After a kill it is repeated; nothing is lost. */
export async function bundleLogs(logs: string): Promise<void> {
  const compressed = readdirSync(logs).flatMap((name) => {
    const number = /^iteration-(\d+)\.log\.gz$/.exec(name)?.[1]
    return number === undefined ? [] : [{ name, hundred: Math.floor((Number(number) - 1) / perBundle) }]
  })
  if (compressed.length <= perBundle) return
  const byHundred = Map.groupBy(compressed, ({ hundred }) => hundred)
  const newest = Math.max(...byHundred.keys())
  for (const [hundred, members] of byHundred) {
    // The newest hundred is not complete yet; 0 belongs to none.
    if (hundred < 0 || hundred === newest) continue
    const names = members.map(({ name }) => name).filter((name) => isSmallFile(join(logs, name)))
    if (names.length > 0) await writeBundle(logs, hundred * perBundle + 1, names.sort())
  }
}

/** The members of a bundle, without reading them; none if it does not exist. */
export function membersOf(path: string): BundledFile[] {
  const members: BundledFile[] = []
  const fd = ifThere(() => openRegular(path))
  if (fd === null) return members
  try {
    const header = Buffer.alloc(block)
    for (let at = 0; readSync(fd, header, 0, block, at) === block && header[0] !== 0; ) {
      const name = header.toString('latin1', 0, header.indexOf(0))
      const size = Number.parseInt(header.toString('latin1', 124, 135), 8)
      if (!Number.isFinite(size)) break
      members.push({ name, at: at + block, size })
      at += block + inBlocks(size)
    }
    return members
  } finally {
    closeSync(fd)
  }
}

const perBundle = 100
/** A larger one stays separate: it is copied in one piece, and an agent may print without end. */
const mostBytes = 256 * 1024
const isSmallFile = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.size <= mostBytes
}
const block = 512
const inBlocks = (size: number): number => Math.ceil(size / block) * block

/** What is already in the bundle stays, unless the same log exists next to it. */
async function writeBundle(logs: string, first: number, names: string[]): Promise<void> {
  const path = join(logs, `iterations-${padded(first)}-${padded(first + perBundle - 1)}.tar`)
  const kept = membersOf(path).filter(({ name }) => !names.includes(name))
  const temporary = temporaryName(path)
  try {
    const fd = openTemporary(temporary, 0o600)
    try {
      const put = async (name: string, bytes: Buffer, mtimeMs: number): Promise<void> => {
        writeFileSync(fd, Buffer.concat([headerOf(name, bytes.length, mtimeMs), bytes], block + inBlocks(bytes.length)))
        await setImmediate() // the run continues meanwhile
      }
      const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0 }
      for (const { name, at, size } of kept) await put(name, piece(path, at, size), mtimeMs)
      for (const name of names) await put(name, readRegular(join(logs, name)), statSync(join(logs, name)).mtimeMs)
      writeFileSync(fd, Buffer.alloc(2 * block))
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  for (const name of names) rmSync(join(logs, name), { force: true })
}

function piece(path: string, at: number, size: number): Buffer {
  const fd = openRegular(path)
  try {
    const bytes = Buffer.alloc(size)
    readSync(fd, bytes, 0, size, at)
    return bytes
  } finally {
    closeSync(fd)
  }
}

/** As `tar` reads it (ustar). */
function headerOf(name: string, size: number, mtimeMs: number): Buffer {
  const header = Buffer.alloc(block)
  const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0')
  header.write(name, 0)
  header.write(octal(0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(Math.floor(mtimeMs / 1000), 12), 136)
  header.write('        ', 148) // the sum is made as if its own place were blank
  header.write('0ustar', 156)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 7)}\0 `, 148)
  return header
}
