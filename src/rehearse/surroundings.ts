/** What the runs of a rehearsal are given instead of the user's own: a home, settings of git, and settings that keep everything inside. */
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withoutRepository } from '../adapters/git/checkout.ts'
import { childEnv } from '../adapters/process/child-env.ts'
import { STATE_FOLDER, userConfig } from '../adapters/project/layout.ts'
import { envName, type Key } from '../config/table.ts'
import { tried } from '../core/failure.ts'

type Env = Record<string, string | undefined>

/** Whoever leaves the copy by one of these would reach people, accounts or other machines. */
const kept: Partial<Record<Key, unknown>> = {
  'notify.on': [],
  'review.enabled': false,
  'review.final': [],
  'quality.review': false,
  'learn.enabled': false,
  'git.push': 'never',
  'git.commit_state': false,
  'branch.auto_create': false,
  'parallel.workers': 1,
  'budget.cost_usd': null,
  'budget.tokens': null,
  'budget.duration_minutes': null,
  'defaults.rate_limit_per_hour': 0,
  'defaults.pick': 'ralph',
  'process.grace_seconds': 0.3,
  plugins: [],
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** As variables, which come before the settings of project and user. */
export const settingVariables = (settings: Partial<Record<Key, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [envName(key as Key), valueText(value)]))

/** `script`: what the scripted agent plays. */
export function variablesFor(
  base: string,
  { env, sandbox }: { env: Env; sandbox: string },
  script: string,
): Record<string, string> {
  const own = Object.entries(withoutRepository(childEnv(env))).filter(([name]) => !notPassedOn.test(name))
  return {
    ...Object.fromEntries(own),
    HOME: join(base, 'home'),
    RALPH_HOME: join(base, 'ralph-home'),
    TMPDIR: join(base, 'tmp'),
    GIT_CONFIG_GLOBAL: join(base, 'gitconfig'),
    GIT_LFS_SKIP_SMUDGE: '1',
    ...settingVariables({ ...kept, agent: { name: 'scripted', script } }),
    // An image has no scripted agent.
    ...(sandbox === 'docker' ? settingVariables({ 'sandbox.kind': 'none' }) : {}),
  }
}

/** A fleet, a telemetry server, and what Ralph tells the processes of another run. */
const notPassedOn = /^(OTEL_|RALPH_(FLEET_|(RUN|ITERATION|STORY|ATTEMPT|PLAN|FEATURE_DIR|REPORT|ROLE)$))/

/** The home of the runs: everything that tools have in the user's home is there as a link, and what is new stays in the copy. */
export function makeSurroundings(base: string, env: Env, ralphHome: string): void {
  const [home, own] = [join(base, 'home'), join(base, 'ralph-home')]
  for (const folder of [home, own, join(base, 'tmp')]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const users = env['HOME'] ?? ''
  for (const name of users === '' ? [] : tried(() => readdirSync(users), []))
    if (name !== STATE_FOLDER && !base.startsWith(join(users, name))) symlinkSync(join(users, name), join(home, name))
  for (const path of [userConfig(ralphHome), join(ralphHome, 'templates')])
    if (existsSync(path)) cpSync(path, join(own, path.slice(ralphHome.length + 1)), { recursive: true })
  const before = env['GIT_CONFIG_GLOBAL'] ?? join(home, '.gitconfig')
  writeFileSync(
    join(base, 'gitconfig'),
    `[include]\n\tpath = ${JSON.stringify(before)}\n[user]\n\tname = Rehearsal\n\temail = rehearsal@localhost\n[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n[core]\n\thooksPath = ${JSON.stringify(join(base, 'no-hooks'))}\n`,
  )
}
