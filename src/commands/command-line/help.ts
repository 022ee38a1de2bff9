/** What help adds to the command line itself: groups, so that people find a command by what they want, and examples to copy. */
import type { Command, Option } from 'commander'

/** In the order of help. */
const groups: Record<string, string[]> = {
  'Start:': ['init', 'plan', 'import', 'lint', 'run', 'doctor', 'rehearse', 'demo'],
  'Watch:': ['status', 'list', 'runs', 'why', 'monitor', 'logs', 'diff', 'report', 'stats', 'dashboard', 'open'],
  'Steer:': ['say', 'answer', 'listen', 'unblock', 'pause', 'resume', 'stop', 'retry', 'skip', 'dismiss', 'breaker'],
  'Learn:': ['learn', 'replay'],
  'Hand over:': ['pr', 'archive'],
  'Many at once:': ['fleet'],
  'More:': ['config', 'mcp', 'skills', 'completion'],
}

const examples: Record<string, string[]> = {
  init: ['ralph init login', 'ralph init login --from-issue https://github.com/me/shop/issues/7'],
  plan: ['ralph plan "Log in with a password" -f login', 'ralph plan idea.md -f login --yes'],
  import: ['ralph import notes.md -f login', 'ralph import tasks.json --from task-master'],
  lint: ['ralph lint', 'ralph lint -f login --strict', 'ralph lint --json | jq .findings'],
  run: ['ralph run', 'ralph run -f login -n 5 --max-cost 3', 'ralph run --parallel 3', 'ralph run --story US-4 --dry-run'],
  doctor: ['ralph doctor'],
  pr: ['ralph pr', 'ralph pr -f login --draft --base develop'],
  rehearse: ['ralph rehearse --quick'],
  status: ['ralph status', 'ralph status --watch', 'ralph status --json | jq .stories.list'],
  list: ['ralph list', 'ralph list --json | jq -r .features[].feature'],
  runs: ['ralph runs', 'ralph runs -f login --json'],
  diff: ['ralph diff US-1', 'ralph diff 3 --stat'],
  open: ['ralph open', 'ralph open report -f login'],
  why: ['ralph why', 'ralph why --json | jq .failure'],
  monitor: ['ralph monitor -f login'],
  logs: ['ralph logs --follow', 'ralph logs 3'],
  report: ['ralph report', 'ralph report --html'],
  stats: ['ralph stats', 'ralph stats --json'],
  dashboard: ['ralph dashboard', 'ralph dashboard --port 8080 --no-open'],
  say: ['ralph say "Use the existing date helper"'],
  answer: ['ralph answer "Option B"', 'ralph answer --story US-2 --accept'],
  listen: ['ralph listen', 'ralph run || ralph listen --once && ralph run'],
  unblock: ['ralph unblock "The key is in .env now"'],
  pause: ['ralph pause', 'ralph pause -f login'],
  resume: ['ralph resume'],
  demo: ['ralph demo', 'ralph demo --no-keep'],
  stop: ['ralph stop', 'ralph stop --now'],
  retry: ['ralph retry US-3 && ralph run'],
  skip: ['ralph skip US-3'],
  dismiss: ['ralph dismiss', 'ralph dismiss 3fa2c1b4 "negative totals cannot occur"'],
  breaker: ['ralph breaker', 'ralph breaker reset'],
  learn: ['ralph learn', 'ralph learn drop L-4'],
  replay: ['ralph replay --set circuit_breaker.no_progress_threshold=5'],
  fleet: ['ralph fleet init --db postgres://localhost/ralph', 'ralph fleet submit login', 'ralph fleet work --slots 2'],
  archive: ['ralph archive -f login'],
  config: ['ralph config show', 'ralph config get gates.tests', 'ralph config set gates.tests "npm test"'],
  completion: ['eval "$(ralph completion bash)"', 'ralph completion fish | source'],
  skills: ['ralph skills install --agent codex', 'ralph skills remove'],
  mcp: ['claude mcp add ralph -- ralph mcp serve', 'codex mcp add ralph -- ralph mcp serve'],
}

/** In the order of help. */
const runGroups: Record<string, RegExp> = {
  'What to run:': /^--(?:feature|prompt|story|pick|parallel|decide|resume|fresh|reset-circuit|dry-run|no-archive)/,
  'Limits:': /^--(?:max-|timeout|rate-limit|calls|on-limit)/,
  'Judging:': /^--(?:baseline|skip-review|proof|held-out|tamper|mutants)/,
  'Agent:': /^--(?:agent|model|session|sandbox|dangerously)/,
  'Output:': /^--(?:verbose|quiet|json|monitor|yes)/,
}

/** Once all commands are known. */
export function withHelp(program: Command): void {
  for (const [heading, names] of Object.entries(groups))
    for (const name of names) program.commands.find((command) => command.name() === name)?.helpGroup(heading)
  // Groups come in the order of their first command.
  const names = Object.values(groups).flat()
  const placeOf = (command: Command): number => (names.includes(command.name()) ? names.indexOf(command.name()) : names.length)
  ;(program.commands as Command[]).sort((one, other) => placeOf(one) - placeOf(other))
  for (const command of program.commands) {
    const lines = examples[command.name()]
    if (lines !== undefined) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`)
  }
  const options = (program.commands.find((command) => command.name() === 'run')?.options ?? []) as Option[]
  for (const option of options) option.helpGroup(groupOf(option))
  const order = Object.keys(runGroups)
  options.sort((one, other) => order.indexOf(groupOf(one)) - order.indexOf(groupOf(other)))
}

const groupOf = ({ long }: Option): string =>
  Object.entries(runGroups).find(([, like]) => like.test(long ?? ''))?.[0] ?? 'What to run:'
