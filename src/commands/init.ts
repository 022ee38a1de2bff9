/** `ralph init <feature>`: writes a feature's first files, and never overwrites anything. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { withCommands } from '../adapters/agents/shared/tool-rules.ts'
import { replaceFile } from '../adapters/files/files.ts'
import { issueAddress } from '../adapters/import/github.ts'
import { emptyPlan, planFileNames } from '../adapters/plan/parse-plan.ts'
import { featureName, findRoot, gitDir, ralphHome } from '../adapters/project/find.ts'
import { ignored } from '../adapters/project/gitignore.ts'
import {
  featureFolder,
  featureLabel,
  NAMES,
  projectConfig,
  STATE_FOLDER,
  stateFolder,
  userConfig,
} from '../adapters/project/layout.ts'
import { shippedPath, templatePath } from '../adapters/project/templates.ts'
import { findChecks } from '../adapters/test-command/checks.ts'
import { findInFolders, findTestCommand } from '../adapters/test-command/find.ts'
import type { TestCommand } from '../adapters/test-command/look.ts'
import { withSetting } from '../config/edit.ts'
import { loadSettings } from '../config/sources.ts'
import { type Key, type Settings, table } from '../config/table.ts'
import { configText } from '../config/text.ts'
import { ensureUserConfig } from '../config/user-file.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { didYouMean } from '../core/text/nearest.ts'
import type { Io } from '../io.ts'
import { openScreen, screenOptions } from '../run/outputs/screen.ts'
import { askOnTerminal } from '../run/people/ask-on-terminal.ts'
import { sandboxAdvice } from '../run/preflight/try-sandbox.ts'
import type { First, NewFile } from './import/first-files.ts'
import { issueFiles } from './import/from-issue.ts'

type Args = { feature: string; template?: string; plan?: string; fromIssue?: string }

export async function runInit(args: Args, io: Io): Promise<number> {
  const address = args.fromIssue === undefined ? undefined : issueAddress(args.fromIssue)
  const ownConfig = userConfig(ralphHome(io.env))
  const hadOwnConfig = existsSync(ownConfig)
  const first = await firstFiles(args, io)
  const { feature, root, isNew, plan, settings, tests } = first
  const issue = address && (await issueFiles(address, first, io))
  const files = issue?.files ?? first.missing
  for (const { path, text } of files) replaceFile(join(root, path), text)

  const hasNewConfig = files.some(({ path }) => path === configPath)
  const made = files.map(({ path }) => path)
  const isFilled = issue !== undefined
  io.out(report({ feature, isNew, isFilled, plan, asked: args.plan, made, where: relative(io.cwd, root) }))
  if (!hadOwnConfig && existsSync(ownConfig)) io.out(`  ${ownConfig}   (your settings for all projects)\n`)
  if (issue !== undefined) io.out(`\n${issue.report}`)
  const gate = (hasNewConfig ? tests?.command : settings['gates.tests']) ?? ''
  const inFolders = gate === '' ? findInFolders(root, io.env) : []
  io.out(testsLine(gate, hasNewConfig ? tests?.from : configPath, inFolders))
  if (hasNewConfig && inFolders.length > 0 && (await wantsGates(inFolders, io))) {
    const path = projectConfig(root)
    replaceFile(path, await withSetting(readFileSync(path, 'utf8'), 'quality_checks', gatesOf(inFolders)))
    io.out(`Added to ${configPath}; Ralph runs ${inFolders.length === 1 ? 'it' : 'them'} after each iteration.\n`)
  }
  if (hasNewConfig) io.out(checksLine(first.checks))
  if (gitDir(root) === null)
    io.out('Git: not a repository. "git init" gives a branch for each feature, and a way back from what fails.\n')
  const advice = await sandboxAdvice({ root, settings, env: io.env, gate })
  if (advice !== null) io.out(`\nSandbox: ${advice}\n`)
  io.out(nextSteps(feature, join(featureFolder(relative(io.cwd, root), feature), plan), issue !== undefined))
  return 0
}

export async function firstFiles(args: { feature: string; template?: string; plan?: string }, io: Io): Promise<First> {
  const feature = featureName(args.feature)
  const asked = askedPlan(args.plan)
  const home = ralphHome(io.env)
  const root = findRoot(io.cwd, home)
  const folder = featureFolder(root, feature)
  if (stateFolder(root) === home)
    throw new Failure(EXIT.usage, `${home} holds your own settings, not a project. Change to the project's folder first.`)
  if (existsSync(folder) && !statSync(folder).isDirectory())
    throw new Failure(EXIT.usage, `${folder} is a file: choose another name for the feature.`)

  const warning = ensureUserConfig(home)
  const { settings, warnings } = await loadSettings({ root, home, env: io.env, flags: {} })
  for (const text of [...warnings, ...(warning === undefined ? [] : [warning])]) io.err(`${text}\n`)
  const template = templatePath(
    root,
    home,
    args.template ?? settings['prompt.template'],
    args.template ? EXIT.usage : EXIT.config,
  )
  const tests = findTestCommand(root, io.env)
  const checks = findChecks(root).filter((command) => command !== tests?.command)
  const plan = planFileNames.find((name) => existsSync(join(folder, name))) ?? asked
  const createdAt = `${new Date().toISOString().slice(0, 19)}Z`
  const head = { feature, branchName: `${settings['branch.prefix']}${feature}`, createdAt, schema: schemaPath }
  const files = filesOf({ feature, plan, settings, tests, checks, template, head })
  const missing = files.filter(({ path }) => !existsSync(join(root, path)))
  return {
    ...{ feature, root, home, isNew: !existsSync(folder), plan, planPath: `${featureLabel(feature)}/${plan}` },
    ...{ settings, tests, checks, missing, head },
  }
}

const configPath = projectConfig('')
/** Relative to the plan. */
const schemaPath = '../prd.schema.json'
const planKinds = ['prd.json', 'tasks.yaml', 'fix_plan.md']

