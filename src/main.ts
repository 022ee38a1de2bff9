/** argv → command → exit code. Each command is loaded only when it is used. */
import { Command } from 'commander'
import { repositoryVariables } from './adapters/git/settings.ts'
import { featureName, findRoot, listFeatures, ralphHome } from './adapters/project/find.ts'
import { exitOf, oneLine } from './commands/command-line/errors.ts'
import { withHelp } from './commands/command-line/help.ts'
import { olderWords, withoutShortForms, wordsOfRun } from './commands/command-line/older-words.ts'
import { runOptions } from './config/flags.ts'
import { EXIT, Failure } from './core/failure.ts'
import type { Io } from './io.ts'
import { version } from './version.ts'
import { forTerminal } from './views/for-terminal.ts'
import { dressText } from './views/terminal/dress.ts'
import { lookOf } from './views/terminal/look.ts'

// Started from a git hook or alias, Ralph and every agent would work on that repository's index from every folder.
for (const name of repositoryVariables) delete process.env[name]

const lookOn = ({ isTTY, columns }: NodeJS.WriteStream) => lookOf({ env: process.env, isTerminal: isTTY === true, columns })
const io: Io = {
  cwd: process.cwd(),
  env: process.env,
  out: (text) => void process.stdout.write(forTerminal(dressText(text, lookOn(process.stdout)))),
  err: (text) => void process.stderr.write(forTerminal(dressText(text, lookOn(process.stderr)))),
  raw: (text) => void process.stdout.write(forTerminal(text)),
  isTerminal: process.stdout.isTTY === true,
  isAttended: process.stdout.isTTY === true && process.stdin.isTTY === true,
}

// A reader that went away (`ralph status | head -1`) is not an error. A run continues without it.
const isRun = ['run', 'demo', 'rehearse'].includes(process.argv[2] ?? '')
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' && !isRun && process.exit())

// Errors that nobody awaits end the program with the same message and code. At exit, agents are ended by those who started them.
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => process.exit(exitOf(error, io)))

process.exitCode = await main(process.argv.slice(2))

async function main(argv: string[]): Promise<number> {
  let exit = 0
  const program = commandLine((code) => {
    exit = code
  })
  try {
    const [first, asked] = argv
    // "help" for something unknown must say so, not print the help of everything.
    const isUnknown = first === 'help' && asked !== undefined && !program.commands.some((known) => known.name() === asked)
    const known = program.commands.map((each) => ({ name: each.name(), takes: each.registeredArguments.length }))
    const pointer = olderWords(argv, [{ name: 'help', takes: 1 }, ...known], featuresHere)
    if (pointer !== undefined) throw new Failure(EXIT.usage, pointer)
    await program.parseAsync(isUnknown && asked !== 'help' ? [asked] : withoutShortForms(argv), { from: 'user' })
    return exit
  } catch (error) {
    return exitOf(error, io)
  }
}

function featuresHere(): string[] {
  return listFeatures(findRoot(io.cwd, ralphHome(io.env)))
}

