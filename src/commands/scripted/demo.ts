/** `ralph demo`: a small real project with real tests, a plan of five stories, and a scripted agent that makes mistakes like real ones. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shippedPath } from '../../adapters/project/templates.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'

const intro = `Ralph works through a plan of five stories with a scripted agent that behaves
like real ones do: it does one story well, claims one that is not done, writes a
test too weak for any gate to see, and leaves work uncommitted.
Watch what counts as done.
`

export async function runDemo(args: { keep?: boolean }, io: Io): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-demo-'))
  cpSync(shippedPath('demo'), folder, { recursive: true })
  const env = { ...io.env, RALPH_HOME: join(folder, '.home'), RALPH_AGENT: undefined }
  writeFileSync(join(folder, '.gitignore'), '.home/\n')
  git(folder, ['init', '-q', '-b', 'main'])
  git(folder, ['config', 'user.name', 'Ralph demo'])
  git(folder, ['config', 'user.email', 'demo@localhost'])
  git(folder, ['add', '-A'])
  git(folder, ['commit', '-q', '-m', 'A small project, and a plan for it'])
  io.out(`${intro}\nThe project: ${folder}\n\n`)
  const { runRun } = await import('../run.ts')
  const exit = await runRun({ feature: 'roman', archive: false }, { ...io, cwd: folder, env })
  io.out(`\nThe commits:\n${git(folder, ['log', '--format=  %h %s', '--reverse'])}\n`)
  if (args.keep === false) rmSync(folder, { recursive: true, force: true })
  else io.out(lookAround(folder))
  io.out(yourOwn)
  return exit
}

const lookAround = (folder: string): string => `
Look around:
  cd ${folder}
  cat .ralph/roman/progress.txt            what each iteration did
  cat .ralph/roman/logs/iteration-002.log  what the agent printed, why the gate said no
  ralph why                                why the run ended, in plain words
`

const yourOwn = `
The same with your own agent, in your own project:
  ralph init <feature>                     makes .ralph/<feature>/
  ralph plan "<idea>"                      asks what it must know, and writes the plan
  ralph run                                uses Claude Code, or what .ralph/config.yaml says
`

function git(cwd: string, args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd, encoding: 'utf8' })
  if (error) throw new Failure(EXIT.missing, 'git not found, and the demo needs it. Fix: apt-get install git')
  if (status !== 0) throw new Failure(EXIT.data, `git ${args.join(' ')} failed in ${cwd}: ${stderr}`)
  return stdout.trimEnd()
}
