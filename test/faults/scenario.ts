/** The sequence that every walk disturbs: a failing gate, a rejected claim, a story that fails onto its branch, a question, its answer, a resume. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ended, makeProject, type TestProject } from '../support/project.ts'
import type { Order } from './orders.ts'

const layer = join(dirname(fileURLToPath(import.meta.url)), 'layer.ts')

/**
 * S-1 fails at its only attempt and claims that everything is done; S-2 asks, and passes once it has its answer. Git touches a pack where it would write an
 * object that is in it, and whether it would depends on the second in which a file was written: so the agent always touches it.
 */
const agent = `
prompt=$(cat)
touch .git/objects/pack/*.pack
say() { printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"s","total_cost_usd":0.01}\\n' "$1"; }
flip() { sed -i "/\\"title\\": \\"Story $RALPH_STORY\\"/,/\\"passes\\"/s/\\"passes\\": false/\\"passes\\": true/" "$RALPH_PLAN"; }
case "$RALPH_STORY" in
S-1)
  echo x > S-1.bad
  git add S-1.bad && git commit -q -m 'feat: half of S-1' -- S-1.bad
  echo uncommitted > more.txt
  echo spoiled > b.txt
  flip
  say 'Done. <promise>COMPLETE</promise>' ;;
S-2)
  case "$prompt" in
  *'red, please'*) echo red > colour.txt; flip; say 'It is red.' ;;
  *) say '<promise>DECIDE:red or blue?</promise>' ;;
  esac ;;
esac
`

export function makeScenario(): TestProject {
  const project = makeProject({
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    files: { 'a.txt': 'old\n', 'b.txt': 'old\n', '.gitignore': '*.env\n', '.ralph/agent.sh': agent },
    config: {
      agent: { name: 'shell', command: ['sh', '.ralph/agent.sh'], format: 'stream-json' },
      gates: { tests: 'for f in *.bad; do test ! -f "$f" || { echo "Error: $f is bad"; exit 1; }; done' },
      defaults: { max_attempts: 1 },
    },
  })
  // As after a clone: existing objects are packed, new ones are loose.
  project.git('repack', '-a', '-d', '-q')
  project.git('pack-refs', '--all')
  // Which of them an object needs is random: its id contains the time.
  for (let first = 0; first < 256; first++)
    mkdirSync(join(project.root, '.git', 'objects', first.toString(16).padStart(2, '0')), { recursive: true })
  project.write('a.txt', 'staged\n')
  project.git('add', 'a.txt')
  for (const name of ['b.txt', 'notes.txt', 'key.env']) project.write(name, 'mine\n')
  return project
}

/** The program with the fault layer. */
export async function under(project: TestProject, order: Order, ...args: string[]): Promise<Ended> {
  Object.assign(project.env, { NODE_OPTIONS: `--import=${layer}`, RALPH_FAULTS: JSON.stringify(order) })
  const { ended } = project.start(...args)
  delete project.env['NODE_OPTIONS']
  delete project.env['RALPH_FAULTS']
  return ended
}
