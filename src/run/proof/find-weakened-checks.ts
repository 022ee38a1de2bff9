/** Finds what was done to the checks since a story began, by content that is read here: neither refs, index nor attributes of an agent count. */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { readIfThere } from '../../adapters/files/files.ts'
import type { Git } from '../../adapters/git/git.ts'
import { commonDirOf } from '../../adapters/git/worktree-folders.ts'
import { changedPython, hasPython, plantedInPython } from '../../adapters/installed/python.ts'
import { changedRunners, touchedPackages } from '../../adapters/installed/runners.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import { isCheckFile } from '../../core/proof/check-files.ts'
import type { Finding } from '../../core/proof/finding.ts'
import { protectedChanges } from '../../core/proof/protected-files.ts'
import type { State, StoryState } from '../../core/state.ts'
import type { FileChange } from '../../core/tamper/code/change.ts'
import { isCode, isSettings, isSource, mayMatter } from '../../core/tamper/code/files.ts'
import { isTestFile } from '../../core/tamper/code/languages.ts'
import type { StoryWords } from '../../core/tamper/declared-changes.ts'
import type { Ended, StoryId } from '../../core/types.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import { maxFiles } from '../iteration/measure.ts'
import type { OwnWorld } from '../iteration/restore-ralph-files.ts'
import type { Work } from '../parts.ts'
import { beginningOfWork } from './changed-checks.ts'
import { gateFilesOf } from './gate-files-of.ts'
import { changedIgnored } from './ignored-files.ts'
import { wordsOfStory } from './story-words.ts'

type Looking = Pick<Work, 'root' | 'env' | 'feature' | 'git' | 'place' | 'plan' | 'settings'> & Pick<OwnWorld, 'own'>
type Measured = Pick<Ended, 'commits' | 'files' | 'uncommitted' | 'flips'> & { story: StoryId | null }
/** Shell commands of the agent, and what was found by what had to be put back after it. */
type SeenBy = { commands: string[]; undone: Finding[] }

