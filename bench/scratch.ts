/** A copy of the built program, and small repositories to work in: nothing can change under the measurement. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readIfThere } from '../src/adapters/files/files.ts'

export type Scratch = {
  folder: string
  /** bin/ralph.js of the copy. */
  program: string
  /** A program that does nothing: the cost of Node itself. */
  empty: string
  env: Record<string, string>
  remove(): void
}
export type Project = { root: string; dir: string; agent: string /** where the agent notes its start and end */; times: string }
export type Behaviour = 'commits' | 'commits and flips' | 'prints'

export function openScratch(parent = tmpdir()): Scratch {
  const clone = join(dirname(fileURLToPath(import.meta.url)), '..')
  const folder = mkdtempSync(join(parent, 'ralph-bench-'))
  const copy = join(folder, 'program')
  for (const name of ['bin', 'dist', 'templates', 'schema', 'package.json'])
    cpSync(join(clone, name), join(copy, name), { recursive: true })
  symlinkSync(join(clone, 'node_modules'), join(copy, 'node_modules'))
  const home = join(folder, 'home')
  mkdirSync(home)
  const empty = join(folder, 'empty.js')
  writeFileSync(empty, '')
  // Without this machine's environment: neither settings nor keys.
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    GIT_CONFIG_NOSYSTEM: '1',
  }
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  return { folder, program: join(copy, 'bin', 'ralph.js'), empty, env, remove }
}

/** A repository of 200 files with a plan of this many stories, and an agent that really works in it. */
export function makeProject(scratch: Scratch, stories: number, behaviour: Behaviour, printed = 0): Project {
  const root = mkdtempSync(join(scratch.folder, 'project-'))
  const project = {
    root,
    dir: join(root, '.ralph', 'bench'),
    agent: join(root, 'agent.sh'),
    times: join(scratch.folder, `times-${root.split('-').at(-1)}`),
  }
  const must = (command: string, ...args: string[]): void => {
    const { status, stderr } = spawnSync(command, args, { cwd: root, env: scratch.env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`)
  }
  mkdirSync(join(root, 'src'))
  for (let n = 0; n < 200; n++) writeFileSync(join(root, 'src', `file-${n}.txt`), `The ${n}th file.\n`.repeat(50))
  writeFileSync(project.agent, agentScript(project, behaviour, printed))
  chmodSync(project.agent, 0o755)
  must('git', 'init', '-q', '-b', 'main')
  must('git', 'config', 'user.name', 'Bench')
  must('git', 'config', 'user.email', 'bench@localhost')
  must(process.execPath, scratch.program, 'init', 'bench')
  writeFileSync(join(root, '.ralph', 'config.yaml'), settings)
  writeFileSync(join(project.dir, 'prd.json'), planText(stories))
  must('git', 'add', '-A')
  must('git', 'commit', '-q', '-m', 'start')
  return project
}

const settings = `agent: {name: fake, command: [./agent.sh], format: text}
defaults: {rate_limit_per_hour: 0}
`

function planText(count: number): string {
  const userStories = Array.from({ length: count }, (_, index) => ({
    id: `S-${index + 1}`,
    title: `The ${index + 1}th story`,
    description: 'Something that is worth doing.',
    acceptanceCriteria: ['It works', 'It is tested'],
    priority: index + 1,
    passes: false,
    notes: '',
  }))
  const plan = { feature: 'bench', branchName: '', description: 'A feature', createdAt: '2026-01-09T12:00:00Z', userStories }
  return `${JSON.stringify(plan, null, 2)}\n`
}

/** When the agent started and ended, in milliseconds since `performance.timeOrigin`. */
export function noted({ times }: Project): number[] {
  const stamps = (readIfThere(times) ?? '').split('\n').filter((line) => line !== '')
  return stamps.map((stamp) => Number(BigInt(stamp.split(' ')[1]!) / 1000n) / 1000)
}

/**
 * The agent for all sides. RALPH_STORY names its story; without it, the next one in each prd.json of the project. It answers in the requested
 * form, and says that everything is done when no story is open.
 */
export function agentScript(
  { times, dir, root }: Pick<Project, 'times' | 'dir' | 'root'>,
  behaviour: Behaviour,
  printed: number,
): string {
  const work = [
    `n=$(wc -l < '${times}')`,
    'echo "change $n" >> src/file-$((n % 200)).txt',
    'git add src',
    'git commit -q -m "feat: change $n"',
  ]
  const plan = join(dir, 'prd.json')
  const flip = [
    `for plan in '${plan}' prd.json */prd.json */*/prd.json; do`,
    '  [ -f "$plan" ] || continue',
    '  if [ -n "$RALPH_STORY" ]; then sed -i "/\\"id\\": \\"$RALPH_STORY\\"/,/\\"passes\\"/ s/\\"passes\\": false/\\"passes\\": true/" "$plan"',
    '  else sed -i \'0,/"passes": false/ s/"passes": false/"passes": true/\' "$plan"; fi',
    'done',
    `grep -q '"passes": false' '${plan}' || words='It is there. <promise>COMPLETE</promise>'`,
  ]
  const print = [`yes 'A line as an agent prints it, of some eighty characters, again and again and again.' | head -c ${printed}`]
  return [
    '#!/bin/sh',
    'case " $* " in *" --version "*) echo "1.0.0"; exit 0 ;; esac',
    `cd '${root}'`,
    `date +'start %s%N' >> '${times}'`,
    'cat > /dev/null',
    "words='It is there.'",
    ...work,
    ...(behaviour === 'commits and flips' ? flip : behaviour === 'prints' ? print : []),
    'case " $* " in',
    `  *json*) echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","total_cost_usd":0.01,"result":"'"$words"'"}' ;;`,
    '  *) echo "$words" ;;',
    'esac',
    `date +'end %s%N' >> '${times}'`,
    '',
  ].join('\n')
}
