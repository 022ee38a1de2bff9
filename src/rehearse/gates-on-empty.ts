/** The cheapest question about gates: do they fail when every source file is empty? One run of them in a checkout, without an agent. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { linkInto } from '../adapters/files/link-into.ts'
import type { Git } from '../adapters/git/git.ts'
import { masker } from '../adapters/mask/mask.ts'
import { runGate } from '../adapters/process/gate.ts'
import { isDependency } from '../core/proof/hidden-files.ts'
import type { Gate } from '../core/types.ts'
import { projectFiles } from './project-files.ts'

export type OnEmpty = 'fail' | 'pass' | 'unknown'

/** 'unknown': there is nothing to empty, or it took too long. */
export async function gatesOnEmpty(
  { root, git, env }: { root: string; git: Git; env: Record<string, string | undefined> },
  gates: Gate[],
  timeoutMs: number,
): Promise<OnEmpty> {
  const [head, { sources }] = [await git.head(), await projectFiles(root, git)]
  if (head === null || sources.length === 0) return 'unknown'
  const base = mkdtempSync(join(tmpdir(), 'ralph-doctor-'))
  try {
    const top = join(base, 'project')
    if ('error' in (await git.checkOut(top, '', head))) return 'unknown'
    const { ignored } = await git.snapshotWithIgnored()
    linkInto(git.top, top, ignored.filter(isDependency))
    const cwd = join(top, relative(git.top, root))
    for (const { path } of sources) writeFileSync(join(cwd, path), '')
    mkdirSync(join(base, 'logs'))
    for (const gate of gates) {
      const { passed, ended } = await runGate(gate, {
        cwd,
        env,
        tag: `doctor:${process.pid}`,
        timeoutMs,
        graceMs: 500,
        keep: [],
        logPath: join(base, 'logs', 'gate.log'),
        mask: masker(env),
        sandbox: null,
        stop: new AbortController().signal,
      })
      if (!passed) return ended === 'exited' ? 'fail' : 'unknown'
    }
    return 'pass'
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5 })
  }
}
