/** Settings of the user's agents and tools, prompt templates and specs: what an agent, gate or hook changes is put back, kept as a copy, and told. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { givesOrders, homeOrders, homeSettings, ownSettings, settingsPart } from '../../adapters/agents/list.ts'
import { makeFolder, readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { keepPackagesAbove, type PackagesAbove, settingsAbove } from '../../adapters/files/folders-above.ts'
import { isHarmlessSetting, toolSettings } from '../../adapters/files/home-files.ts'
import { type KeptFiles, keepFiles, stateOf } from '../../adapters/files/kept-file.ts'
import type { Git } from '../../adapters/git/git.ts'
import { isHookPath, isSameConfig, repositoryAmong, settingsFilesOf } from '../../adapters/git/settings-files.ts'
import { commonDirOf } from '../../adapters/git/worktree-folders.ts'
import { featureFolder, padded, progressPath, promptPath, restoredFolder, specsFolder } from '../../adapters/project/layout.ts'
import { ownTemplates } from '../../adapters/project/templates.ts'
import { tried } from '../../core/failure.ts'
import { listed } from '../../core/plan/stories.ts'
import type { KeptHash } from '../../core/types/results.ts'
import type { Reporter, Scope } from '../../core/types.ts'
import { sayWhen } from '../iteration/own-branch.ts'
import { noticed, toldNext } from '../noticed.ts'
import { judgesFolder } from '../parallel/worktree-paths.ts'
import type { Work } from '../parts.ts'

export type UsersSettings = {
  /** With another address in them, the next call would send the user's key to a foreign server. They stay for the whole run. */
  agents: KeptFiles
  /** With a line in one of them, a gate runs something else; a template tells reviewers what to do. */
  others: KeptFiles
  /** Instructions and notes: agents may write them, but not remove them. */
  texts: KeptFiles
  /** The branch that they are of. */
  branch: string
  /** Of the repository, as they were when the run began: for whoever looks after a kill. */
  ofGit: { path: string; bytes: Buffer }[]
  /** Packages that gates would find above their checkout. */
  packages: PackagesAbove
  /** Settings of agents that were put back in this run. */
  restored: string[]
  /** What counts of a file. */
  partOf(path: string, text: string): string
}
type SettingsWorld = Pick<Work, 'root' | 'home' | 'feature' | 'env'> & { own: { settings: UsersSettings } }

type SettingsPlaces = Pick<Work, 'root' | 'home' | 'feature' | 'env'> & { git?: Pick<Git, 'dir'> | null }

/** `since`: when the run began, in milliseconds. */
export const keepSettings = (places: SettingsPlaces, since = Date.now(), partOf = settingsPart(places.env)): UsersSettings => ({
  agents: keepFiles(
    () => agentSettings(places),
    (path, text, was) => partOf(path, text) === partOf(path, was),
  ),
  others: keepFiles(() => otherSettings(places), isHarmlessSetting),
  texts: keepFiles(
    () => textsOf(featureFolder(places.root, places.feature)),
    () => true,
  ),
  branch: branchIn(places.git),
  ofGit: places.git ? keepFiles(() => settingsFilesOf(commonDirOf(places.git?.dir ?? ''))).all() : [],
  packages: keepPackagesAbove(checkoutOf(places), places.env['HOME'], since),
  restored: [],
  partOf,
})

/** Skills that Ralph learns are in the project, which may be the home folder. */
const agentSettings = ({ root, env }: Pick<Work, 'root' | 'env'>): string[] => [
  ...homeSettings(env),
  ...homeOrders(env).filter((path) => !path.startsWith(`${root}/`)),
]

/** Where the home folder is the project, its files are the agent's work. */
const otherSettings = ({ root, home, feature, env }: SettingsPlaces): string[] => [
  ...new Set([
    ...[...toolSettings(env), ...settingsAbove(checkoutOf({ root, home }), givesOrders)].filter(
      (path) => !path.startsWith(`${root}/`),
    ),
    ...ownTemplates(root, home),
    ...specsOf(featureFolder(root, feature)),
  ]),
]

const textsOf = (dir: string): string[] => [promptPath(dir), progressPath(dir)]

const mostSpecs = 500

