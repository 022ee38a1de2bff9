/** The agent of a case: a shell script for each of its turns, which starts faster than anything else. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Act, Case, Step } from './case.ts'

/** What the agent does in one iteration. */
export type Turn = { story: string; act: Act; flips: boolean; isUncommitted: boolean }

const tidies: Act = { run: "printf '\\nRounded to cents.\\n' >> README.md" }

export function turnsOf(played: Case, step: Step, work: Act): Turn[] {
  const { plants = {}, isUncommitted = false } = played
  const whole = joined(plants, work)
  const turn = (story: string, act: Act, flips = true): Turn => ({ story, act, flips, isUncommitted })
  switch (step) {
    case 'flip':
    case 'parallel':
      return [turn('S-1', whole)]
    case 'earlier':
      return [turn('S-1', whole, false), turn('S-1', tidies)]
    case 'killed':
      return [turn('S-1', joined(plants, { run: kills }), false), turn('S-1', work)]
    case 'dependency':
      return [turn('S-1', joined(plants, tidies)), turn('S-2', work)]
  }
}

/** What it started is ended with Ralph, so its commits come first. */
const kills = `git add -A; git diff --cached --quiet || git commit -q -m 'chore: start'; rm -rf "$CASE/left"; cp -a . "$CASE/left"; touch "$CASE/done-1"; kill -9 "$RALPH_PID"; sleep 5`

const joined = (first: Act, second: Act): Act => ({
  remove: [...(first.remove ?? []), ...(second.remove ?? [])],
  write: { ...first.write, ...second.write },
  run: [first.run, second.run].filter((commands) => commands !== undefined).join('\n'),
})

/**
 * Writes the agent to a folder outside the project; returns its program. It leaves `done-<n>` after turn n, and a copy of its work in `left`.
 * A turn that is not expected does nothing.
 */
export function writeAgent(folder: string, turns: Turn[]): string {
  for (const [index, turn] of turns.entries()) {
    const files = join(folder, `files-${index + 1}`)
    for (const [path, text] of Object.entries(turn.act.write ?? {})) {
      mkdirSync(dirname(join(files, path)), { recursive: true })
      writeFileSync(join(files, path), text)
    }
    writeFileSync(join(folder, `turn-${index + 1}.sh`), scriptOf(turn, folder, index + 1))
    writeFileSync(join(folder, `said-${index + 1}`), said(turn))
  }
  const program = join(folder, 'agent.sh')
  writeFileSync(
    program,
    `cat > /dev/null
export RALPH_PID=$PPID
[ ! -e '${folder}/turn-'"$RALPH_ITERATION.sh" ] || sh -e '${folder}/turn-'"$RALPH_ITERATION.sh" > '${folder}/printed-'"$RALPH_ITERATION" 2>&1 || echo failed > '${folder}/failed-'"$RALPH_ITERATION"
cat '${folder}/said-'"$RALPH_ITERATION" 2> /dev/null || echo '${result('Nothing to do.')}'
`,
  )
  return program
}

function scriptOf({ story, act, flips, isUncommitted }: Turn, folder: string, number: number): string {
  const { remove = [], write = {}, run = '' } = act
  return [
    `[ "$RALPH_STORY" = ${story} ] || exit 0`,
    `export CASE='${folder}'`,
    ...(remove.length === 0 ? [] : [`rm -r ${remove.join(' ')}`]),
    ...(Object.keys(write).length === 0 ? [] : [`cp -R '${folder}/files-${number}/.' .`]),
    run,
    ...(isUncommitted ? [] : ["git add -A; git diff --cached --quiet || git commit -q -m 'feat: vouchers'"]),
    ...(flips ? [`sed -i '/"id": "${story}"/,/"passes"/ s/"passes": false/"passes": true/' "$RALPH_PLAN"`] : []),
    `rm -rf '${folder}/left'; cp -a . '${folder}/left'`,
    `touch '${folder}/done-${number}'`,
    '',
  ].join('\n')
}

const result = (text: string): string =>
  JSON.stringify({ type: 'result', subtype: 'success', is_error: false, session_id: 's-1', total_cost_usd: 0.01, result: text })

/** The commands are in its transcript, as a real agent's would be. */
function said({ act: { run = '', write = {} } }: Turn): string {
  const uses = [
    ...Object.entries(write).map(([path, content]) => ({ name: 'Write', input: { file_path: path, content } })),
    ...(run === '' ? [] : [{ name: 'Bash', input: { command: run } }]),
  ]
  const lines = uses.map(({ name, input }, index) =>
    JSON.stringify({
      type: 'assistant',
      message: { id: `m-${index}`, content: [{ type: 'tool_use', id: `t-${index}`, name, input }] },
      session_id: 's-1',
    }),
  )
  return `${[...lines, result('Done: everything that the story asks for is there, and the tests pass.')].join('\n')}\n`
}
