/** argv → command → exit code. Every command is loaded only when it is asked for. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { repositoryVariables } from './adapters/git/settings.ts'
import { adviceAt, exitOfError } from './adapters/process/shortage.ts'
import { olderWords, withoutShortForms, wordsOfRun } from './commands/older-words.ts'
import { runOptions } from './config/flags.ts'
import { EXIT, Failure } from './core/failure.ts'
import type { Io } from './io.ts'
import { version } from './version.ts'
import { forTerminal } from './views/for-terminal.ts'

// Started from a hook or an alias of git's, we would work on that repository's index from every folder, and so would every agent.
for (const name of repositoryVariables) delete process.env[name]

const io: Io = {
  cwd: process.cwd(),
  env: process.env,
  out: (text) => void process.stdout.write(forTerminal(text)),
  err: (text) => void process.stderr.write(forTerminal(text)),
  isTerminal: process.stdout.isTTY === true,
  isAttended: process.stdout.isTTY === true && process.stdin.isTTY === true,
}

// A reader that went away (`ralph status | head -1`) is no fault of ours. A run goes on without one: its work is not on the screen.
const isRun = process.argv[2] === 'run' || process.argv[2] === 'demo'
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' && !isRun && process.exit())

// What nobody waits for any more can still fail: it ends with the same words and code. Agents are ended by those who started them, at the exit.
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (error: unknown) => process.exit(exitOf(error)))

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
    const pointer = olderWords(argv, ['help', ...program.commands.map((known) => known.name())])
    if (pointer !== undefined) throw new Failure(EXIT.usage, pointer)
    await program.parseAsync(isUnknown && asked !== 'help' ? [asked] : withoutShortForms(argv), { from: 'user' })
    return exit
  } catch (error) {
    return exitOf(error)
  }
}

function commandLine(ended: (code: number) => void): Command {
  const program = new Command('ralph')
    .description(
      'Runs a coding agent again and again, with a fresh context each time, until every story of a plan is done and proven done.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand('help [command]', 'print what a command takes')
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err, outputError: (text, write) => write(oneLine(text)) })
    .configureHelp({ subcommandTerm: termOf })
    .addHelpText(
      'after',
      '\nFirst steps:\n  ralph init <feature>    make a plan\n  ralph run               work through it\n  ralph demo              see it work, without an agent\n\nShort forms:\n  ralph --cb-status       ralph breaker\n  ralph --cb-reset        ralph breaker reset (also: ralph --reset-circuit)\n  ralph --aggregate       ralph learn --aggregate\n',
    )

  const command = (
    words: string,
    description: string,
    run: (options: Record<string, never>, words: string[]) => Promise<number>,
  ): Command =>
    program
      .command(words)
      .description(description)
      .option('-f, --feature <name>', 'the feature (default: found from the branch, the open plans, the last run)')
      .action(async (...given) => {
        const parsed = given.at(-1) as Command
        ended(await run(parsed.opts(), parsed.args))
      })

  command('init <feature>', 'make a feature: plan, prompt, memory, settings', async (options, [feature]) => {
    const { runInit } = await import('./commands/init.ts')
    return runInit({ ...options, feature: feature! }, io)
  })
    .option('--template <name>', 'the prompt template: tdd, default, or one of your own')
    .option('--plan <file>', 'the kind of plan: prd.json, tasks.yaml or fix_plan.md')
    .option('--from-issue <url>', 'make the plan from an issue on GitHub')

  const run = program.command('run').description('run the loop until the plan is done and proven, or a person is needed')
  for (const { flags, description } of runOptions) run.option(flags, description)
  run.allowExcessArguments().action(async (options, { args }: Command) => {
    if (args.length > 0) throw new Failure(EXIT.usage, wordsOfRun(args))
    const { runRun } = await import('./commands/run.ts')
    ended(await runRun(options, io))
  })

  command('status', 'where a feature stands', async (options) =>
    (await import('./commands/views.ts')).runStatus(options, io),
  ).option('--json', 'for other programs')
  command('why [run]', 'why the last run stopped, or what a live one is doing', async (options, [asked]) =>
    (await import('./commands/views.ts')).runWhy({ ...options, run: asked }, io),
  )
  command('monitor', 'watch a run on a live screen, and steer it', async (options) =>
    (await import('./commands/monitor.ts')).runMonitor(options, io),
  )
  command(
    'logs [iteration]',
    'what the agent and the gates printed: of the last iteration, or of this one',
    async (options, [asked]) => (await import('./commands/logs.ts')).runLogs({ ...options, iteration: asked }, io),
  )
    .option('--follow', 'go on with what is added, until the run ends')
    .option('--raw', 'the file as it is')
  command('replay [run]', 'play a recorded run again with other settings: what would have differed', async (options, [asked]) =>
    (await import('./commands/replay.ts')).runReplay({ ...options, run: asked }, io),
  )
    .option('--set <key=value>', 'another setting; may be given again', (one: string, before: string[] = []) => [...before, one])
    .option('--json', 'for other programs')
  command('report', 'what a feature came to, what it cost, what is left, and whether learning helped', async (options) =>
    (await import('./commands/report.ts')).runReport(options, io),
  )
    .option('--html [file]', 'one page with charts (default: report.html beside the log; - for standard output)')
    .option('--json', 'for other programs')
  command(
    'learn [action] [id] [text...]',
    'what was learned: list, show, keep, edit or drop it',
    async (options, [action, id, ...text]) =>
      (await import('./commands/learn.ts')).runLearn({ ...options, action, id, text: text.join(' ') }, io),
  )
    .option('--aggregate', 'gather the lessons into skills')
    .addHelpText('after', '\nShort form: ralph --aggregate')
  command('breaker [action]', 'show the circuit breaker, or reset it', async (options, [action]) =>
    (await requests()).runBreaker({ ...options, action }, io),
  ).addHelpText('after', '\nShort forms: ralph --cb-status (show), ralph --cb-reset and ralph --reset-circuit (reset)')
  command('say <text...>', 'put a note into the next prompt', async (options, words) =>
    (await requests()).runSay({ ...options, text: words.join(' ') }, io),
  )
  command('answer <text...>', 'answer a question of a run: the oldest that is open', async (options, words) =>
    (await requests()).runAnswer({ ...options, text: words.join(' ') }, io),
  ).option('--story <id>', 'the one that this story waits for')
  command('unblock [note...]', 'say that a blocker is resolved', async (options, words) =>
    (await requests()).runUnblock({ ...options, note: words.join(' ') }, io),
  )
  command('pause', 'pause the live run after this iteration', async (options) => (await requests()).runPause(options, io))
  command('resume', 'let a paused run go on', async (options) => (await requests()).runResume(options, io))
  command('stop', 'stop the live run after this iteration', async (options) => (await requests()).runStop(options, io)).option(
    '--now',
    'end the agent at once',
  )
  command('dashboard', 'a page in the browser: every run, live, with answers, pause and stop', async (options) =>
    (await import('./commands/dashboard.ts')).runDashboard(options, io),
  )
    .option('--projects <folder...>', 'these projects (default: this one and every one that you have run)')
    .option('--fleet [url]', 'every feature of a fleet instead (default: RALPH_FLEET_DB, else what fleet init noted)')
    .option('--port <number>', 'listen there (default: a free one)')
    .option('--host <address>', 'listen on another address than 127.0.0.1')
    .option('--no-open', 'print the address, and open no browser')
  command(
    'fleet <action> [words...]',
    'many machines, one queue: init, submit, work, status, answer, pause, drain, …',
    async (options, [action, ...words]) => (await import('./commands/fleet/fleet.ts')).runFleet(action!, words, options, io),
  )
    .option('--db <url>', 'the PostgreSQL that holds the fleet (default: RALPH_FLEET_DB, else what init noted)')
    .option('--calls <n/time>', 'init: calls per account in a sliding time, such as 100/1h; 0: no limit')
    .option('--per-repo <n>', 'init: features of one repository at a time; 0: no limit')
    .option('--lease <time>', 'init: after this time without a sign of life a worker is replaced (60s)')
    .option('--repo <url>', "submit: the repository (default: this project's origin); else: which one is meant")
    .option('--branch <name>', 'submit: the branch that has the plan (default: the one the repository opens with)')
    .option('--priority <n>', 'submit: higher comes first (0)')
    .option('--labels <a,b>', 'submit: only workers with these; work: what this machine has')
    .option('--slots <n>', 'work: features at a time (1)')
    .option('--allow <repository...>', 'work: the repositories that this machine works on; * stands for any characters')
    .option('--account <name>', "work: whose login the agents use here; an account's limits are shared (default)")
    .option('--folder <path>', 'work: where clones go (~/.ralph/fleet)')
    .option('--until-empty', 'work: end when nothing is left to do')
    .option('--story <id>', 'answer: the question of this story')
    .option('--follow', 'logs: the events as they arrive')
    .option('--json', 'status: for other programs')
  command('retry <story>', 'open a failed or skipped story again', async (options, [story]) =>
    (await requests()).runRetry({ ...options, story: story! }, io),
  )
  command('skip <story>', 'take a story out of the count', async (options, [story]) =>
    (await requests()).runSkip({ ...options, story: story! }, io),
  )
  command('archive', 'move a feature to the archive', async (options) =>
    (await import('./commands/archive.ts')).runArchive(options, io),
  ).option('--include-logs', 'with its logs')
  command('import <file>', 'make stories from a document, or take over the plan of another tool', async (options, [file]) => {
    const { runImport } = await import('./commands/import/import.ts')
    return runImport({ ...options, file: file! }, io)
  })
    .option('--from <tool>', 'whose plan it is: snarktank, ralph-tui, task-master or fix-plan; without it, the agent reads it')
    .option('--tag <name>', 'of several lists of tasks in one file, this one (task-master)')
    .option('--agent <name>', 'the agent that makes the stories, in place of the settings')
    .option('-y, --yes', 'take the stories without being asked')
  command('config [action]', 'show every setting and where it comes from, or print its schema', async (options, [action]) =>
    (await import('./commands/config.ts')).runConfig({ ...options, action: action ?? 'show' }, io),
  ).option('--json', 'for other programs')
  command('doctor', 'check that everything a run needs is here', async (options) =>
    (await import('./commands/doctor.ts')).runDoctor(options, io),
  )
  command('demo', 'watch a run on a small project, played by a scripted agent', async (options) =>
    (await import('./commands/demo.ts')).runDemo(options, io),
  ).option('--no-keep', 'remove the project afterwards')
  command('mcp', 'serve the tool that agents report their status with (started by agents, not by people)', async (options) =>
    (await import('./commands/mcp.ts')).runMcp(options, io),
  )
  program.command('notice', { hidden: true }).action(async (options) => {
    ended(await (await import('./commands/notice.ts')).runNotice(options, io))
  })
  command('completion <shell>', 'print a completion script for bash, zsh or fish', async (_options, [shell]) => {
    const { runCompletion } = await import('./commands/completion.ts')
    const commands = shown(program.commands).map((sub) => ({
      name: sub.name(),
      flags: sub.options.flatMap((option) => [option.short, option.long].filter((flag) => flag !== undefined)),
    }))
    return runCompletion({ shell: shell!, commands }, io)
  })
  return program
}

/** Without those that only Ralph itself starts. */
function shown(commands: readonly Command[]): Command[] {
  return commands.filter((command) => command.description() !== '')
}