/** What was found; and the tests added meanwhile in files of this iteration. */
export async function weakenedSince(
  world: Looking,
  measured: Measured,
  { commands, undone }: SeenBy,
  state: State,
): Promise<Pick<Ended, 'findings' | 'tests'>> {
  const { git } = world
  const { story, commits, files = [], uncommitted, flips } = measured
  // A story that stays open is not judged: what gates would start, and what is not about checks, is looked at when it is marked as done.
  const isOpen = story !== null && flips.length === 0
  const programs = isOpen ? [] : [...world.own.changedPrograms(), ...changedPackages(world, flips)]
  const onlyPrograms = programs.length === 0 ? {} : { findings: programs }
  if (git === null) return onlyPrograms
  const touched = [...files, ...uncommitted]
  const patterns = world.settings['gates.protected']
  const earlier = (story === null ? undefined : state.stories[story]?.pastHooks) ?? []
  const isChecked = touched.some(isOpen ? isAboutChecks : mayMatter) || files.length >= maxFiles
  const isSuspect = isChecked || [patterns, flips, commands, undone, earlier].some((list) => list.length > 0)
  if (!isSuspect) return onlyPrograms
  const from = await beginningOfWork({ ...world, git }, story, state)
  const changesIn = async (only?: string[]): Promise<FileChange[]> =>
    from === null ? [] : changesOf(world, git, { ...measured, from, only }, state)
  const committed = patterns.length === 0 && flips.length === 0 ? [] : await git.diffFiles(from, 'HEAD')
  const forbidden = protectedChanges(fromRoot(world, git.top, [...committed, ...uncommitted]), patterns)
  const isFlip = from !== null && story !== null && flips.includes(story)
  const words = declaredWords(world, story, state)
  const { addedTests, moreTests, namesSource, weakenedChecks } = await rules()
  const look = (changes: FileChange[], others: { path: string; text: string }[] | null) => {
    let isAsked = false
    const findings = weakenedChecks({
      changes,
      commands,
      gateFiles: gateFilesOf(
        world,
        git.top,
        changes.map(({ path }) => path),
        state,
      ),
      hasHooks: () => hasHooks(git.dir),
      unchangedTests: () => {
        isAsked = true
        return others ?? []
      },
      story: words,
      ...(isFlip ? { files: [...new Set([...committed, ...uncommitted])] } : {}),
    })
    return { findings, isAsked }
  }
  // Earlier iterations were looked at when they ended: while the story stays open, they count only if this one shows something.
  const isNear = isOpen && files.length < maxFiles
  const near = isNear && isChecked ? await changesIn(touched) : []
  const nearby = isNear ? look(near, null) : null
  const isNothing = nearby !== null && !nearby.isAsked && nearby.findings.length === 0
  const changes = isNothing ? near : await changesIn()
  const first = isNothing ? nearby : look(changes, null)
  const changed = new Set(changes.map(({ path }) => path))
  const looked = first.isAsked
    ? look(changes, await git.committedFiles((path) => (isTestFile(path) || namesSource(words, path)) && !changed.has(path)))
    : first
  const planted =
    flips.length === 0
      ? []
      : [
          ...plantedModules(world, changes),
          ...(await localSubmodules(git, from)),
          ...(await unverified(world, git)),
          ...changedIgnored(world, state),
        ]
  const found = [...programs, ...planted, ...forbidden, ...notExamined(changes), ...looked.findings]
  // Hooks have run again for a later commit.
  const isPast = commits.length === 0 || found.some(({ rule }) => rule === 'hooks-bypassed')
  const all = withoutRepeated([...undone, ...(isPast ? earlier : []), ...found])
  const findings = [...new Map(all.map((finding) => [finding.words, finding])).values()]
  const tests = addedTests(changes, touched)
  const more = flips.length === 0 ? 0 : moreTests(changes)
  return {
    ...(findings.length === 0 ? {} : { findings }),
    ...(tests.length === 0 ? {} : { tests }),
    ...(more > 0 ? { moreTests: more } : {}),
  }
}

/** A run starts without them, and may end without them. */
async function rules() {
  const [checks, tests, sources] = await Promise.all([
    import('../../core/tamper/weakened-checks.ts'),
    import('../../core/tamper/changed-tests/idle-tests.ts'),
    import('../../core/tamper/missing-work/untouched-files.ts'),
  ])
  return { ...checks, moreTests: tests.moreTests, namesSource: sources.namesSource }
}

/** The agent's own command says more about a commit than git's trace of it. */
function withoutRepeated(findings: Finding[]): Finding[] {
  const isOfCommit = ({ rule, words }: Finding): boolean => rule === 'hooks-bypassed' && words.includes('(git commit ')
  const isTraced = (finding: Finding): boolean => isOfCommit(finding) && finding.words.includes(' that did not run ')
  const isSaid = findings.some((finding) => isOfCommit(finding) && !isTraced(finding))
  return isSaid ? findings.filter((finding) => !isTraced(finding)) : findings
}

const isAboutChecks = (path: string): boolean => mayMatter(path) && (isCheckFile(path) || !isSource(path))

/** In a worktree nobody knows what was installed there before the agent came, but runners are the same everywhere. */
function changedPackages({ own, own: { programs }, root, env, place }: Looking, flips: StoryId[]): Finding[] {
  const { installed = {}, since } = programs
  const touched = flips.length === 0 || since === undefined ? [] : touchedPackages(installed, root, place?.since ?? since)
  return [...changedRunners(installed, root), ...changedPython(installed, { root, env }), ...touched, ...own.changedCompiled()]
}

/** The commit names them, and whoever clones it gets nothing there. */
async function localSubmodules(git: Git, from: string | null): Promise<Finding[]> {
  return (await git.localSubmodules(from)).map((file) => ({
    rule: 'content-hidden',
    file,
    words: `points the submodule ${file} to a commit that none of its remotes has`,
    isBeyondChecks: true,
  }))
}