/** What stories are judged by. */
const specsOf = (dir: string): string[] =>
  tried(() => readdirSync(specsFolder(dir), { recursive: true, withFileTypes: true }), [])
    .filter((entry) => entry.isFile())
    .slice(0, mostSpecs)
    .map(({ parentPath, name }) => join(parentPath, name))

/** Any of them: what is above it is above all. */
const checkoutOf = (places: Pick<Work, 'root' | 'home'>): string => join(judgesFolder(places), '1')

/** After an agent, a gate or a hook. Returns whether something was restored: what git or others saw before may be wrong. */
export function restoreUsersSettings(world: SettingsWorld, iteration: Scope, report: Reporter): boolean {
  const { agents, others, packages } = world.own.settings
  let isRestored = false
  const told = (what: string, kept: KeptFiles, how: string): void => {
    for (const { path, was, content } of kept.restore()) {
      isRestored = true
      const where =
        content === null
          ? ''
          : ` (the ${was === 'added' ? 'new' : 'changed'} version is in ${keepCopy(world, path, iteration, content)})`
      const detail = `${path} was ${was} ${sayWhen(iteration)}; restored${where}. To change it yourself, ${how} the run first.`
      report(toldNext(what, detail))
      if (kept === agents) world.own.settings.restored.push(path)
    }
  }
  told('agent-settings-restored', agents, 'stop')
  told('settings-restored', others, 'pause')
  const aside = (path: string): string =>
    join(restoredFolder(world.home), `${world.feature}-${padded(iteration)}-${path.replace(/^\//, '').replaceAll('/', '-')}`)
  for (const { path, to } of packages.moveAway(aside)) {
    isRestored = true
    report(
      toldNext(
        'settings-restored',
        `${path} was added ${sayWhen(iteration)}, above the folder that gates run in; moved to ${to}. To install it yourself, pause the run first.`,
      ),
    )
  }
  return isRestored
}

/** The line of git's file; empty: a detached HEAD, or no git. */
const branchIn = (git: SettingsPlaces['git']): string =>
  /^ref: .*/.exec(git ? (readIfThere(join(git.dir, 'HEAD')) ?? '') : '')?.[0] ?? ''

/** `git clean -fdx` removes what is not committed yet, and nobody has a copy. On another branch they would be in the way back. */
export function restoreTexts(
  { own, git }: Pick<SettingsWorld, 'own'> & Pick<SettingsPlaces, 'git'>,
  iteration: Scope,
  report: Reporter,
): void {
  if (branchIn(git) !== own.settings.branch) return
  for (const { path } of own.settings.texts.restore())
    report(
      toldNext(
        'text-restored',
        `${path} was removed ${sayWhen(iteration)}; restored. To remove it yourself, pause the run first.`,
      ),
    )
}

/** What is there now is as it should be. */
export function renewOwn({ own }: Pick<SettingsWorld, 'own'>): void {
  own.settings.others.renew()
  own.settings.texts.renew()
}

/**
 * For a judge: whom it calls and what it is told is what the user set up. Call it before the judge starts, and what it gives once the judge has
 * ended: the settings that somebody wrote to meanwhile, such as an agent that works beside it. Empty: it reached the configured provider.
 */
export function watchJudge(world: SettingsWorld, iteration: Scope, report: Reporter): () => string[] {
  restoreUsersSettings(world, iteration, report)
  const { restored } = world.own.settings
  const before = restored.length
  // Also what is as before again: it may have been something else when the judge read it. Agents write some of these files themselves.
  const written = ownSettings(world.env)
  const others = agentSettings(world).filter((path) => !written.has(path))
  const states = others.map((path) => ({ path, state: stateOf(path) }))
  return () => {
    const changed = states.filter(({ path, state }) => stateOf(path) !== state).map(({ path }) => path)
    restoreUsersSettings(world, iteration, report)
    return [...new Set([...changed, ...restored.slice(before)])]
  }
}

/** While nothing of ours runs, changes are the user's. */
export function renewUsersSettings({ own }: Pick<SettingsWorld, 'own'>, report: Reporter): void {
  own.settings.texts.renew()
  const changed = own.settings.others.renew()
  if (changed.length === 0) return
  const detail = `${listed(changed.map(({ path }) => path))} changed while nothing ran; used from now on`
  const kept = changed.map(({ path, bytes }) => ({ path, hash: hashOfPart(own.settings.partOf, path, bytes?.toString()) }))
  report({ ...noticed('settings-changed', detail), kept })
}