function requests() {
  return import('./commands/requests.ts')
}

/** A command with what it must be given; that it takes options too goes without saying. */
function termOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...words].join(' ')
}

/** What was wrong, what was meant, and where to look: one line, as every other refusal. */
function oneLine(text: string): string {
  const [what = '', meant = ''] = text.trim().split('\n')
  const advice = meant === '' ? ' "ralph help" lists every command and what it takes.' : ` ${meant.replace(/^\(|\)$/g, '')}`
  return `ralph: ${what.replace(/^error: /, '').replace(/\.?$/, '.')}${advice}\n`
}

function exitOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage
  const exit = exitOfError(error)
  const { code = '', path, syscall, message, stack } = error as NodeJS.ErrnoException
  if (error instanceof Failure) io.err(`ralph: ${message}\n`)
  else if (exit === EXIT.fault)
    io.err(`ralph: a fault of Ralph itself, nothing that you did: ${message ?? error}\n${traceOf(stack ?? '')}`)
  else {
    const what = [syscall, path].filter((word) => word !== undefined).join(' ')
    const advice = adviceAt(code) ?? (code === 'ENOSPC' || code === 'EDQUOT' ? 'Make room for it' : 'Make it accessible')
    io.err(`ralph: cannot ${what}: ${message.replace(/, \w+( '.*)?$/, '')}. ${advice}, then run again.\n`)
  }
  return exit
}

/** For a report, and in nobody's way: in a file, unless there is no room for one. */
function traceOf(stack: string): string {
  const path = join(tmpdir(), `ralph-fault-${process.pid}.txt`)
  try {
    writeFileSync(path, `ralph ${version}, node ${process.version}, ${process.platform}\n${stack}\n`, { mode: 0o600, flag: 'wx' })
    return `Where it happened is in ${path}: please report it with that file. "ralph run" continues.\n`
  } catch {
    return `${stack}\n`
  }
}