function commandLine(ended: (code: number) => void): Command {
  const program = new Command('ralph')
    .description(
      'Runs a coding agent again and again, with a fresh context each time, until every story of a plan is done and proven done.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .commandsGroup('More:')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.err,
      outputError: (text, write) => write(oneLine(text, typedCommand(program))),
    })
    .configureHelp({ subcommandTerm: termOf })
    .addHelpText(
      'after',
      '\nFirst steps:\n  ralph init <feature>    create a feature\n  ralph plan "<idea>"     plan it\n  ralph run               work through it\n  ralph demo              watch a scripted run\n\nShort forms:\n  ralph --cb-status       ralph breaker\n  ralph --cb-reset        ralph breaker reset (also: ralph --reset-circuit)\n  ralph --aggregate       ralph learn --aggregate\n',
    )

  const command = (
    words: string,
    description: string,
    run: (options: Record<string, never>, words: string[]) => Promise<number>,
  ): Command =>
    program
      .command(words)
      .description(description)
      .option('-f, --feature <name>', 'the feature (default: from the branch, open plans or last run)', (name) =>
        featureName(name),
      )
      .action(async (...given) => {
        const parsed = given.at(-1) as Command
        ended(await run(parsed.opts(), parsed.args))
      })

  command('init <feature>', 'create a feature: plan, prompt, memory, settings', async (options, [feature = '']) => {
    const { runInit } = await import('./commands/init.ts')
    return runInit({ ...options, feature }, io)
  })
    .option('--template <name>', 'prompt template: tdd, default, or your own')
    .option('--plan <file>', 'plan format: prd.json, tasks.yaml or fix_plan.md')
    .option('--from-issue <url>', 'create the plan from a GitHub issue')

  const run = program.command('run').description('run the loop until the plan is done and proven, or needs you')
  for (const { flags, description } of runOptions) run.option(flags, description)
  run.allowExcessArguments().action(async (options, { args }: Command) => {
    if (args.length > 0) throw new Failure(EXIT.usage, wordsOfRun(args, featuresHere()))
    const { runRun } = await import('./commands/run.ts')
    ended(await runRun(options, io))
  })

  command('status', 'show the state of a feature', async (options) =>
    (await import('./commands/status-and-why.ts')).runStatus(options, io),
  )
    .option('--watch', 'print it again whenever it changes, until the run ends')
    .option('--json', 'print JSON')
  command('list', 'list all features with state, stories and last run', async (options) =>
    (await import('./commands/history/list.ts')).runList(options, io),
  ).option('--json', 'print JSON')
  command('runs', 'list the runs of a feature', async (options) =>
    (await import('./commands/history/list.ts')).runRuns(options, io),
  ).option('--json', 'print JSON')
  command('stats', 'show first-pass rate, cost and time per proven story, by agent, model and kind of story', async (options) =>
    (await import('./commands/history/stats.ts')).runStats(options, io),
  ).option('--json', 'print JSON')
  command('diff [story]', 'show what a story, an iteration or the whole feature has committed', async (options, [what]) =>
    (await import('./commands/history/diff.ts')).runDiff({ ...options, what }, io),
  ).option('--stat', 'only the names of the files')
  command('open [what]', 'open the dashboard, or the report of a feature, in the browser', async (options, [what]) =>
    (await import('./commands/history/open.ts')).runOpen({ ...options, what: what ?? 'dashboard' }, io),
  )
  command('why [run]', 'explain why the last run stopped, or what a live one is doing', async (options, [asked]) =>
    (await import('./commands/status-and-why.ts')).runWhy({ ...options, run: asked }, io),
  ).option('--json', 'print JSON')
  command('monitor', 'watch and control a run on a live screen', async (options) =>
    (await import('./commands/monitor.ts')).runMonitor(options, io),
  )
  command('logs [iteration]', 'print the output of agent and gates (default: last iteration)', async (options, [asked]) =>
    (await import('./commands/logs.ts')).runLogs({ ...options, iteration: asked }, io),
  )
    .option('--follow', 'follow the log until the run ends')
    .option('--raw', 'print the raw file')
  command('replay [run]', 'replay a recorded run with other settings', async (options, [asked]) =>
    (await import('./commands/history/replay.ts')).runReplay({ ...options, run: asked }, io),
  )
    .option('--set <key=value>', 'change a setting; repeatable', (one: string, before: string[] = []) => [...before, one])
    .option('--json', 'print JSON')
  command('report', 'report results, cost, forecast and learning of a feature', async (options) =>
    (await import('./commands/report.ts')).runReport(options, io),
  )
    .option('--html [file]', 'write one page with charts (default: report.html beside the log; - for stdout)')
    .option('--json', 'print JSON')
  command('learn [action] [id] [text...]', 'list, show, keep, edit or drop lessons', async (options, [action, id, ...text]) =>
    (await import('./commands/learn.ts')).runLearn({ ...options, action, id, text: text.join(' ') }, io),
  )
    .option('--aggregate', 'turn lessons into skills')
    .addHelpText('after', '\nShort form: ralph --aggregate')
  command('breaker [action]', 'show or reset the circuit breaker', async (options, [action]) =>
    (await requests()).runBreaker({ ...options, action }, io),
  ).addHelpText('after', '\nShort forms: ralph --cb-status (show), ralph --cb-reset and ralph --reset-circuit (reset)')
  command('say <text...>', 'add a note to the next prompt', async (options, words) =>
    (await requests()).runSay({ ...options, text: words.join(' ') }, io),
  )
  command('answer [text...]', 'answer the oldest open question', async (options, words) =>
    (await requests()).runAnswer({ ...options, text: words.join(' ') }, io),
  )
    .option('--story <id>', 'answer the question of this story')
    .option('--accept', 'change the criterion as the agent proposes')
  command('listen', 'send open questions to Telegram, Slack or ntfy, and take the answers', async (options) =>
    (await import('./commands/control/listen.ts')).runListen(options, io),
  ).option('--once', 'end after the first answer')
  command('unblock [note...]', 'mark a blocker as resolved', async (options, words) =>
    (await requests()).runUnblock({ ...options, note: words.join(' ') }, io),
  )
  command('pause', 'pause the live run after this iteration', async (options) => (await requests()).runPause(options, io))
  command('resume', 'resume a paused run', async (options) => (await requests()).runResume(options, io))
  command('stop', 'stop the live run after this iteration', async (options) => (await requests()).runStop(options, io)).option(
    '--now',
    'end the agent immediately',
  )
  command('dashboard', 'open a web page with all runs: watch, answer, pause, stop', async (options) =>
    (await import('./commands/dashboard/dashboard.ts')).runDashboard(options, io),
  )
    .option('--projects <folder...>', 'projects to show (default: this one and all you have run)')
    .option('--fleet [url]', 'show a fleet instead (default: RALPH_FLEET_DB, else as saved by fleet init)')
    .option('--port <number>', 'port to listen on (default: any free port)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--metrics-token-env <variable>', 'let Prometheus read /metrics with the token in this variable')
    .option('--no-open', 'print the address without opening a browser')
  command(
    'fleet <action> [words...]',
    'share a queue between machines: init, submit, work, status, answer, pause, drain, …',
    async (options, [action = '', ...words]) => (await import('./commands/fleet/fleet.ts')).runFleet(action, words, options, io),
  )
    .option('--db <url>', 'PostgreSQL database of the fleet (default: RALPH_FLEET_DB, else as saved by init)')
    .option('--calls <n/time>', 'init: call limit per account, such as 100/1h; 0: no limit')
    .option('--per-repo <n>', 'init: parallel features per repository; 0: no limit')
    .option('--lease <time>', 'init: replace a worker after this time without a heartbeat (60s)')
    .option('--repo <url>', "submit: repository (default: this project's origin); other actions: repository of the feature")
    .option('--branch <name>', "submit: branch with the plan (default: the repository's default branch)")
    .option('--priority <n>', 'submit: priority, highest first (0)')
    .option('--from <tracker>', 'submit: features of the open issues with --label: github, gitlab, linear, jira or beads')
    .option('--label <name>', 'submit: label of the issues, with --from')
    .option('--project <name>', 'submit: repository, team or project of the issues, with --from')
    .option('--labels <a,b>', 'submit: required worker labels; work: labels of this machine')
    .option('--slots <n>', 'work: parallel features (1)')
    .option('--allow <repository...>', 'work: repositories to accept; * matches any characters')
    .option('--account <name>', 'work: account of the agents here; limits are shared per account (default)')
    .option('--folder <path>', 'work: folder for clones (~/.ralph/fleet)')
    .option('--until-empty', 'work: exit when the queue is empty')
    .option('--story <id>', 'answer: the question of this story')
    .option('--follow', 'logs: follow events')
    .option('--json', 'status: print JSON')
  command('retry <story>', 'reopen a failed or skipped story', async (options, [story = '']) =>
    (await requests()).runRetry({ ...options, story }, io),
  )
  command('skip <story>', 'skip a story', async (options, [story = '']) => (await requests()).runSkip({ ...options, story }, io))
  command('pr', 'push the branch of a feature, and open or update its pull request', async (options) =>
    (await import('./commands/finished/pr.ts')).runPr(options, io),
  )
    .option('--base <branch>', 'branch to merge into (default: where the branch began)')
    .option('--title <text>', 'title of a new pull request (default: from the plan)')
    .option('--draft', 'make it a draft')
    .option('--ready', 'make it ready for review')
    .option('--watch', 'wait for checks and reviews, and let runs do what they ask for, until it is merged')
    .option('--once', 'the same without waiting: at most one round')
    .option('--new', 'open another one after the last was closed or merged')
    .option('--json', 'print JSON')
  command(
    'dismiss [finding] [why...]',
    "say that a reviewer's finding is not to be fixed",
    async (options, [finding = '', ...why]) => (await requests()).runDismiss({ ...options, finding, why: why.join(' ') }, io),
  )
  command('archive', 'move a feature to the archive', async (options) =>
    (await import('./commands/finished/archive.ts')).runArchive(options, io),
  ).option('--include-logs', 'include its logs')
  command(
    'import [file]',
    "create stories from a document, issues of a tracker, or another tool's plan",
    async (options, [file]) => {
      const { runImport } = await import('./commands/import/import.ts')
      return runImport({ ...options, file }, io)
    },
  )
    .option('--from <tool>', 'plan format: snarktank, ralph-tui, task-master or fix-plan (default: the agent reads the file)')
    .addHelpText('after', '\nIssues of a tracker, without a file: --from github, gitlab, linear, jira or beads, with --label\n')
    .option('--label <name>', 'import the open issues with this label, such as agent:ready')
    .option('--each <what>', 'what an issue becomes: feature (default), or story of the feature')
    .option('--project <name>', 'repository, team or project of the issues (default: the repository of the remote)')
    .option('--tag <name>', 'task list to import, if the file has several (task-master)')
    .option('--agent <name>', 'agent that writes the stories (default: from settings)')
    .option('-y, --yes', 'accept the stories without asking')
  command('plan [idea...]', 'plan a feature: an interview, then stories that you accept or change', async (options, idea) =>
    (await import('./commands/plans/plan.ts')).runPlan({ ...options, idea }, io),
  )
    .option('--agent <name>', 'agent that asks and writes the stories (default: from settings)')
    .option('-y, --yes', 'ask nothing, and accept the stories')
  command('lint', 'check the plan: errors, and criteria or stories that agents will stumble over', async (options) =>
    (await import('./commands/plans/lint.ts')).runLint(options, io),
  )
    .option('--json', 'print JSON')
    .option('--strict', 'exit with 65 if there are warnings')
  command('config [action] [words...]', 'show, get or set settings, or print the schema', async (options, [action, ...words]) =>
    (await import('./commands/config.ts')).runConfig({ ...options, action: action ?? 'show', words }, io),
  )
    .option('--user', 'set: in your own settings, for all projects')
    .option('--json', 'print JSON')
  command('doctor', 'check whether a run could start, and run the gates once', async (options) =>
    (await import('./commands/doctor/doctor.ts')).runDoctor(options, io),
  ).option('--no-gates', 'do not run the gates')
  command('rehearse [feature]', 'play cheating agents against your gates and settings, in a copy', async (options, [asked]) =>
    (await import('./commands/scripted/rehearse.ts')).runRehearse({ ...options, ...(asked && { feature: asked }) }, io),
  )
    .option('--quick', 'play only the most important ones')
    .option('--only <ids>', 'play only these: ids of --json, separated by commas')
    .option('--json', 'print JSON')
  command('demo', 'watch a scripted agent work on a small project', async (options) =>
    (await import('./commands/scripted/demo.ts')).runDemo(options, io),
  ).option('--no-keep', 'delete the project afterwards')
  command('mcp [action]', 'serve tools for agents and editors that drive Ralph: ralph mcp serve', async (options, [action]) =>
    (await import('./commands/control/mcp.ts')).runMcp({ ...options, action }, io),
  ).option('--project <folder>', 'serve: the project (default: that of the working directory)')
  command(
    'skills [action]',
    'put skills for driving Ralph where your agent finds them: install, remove',
    async (options, [action]) => (await import('./commands/control/skills.ts')).runSkills({ ...options, action }, io),
  ).option('--agent <names>', 'agents, separated by commas; other: those that read AGENTS.md (default: from settings)')
  program.command('notice', { hidden: true }).action(async (options) => {
    ended(await (await import('./commands/notice.ts')).runNotice(options, io))
  })
  command('completion <shell> [what]', 'print a completion script for bash, zsh or fish', async (options, [shell = '', what]) => {
    if (shell === 'words') return (await import('./commands/command-line/complete-words.ts')).runWords({ ...options, what }, io)
    const { runCompletion } = await import('./commands/command-line/completion.ts')
    const commands = shown(program.commands).map((sub) => ({
      name: sub.name(),
      flags: sub.options.flatMap((option) => [option.short, option.long].filter((flag) => flag !== undefined)),
    }))
    return runCompletion({ shell, commands }, io)
  })
  withHelp(program)
  return program
}

/** Without commands that only Ralph itself starts. */
function shown(commands: readonly Command[]): Command[] {
  return commands.filter((command) => command.description() !== '')
}

function requests() {
  return import('./commands/requests.ts')
}

/** A command with its required arguments; options go without saying. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...words].join(' ')
}

function typedCommand({ commands }: Command): string | undefined {
  return commands.find((known) => known.name() === process.argv[2])?.name()
}