/** Not masked, because nothing may be lost; so it is in the user's own folder, readable for nobody else. */
export function keepCopy(
  { home, feature }: Pick<Work, 'home' | 'feature'>,
  path: string,
  iteration: Scope,
  content: Buffer | string,
): string {
  const folder = restoredFolder(home)
  makeFolder(folder, 0o700)
  const name = `${feature}-${padded(iteration)}-${basename(path)}`
  const free = (number: number): string => {
    const copy = join(folder, number === 1 ? name : `${name}-${number}`)
    return existsSync(copy) && readIfThere(copy) !== content.toString() ? free(number + 1) : copy
  }
  const copy = free(1)
  replaceFile(copy, content, 0o600)
  return copy
}

/** Without anything that counts it is as if it were not there. */
function hashOfPart(partOf: UsersSettings['partOf'], path: string, text: string | null | undefined): string {
  const part = text === null || text === undefined ? '' : partOf(path, text)
  return part === '' && text !== '' ? '' : shortHash(part)
}

const shortHash = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)

/** For the log, which says after a kill what they were; the copies are kept elsewhere. */
export const keptHashes = ({ own }: Pick<SettingsWorld, 'own'>): KeptHash[] =>
  keptTexts({ own }).map(({ path, bytes }) => ({ path, hash: hashOfPart(own.settings.partOf, path, bytes.toString()) }))

export const keptTexts = ({ own }: Pick<SettingsWorld, 'own'>): { path: string; bytes: Buffer }[] => [
  ...own.settings.agents.all(),
  ...own.settings.others.all(),
  ...own.settings.ofGit,
]

/**
 * After a kill while something ran. `atDeath` and `before`: their content then and at the start of the run, as the witness has it; the log says
 * whether the latter is right. What was not there at the start, and is now, is put aside.
 */
export function restoreSettingsAfterKill(
  world: Pick<Work, 'root' | 'home' | 'feature' | 'env'>,
  { kept, iteration }: { kept: KeptHash[]; iteration: number },
  texts: { atDeath: (string | null)[] | null; before: (string | null)[] },
): { isRestored: boolean; words: string }[] {
  const partOf = settingsPart(world.env)
  const known = new Map(kept.map(({ path, hash }, index) => [path, { hash, index }]))
  const common = repositoryAmong([...known.keys()])
  const ofGit = new Set(common === null ? [] : settingsFilesOf(common))
  // A run that continues in another clone has nothing to restore in the one that is gone.
  const isGone = (path: string): boolean => common !== null && path.startsWith(`${common}/`) && !existsSync(common)
  const paths = [...agentSettings(world), ...otherSettings(world), ...ofGit]
  return [...new Set([...known.keys(), ...paths])]
    .filter((path) => !isGone(path))
    .flatMap((path) => {
      const { hash = '', index = -1 } = known.get(path) ?? {}
      const now = readIfThere(path)
      if (hashOfPart(partOf, path, now) === hash || (now !== null && isHarmlessSetting(path, now))) return []
      if (texts.atDeath !== null && index >= 0 && hashOfPart(partOf, path, texts.atDeath[index]) === hash) return [] // changed later, so by the user
      const was = texts.before[index] ?? null
      if (ofGit.has(path) && now !== null && was !== null && isSameConfig(now, was)) return []
      const copy = now === null ? null : keepCopy(world, path, iteration, Buffer.from(now))
      const where = copy === null ? '' : ` The changed version is in ${copy}: if the change was yours, copy it back.`
      if (hash !== '' && hashOfPart(partOf, path, was) !== hash)
        return {
          isRestored: false,
          words: `${path} was changed while iteration ${iteration} was running, or after Ralph was killed, and its former content is not known. Check it.${where}`,
        }
      if (was === null) rmSync(path, { force: true })
      else {
        makeFolder(dirname(path))
        replaceFile(path, was, !ofGit.has(path) ? 0o600 : isHookPath(path) ? 0o755 : 0o644)
      }
      const words = `${path} was changed while iteration ${iteration} was running, or after Ralph was killed; restored.${where}`
      return { isRestored: true, words }
    })
}