/** Code and settings alone: data may be as large as it likes. */
function notExamined(changes: FileChange[]): Finding[] {
  const files = changes.filter(({ path, isUnread }) => isUnread && (isCode(path) || isSettings(path))).map(({ path }) => path)
  if (files.length === 0) return []
  const names = `${files.slice(0, 5).join(', ')}${files.length > 5 ? ` and ${files.length - 5} more` : ''}`
  const [first = ''] = files
  const isBeyond = files.some((file) => !isCheckFile(file))
  return [
    {
      rule: 'not-examined',
      file: first,
      words: `changed too many or too large files to examine them all: ${names}`,
      ...(isBeyond ? { isBeyondChecks: true } : {}),
    },
  ]
}

/** Of what git packed since the run began; an object that is not what its id says ends the run. */
async function unverified({ own: { programs } }: Looking, git: Git): Promise<Finding[]> {
  return (await git.verify(programs.since ?? Date.now())).map(({ path, bytes }) => ({
    rule: 'content-hidden',
    words: `let git pack ${Math.round(bytes / 1024 / 1024)} MB of objects, too much to compare them with their ids (${basename(path)})`,
    isBeyondChecks: true,
  }))
}

/** What the story's own code imports and nobody can install again is work that no commit has. */
function plantedModules({ own: { programs }, root, env, place }: Looking, changes: FileChange[]): Finding[] {
  const { installed = {}, since } = programs
  if (since === undefined || !hasPython(installed)) return []
  const code = changes.filter(({ path }) => path.endsWith('.py')).map(({ after }) => after ?? '')
  const isImported = (module: string): boolean => {
    const imports = new RegExp(`^\\s*(?:from|import)\\s+${module.replace(/[^\w]/g, '\\$&')}\\b`, 'm')
    return code.some((text) => imports.test(text))
  }
  return plantedInPython({ root, env, since: place?.since ?? since }, isImported)
}

const begunIn = (stories: State['stories'], story: StoryId | null): StoryState | undefined =>
  story !== null && stories[story]?.isSaved === true ? stories[story] : undefined

async function changesOf(
  world: Looking,
  git: Git,
  { story, uncommitted, from, only }: Measured & { from: string; only: string[] | undefined },
  { stories }: State,
): Promise<FileChange[]> {
  const files = world.place === undefined ? (begunIn(stories, story)?.begunWith?.users ?? []) : []
  // What the user had not committed is compared with what it was then.
  const at = files.length === 0 || story === null ? null : await git.savedAt(beginningOf(world, story))
  return git.changesSince({
    from,
    uncommitted,
    ...(at === null ? {} : { saved: { at, files } }),
    ...(only === undefined ? {} : { only }),
  })
}

function declaredWords(world: Pick<Work, 'plan'>, id: StoryId | null, state: State): StoryWords | null {
  const story = storyNamed(state.plan, id)
  const text = wordsOfStory(world, id, state)
  if (!story || text === null) return null
  const kind = story.kind === undefined ? {} : { kind: story.kind }
  return { title: story.title, text, ...kind, changesTests: story.changesTests === true }
}

/** Of the repository itself, or of another folder that its settings name. */
function hasHooks(dir: string): boolean {
  const common = commonDirOf(dir)
  const folder = join(common, 'hooks')
  const own = existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.sample')) : []
  return own.length > 0 || /hookspath/i.test(readIfThere(join(common, 'config')) ?? '')
}

/** Patterns start in the project's folder; git's paths are from the top. */
function fromRoot({ root }: Pick<Work, 'root'>, top: string, files: string[]): string[] {
  const folder = relative(top, realpathSync(root))
  return folder === '' ? files : files.flatMap((file) => (file.startsWith(`${folder}/`) ? [file.slice(folder.length + 1)] : []))
}
