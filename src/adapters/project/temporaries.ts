/** Removes temporary files that a kill left next to the files they were to replace. */

import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { isAlive } from '../process/survivors.ts'

/** Created in the git directory for one commit, by the holder of the worktree's lock: now that is us. */
const ofOurGit = /^ralph-(index|rescue-index)(\.lock)?$|^ralph-rescue\.patch$/

/** In these folders, not below them, and beside these files of the user. One that cannot be removed does no harm. */
export function sweepTemporaries(folders: string[], besides: string[] = []): void {
  for (const folder of folders) {
    for (const name of namesIn(folder)) if (isLeft(name) || ofOurGit.test(name)) remove(join(folder, name))
  }
  for (const path of besides) {
    const ours = namesIn(dirname(path)).filter((name) => name.startsWith(`.${basename(path)}.tmp-`) && isLeft(name))
    for (const name of ours) remove(join(dirname(path), name))
  }
}

function isLeft(name: string): boolean {
  const [, pid] = /^\..+\.tmp-(\d+)-\d+$/.exec(name) ?? []
  return pid !== undefined && !isAlive(Number(pid))
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {}
}

/** Files of the user that lessons are written into. */
export function learnedFiles(root: string): string[] {
  const skills = join(root, '.claude', 'skills')
  const learned = namesIn(skills).filter((name) => name.endsWith('-learned'))
  return [...['AGENTS.md', 'CLAUDE.md'].map((name) => join(root, name)), ...learned.map((name) => join(skills, name, 'SKILL.md'))]
}

/** None: it is not made yet. */
const namesIn = (folder: string): string[] => tried(() => readdirSync(folder), [])
