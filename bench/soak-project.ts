/** The project of a soak: hundreds of stories, and an agent that in turn commits, leaves files, claims too much, fails and is rejected. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scratch } from './scratch.ts'

export type SoakProject = { root: string; dir: string /** where the agent notes its start and end */; times: string }

/** A story passes after this many iterations. */
export const perStory = 100

export function makeSoakProject(scratch: Scratch, iterations: number, keptLogs: number): SoakProject {
  const root = mkdtempSync(join(scratch.folder, 'soak-'))
  const dir = join(root, '.ralph', 'soak')
  const times = join(scratch.folder, `times-${root.split('-').at(-1)}`)
  const must = (command: string, ...args: string[]): void => {
    const { status, stderr } = spawnSync(command, args, { cwd: root, env: scratch.env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`)
  }
  mkdirSync(join(root, 'src'))
  for (let n = 0; n < 200; n++) writeFileSync(join(root, 'src', `file-${n}.txt`), `The ${n}th file.\n`.repeat(20))
  writeFileSync(join(root, 'agent.sh'), agentScript(times, dir))
  chmodSync(join(root, 'agent.sh'), 0o755)
  must('git', 'init', '-q', '-b', 'main')
  must('git', 'config', 'user.name', 'Soak')
  must('git', 'config', 'user.email', 'soak@localhost')
  must(process.execPath, scratch.program, 'init', 'soak')
  writeFileSync(join(root, '.ralph', 'config.yaml'), settings(keptLogs))
  writeFileSync(join(dir, 'prd.json'), planText(Math.ceil(iterations / perStory)))
  must('git', 'add', '-A')
  must('git', 'commit', '-q', '-m', 'start')
  return { root, dir, times }
}

const settings = (keptLogs: number): string => `agent: {name: soaked, command: [./agent.sh], format: stream-json}
defaults: {rate_limit_per_hour: 0, max_attempts: 1000000}
gates: {tests: "! cat src/bad.txt 2> /dev/null"}
review: {enabled: false}
learn: {enabled: false}
logs: {keep: ${keptLogs}}
`

function planText(count: number): string {
  const userStories = Array.from({ length: count }, (_, index) => ({
    id: `S-${index + 1}`,
    title: `The ${index + 1}th story`,
    description: 'Something that is worth doing.',
    acceptanceCriteria: ['It works'],
    priority: index + 1,
    passes: false,
    notes: '',
  }))
  const plan = { feature: 'soak', branchName: '', description: 'A feature', createdAt: '2026-01-09T12:00:00Z', userStories }
  return `${JSON.stringify(plan, null, 2)}\n`
}

/** By the last digit of the iteration: none of it grows, so growth is Ralph's. */
const agentScript = (times: string, dir: string): string => `#!/bin/bash
echo "start $EPOCHREALTIME" >> '${times}'
cat > /dev/null
n=$RALPH_ITERATION
words="Change $n is there."
code=0
change() { echo "change $n" > src/file-$((n % 200)).txt; git add -A src; git commit -q -m "feat: change $n"; }
flip() { sed -i "/\\"id\\": \\"$RALPH_STORY\\"/,/\\"passes\\"/ s/\\"passes\\": false/\\"passes\\": true/" '${join(dir, 'prd.json')}'; }
case $((n % 10)) in
  3) echo "$n" > src/left.txt ;;                                              # left uncommitted
  5) echo "no part $(echo $n | tr 0-9 a-j)" > src/bad.txt; change; flip; words="Done." ;; # refused by the gate, each time for another reason
  6) git rm -q --cached src/bad.txt; rm src/bad.txt; change ;;
  7) change; words="All done. <promise>COMPLETE</promise>" ;;                 # claims too much
  8) change; words="API Error: the thing number $n is not there"; code=1 ;;   # fails
  *) change ;;
esac
[ $((n % ${perStory})) -eq 0 ] && flip
for i in 1 2 3 4 5 6 7 8; do echo '{"type":"assistant","message":{"id":"m'$i'","content":[{"type":"text","text":"A step of the work, in some words."}],"usage":{"input_tokens":900,"output_tokens":40}}}'; done
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s'$n'","result":"'"$words"'","total_cost_usd":0.01,"usage":{"input_tokens":9000,"output_tokens":400}}'
echo "end $EPOCHREALTIME" >> '${times}'
exit $code
`
