/** Detects that the repository disappeared during a run: never uses an outer repository instead, and stops with a message. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Failure } from '../../../core/failure.ts'
import type { Objects } from '../objects/read.ts'
import type { RunGit } from '../run.ts'

/** Without this file git looks in parent folders, and would commit there. */
const isThere = (dir: string): boolean => existsSync(join(dir, 'HEAD'))

const lostWords = (top: string, dir: string): string =>
  isThere(dir)
    ? `Since this run began, git treats ${dir} as a bare repository. Fix: git config core.bare false, then run again.`
    : `The git repository of ${top} is gone: ${dir} no longer exists. Ralph stops, because it cannot undo work without it. Restore it from a backup, or put the .git of a fresh clone there, then run again.`

export const whileThere =
  (run: RunGit, top: string, dir: string): RunGit =>
  async (args, how) => {
    if (!isThere(dir)) throw new Failure(EXIT.data, lostWords(top, dir))
    const said = await run(args, how)
    if (said.code !== 0 && /not a git repository|must be run in a work tree/.test(said.words))
      throw new Failure(EXIT.data, lostWords(top, dir))
    return said
  }

export const readWhileThere = (objects: Objects, top: string, dir: string): Objects => ({
  ...objects,
  read: (name) =>
    objects.read(name).catch((error: unknown) => {
      throw isThere(dir) ? error : new Failure(EXIT.data, lostWords(top, dir))
    }),
})