function askedPlan(asked = 'prd.json'): string {
  if (planKinds.includes(asked)) return asked
  const advice = didYouMean(asked, planKinds)
  throw new Failure(EXIT.usage, `--plan is ${JSON.stringify(asked)}; expected one of ${planKinds.join(', ')}.${advice}`)
}

type Facts = Pick<First, 'feature' | 'plan' | 'settings' | 'tests' | 'checks' | 'head'> & { template: string }

/** Every file of a new feature in a new project, by path from the root. */
function filesOf({ feature, plan, settings, tests, checks, template, head }: Facts): NewFile[] {
  const inFeature = (name: string): string => `${featureLabel(feature)}/${name}`
  const isJson = plan.endsWith('.json')
  return [
    { path: configPath, text: projectConfigText(settings, tests, checks) },
    { path: join(STATE_FOLDER, '.gitignore'), text: ignored },
    ...(isJson ? [{ path: join(STATE_FOLDER, 'prd.schema.json'), text: shipped('schema/prd.schema.json') }] : []),
    { path: inFeature(plan), text: emptyPlan(plan, head) },
    ...(isJson
      ? [
          {
            path: inFeature('prd.example.json'),
            text: shipped('schema/prd.example.json').replace('./prd.schema.json', schemaPath),
          },
        ]
      : []),
    { path: inFeature('prompt.md'), text: readFileSync(template, 'utf8') },
    { path: inFeature(NAMES.progress), text: `# Progress Log: ${feature}\n# Started: ${head.createdAt}\n` },
    { path: inFeature('specs/.gitkeep'), text: '' },
  ]
}

const shipped = (path: string): string => readFileSync(shippedPath(path), 'utf8')

/** The tools of an agent: the test command is always among them, as a gate. */
function projectConfigText(settings: Settings, tests: TestCommand | undefined, checks: string[]): string {
  const heading = `This project's settings. They override your own in ~/.ralph/config.yaml.
Uncomment a line to change it. "ralph config show" prints each setting and its source.`
  const tools = withCommands(settings['claude.allowed_tools'], [...(tests === undefined ? [] : [tests.command]), ...checks])
  return configText(heading, projectKeys, {
    ...(tests === undefined ? {} : { 'gates.tests': tests.command }),
    ...(tools === settings['claude.allowed_tools'] ? {} : { 'claude.allowed_tools': tools }),
  })
}

