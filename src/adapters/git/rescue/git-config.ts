/** Restores a configuration file of git, setting by setting: those that do not matter stay as they are now. */
import { rmSync } from 'node:fs'
import { replaceFile } from '../../files/files.ts'
import { readPlain, stateOf } from '../../files/kept-file.ts'
import type { RunGit } from '../run.ts'

/** `content`: what was found in place of the original, for a copy; null: nothing. `was`: what happened to it. */
export type Undone = { what: 'hooks' | 'git-config' | 'git-files'; name: string; was: string; content: string | Buffer | null }
export type Restore = () => Promise<Undone[]>

/** `mayChange`: by key. */
export function keptConfig(path: string, name: string, mayChange: (key: string) => boolean, run: RunGit): Restore {
  let state = stateOf(path)
  let text = readPlain(path)
  return async () => {
    if (stateOf(path) === state) return []
    const theirs = readPlain(path)
    const changed = theirs === text ? [] : await keysChanged(run, text, theirs, mayChange)
    if (changed === null || (changed.length > 0 && !(await putBack(run, path, changed)))) {
      rmSync(path, { recursive: true, force: true })
      if (text !== null) replaceFile(path, text)
    }
    state = stateOf(path)
    text = readPlain(path)
    if (changed?.length === 0) return []
    const was =
      theirs === null ? 'removed' : changed === null ? 'changed' : `changed (${changed.map(({ key }) => key).join(', ')})`
    return [{ what: 'git-config', name, was, content: theirs }]
  }
}

type Changed = { key: string; values: string[] }

/** Each key with its former values; null: the file cannot be read now, or does not exist. */
async function keysChanged(
  run: RunGit,
  ours: string | null,
  theirs: string | null,
  mayChange: (key: string) => boolean,
): Promise<Changed[] | null> {
  if (theirs === null) return null
  const [before, after] = await Promise.all([valuesIn(run, ours ?? ''), valuesIn(run, theirs)])
  if (before === null || after === null) return null
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((key) => !mayChange(key) && before.get(key)?.join('\0') !== after.get(key)?.join('\0'))
    .map((key) => ({ key, values: before.get(key) ?? [] }))
}

async function valuesIn(run: RunGit, text: string): Promise<Map<string, string[]> | null> {
  const { code, out } = await run(['config', '--file', '-', '--no-includes', '--list', '-z'], { input: text })
  if (code !== 0) return null
  const values = new Map<string, string[]>()
  for (const entry of out.toString().split('\0').slice(0, -1)) {
    const [key = '', ...value] = entry.split('\n')
    // A key without "=" is not the same as one with an empty value.
    values.set(key, [...(values.get(key) ?? []), value.length === 0 ? '\x01' : value.join('\n')])
  }
  return values
}

async function putBack(run: RunGit, path: string, changed: Changed[]): Promise<boolean> {
  for (const { key, values } of changed) {
    await run(['config', '--file', path, '--unset-all', key], { kind: 'write' }) // 5: it did not exist
    for (const value of values) {
      if (value === '\x01') return false // git cannot write this one: restore the whole file
      const { code } = await run(['config', '--file', path, '--add', key, value], { kind: 'write' })
      if (code !== 0) return false
    }
  }
  return true
}