/** What differs between projects; the rest is the user's taste. */
const projectKeys = (Object.keys(table) as Key[]).filter((key) =>
  [
    'defaults.max_iterations',
    'defaults.timeout_minutes',
    'gates.tests',
    'quality_checks',
    'prompt.template',
    'branch.prefix',
    'branch.auto_create',
    'git.auto_commit',
    'git.commit_state',
    'claude.allowed_tools',
  ].includes(key),
)

type InitResult = {
  feature: string
  isNew: boolean
  isFilled: boolean
  plan: string
  asked?: string
  made: string[]
  where: string
}

function report({ feature, isNew, isFilled, plan, asked, made, where }: InitResult): string {
  const heading = isNew
    ? `Created feature ${feature}:`
    : made.length > 0
      ? `Feature ${feature} exists${isFilled ? ' and its plan had no stories. Wrote:' : '. Added missing files, changed nothing:'}`
      : `Feature ${feature} exists and has all its files. Nothing changed.`
  const lines = [heading, ...made.map((path) => `  ${join(where, path)}`)]
  if (asked !== undefined && asked !== plan) lines.push(`It already has a plan (${plan}); ${asked} was not created.`)
  return `${lines.join('\n')}\n`
}

type InFolder = ReturnType<typeof findInFolders>[number]

function testsLine(command: string, from: string | undefined, inFolders: InFolder[]): string {
  if (command !== '') return `\nTests: "${command}" (from ${from}), run after each iteration.\n`
  const warning = "without it stories pass on the agent's word alone."
  if (inFolders.length === 0) return `\nTests: no test command found. Set gates.tests in ${configPath}:\n       ${warning}\n`
  const gates = Object.entries(gatesOf(inFolders)).map(([name, each]) => `         ${name}: ${each}\n`)
  return `\nTests: no test command for the whole project, but ${inFolders.length === 1 ? 'a folder has' : 'its folders have'} one.
       Add those that every story must keep green to ${configPath}:
       ${warning}

       quality_checks:
${gates.join('')}`
}

/** What the prompt asks for is allowed, or the agent would spend its time on refusals. */
const checksLine = (checks: string[]): string =>
  checks.length === 0
    ? ''
    : `Checks: the agent may also run ${checks.join(', ')}.\n        Those that every story must keep green go into quality_checks.\n`

const gatesOf = (inFolders: InFolder[]): Record<string, string> =>
  Object.fromEntries(inFolders.map(({ folder, command }) => [gateName(folder), `cd ${folder} && ${command}`]))

/** On a terminal. Nobody answers: they stay a proposal. */
async function wantsGates(inFolders: InFolder[], io: Io): Promise<boolean> {
  if (!io.isAttended) return false
  const screen = openScreen(screenOptions({}, io))
  const answers = { keys: { y: 'yes', n: 'no' }, timeoutMs: 60_000, silence: 'no' }
  const question = inFolders.length === 1 ? 'Add this gate now?' : `Add these ${inFolders.length} gates now?`
  const key = await askOnTerminal(screen, io.isAttended)(question, answers, new AbortController().signal)
  screen.close()
  return key === 'y'
}

const gateName = (folder: string): string => folder.replace(/[^\w-]+/g, '-')

/** A checklist has no place for criteria, so it is not planned for anyone. */
const firstStep = (feature: string, plan: string): string =>
  plan.endsWith('.md')
    ? `Write the stories into ${plan}`
    : `${`ralph plan "<idea>" -f ${feature}`.padEnd(30)}  or write the stories into ${plan}${plan.endsWith('.json') ? ' (see prd.example.json)' : ''}`

const nextSteps = (feature: string, plan: string, hasStories: boolean): string => `
Next:
  1. ${hasStories ? `Review the stories in ${plan}` : firstStep(feature, plan)}
  2. ${`ralph run -f ${feature} --dry-run`.padEnd(30)}  see the prompt and what would happen
  3. ${`ralph run -f ${feature}`.padEnd(30)}  start
`
