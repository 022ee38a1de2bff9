/** `ralph diff [story|iteration]`: what a story, one iteration, or all of them committed. */
import { gitIn, type RunGit } from '../../adapters/git/run.ts'
import { readLog } from '../../adapters/project/event-log.ts'
import { gitDir } from '../../adapters/project/find.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { listed } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import { didYouMean } from '../../core/text/nearest.ts'
import type { Event } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { projectOrArchive } from '../../run/history/archived.ts'
import { bookOf } from '../../run/history/folded-log.ts'
import { plural } from '../../views/status/status.ts'
import { lookOf } from '../../views/terminal/look.ts'

export async function runDiff(args: { feature?: string; what?: string; stat?: boolean }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  if (gitDir(project.root) === null)
    throw new Failure(EXIT.data, `${project.root} is not a git repository: nothing was committed there.`)
  const { events } = readLog(eventLogPath(project.dir))
  const commits = commitsOf(events, args.what, project.feature)
  const git = gitIn(project.root, io.env)
  const known: string[] = []
  for (const commit of commits) if ((await git(['cat-file', '-e', `${commit}^{commit}`])).code === 0) known.push(commit)
  if (known.length === 0) {
    const why = commits.length === 0 ? 'has committed nothing' : 'has commits that are no longer in this repository'
    io.out(`${args.what ?? project.feature} ${why}.\n`)
    return 0
  }
  const { state } = bookOf(project)
  const branch = branchOf(state)
  const apart = await notOn(git, branch, known)
  // What was put aside, or has not landed yet, is no part of what one would merge. A branch that has none of it was squashed or rebased.
  const isWhole = args.what === undefined && apart.size < known.length
  const shown = isWhole ? known.filter((commit) => !apart.has(commit)) : known
  const colour = lookOf(io).hasColour ? 'always' : 'never'
  const form = args.stat ? ['--stat'] : ['--patch', '--stat']
  for (const commit of shown) {
    const one = await git([
      'show',
      `--color=${colour}`,
      '--no-ext-diff',
      '--no-textconv',
      `--format=%h %s (%an)${apart.has(commit) ? `, not on ${(branch ?? '').replaceAll('%', '%%')}` : ''}`,
      ...form,
      commit,
      '--',
      '.',
      ':(exclude).ralph',
    ])
    if (one.code !== 0) throw new Failure(EXIT.data, `git show ${commit} failed: ${one.words}`)
    io.raw(one.out.toString('utf8'))
  }
  if (isWhole && apart.size > 0) {
    const stories = storiesOf(events, apart)
    io.out(
      `\n${plural(apart.size, 'commit')} of ${listed(stories)} ${apart.size === 1 ? 'is' : 'are'} not on ${branch}. See ${apart.size === 1 ? 'it' : 'them'} with: ralph diff ${stories[0]} -f ${project.feature}\n`,
    )
  }
  return 0
}

const branchOf = ({ home, plan }: State): string | null => home?.branch || plan?.branch || null

/** Those that a branch lacks; none, if it was removed. */
async function notOn(git: RunGit, branch: string | null, commits: string[]): Promise<Set<string>> {
  if (branch === null) return new Set()
  const { code, out } = await git(['rev-list', '--stdin'], { input: `${commits.join('\n')}\n^refs/heads/${branch}\n` })
  if (code !== 0) return new Set()
  const lacking = new Set(out.toString('utf8').split('\n'))
  return new Set(commits.filter((commit) => lacking.has(commit)))
}

const storiesOf = (events: Event[], commits: Set<string>): string[] => {
  const storyOf = new Map(events.flatMap((event) => (event.kind === 'iteration.started' ? [[event.iteration, event.story]] : [])))
  const stories = events.flatMap((event) =>
    event.kind === 'iteration.ended' && event.commits.some((commit) => commits.has(commit))
      ? (storyOf.get(event.iteration) ?? [])
      : [],
  )
  return [...new Set(stories)]
}

/** Of one story or iteration; undefined: of all. */
function commitsOf(events: Event[], what: string | undefined, feature: string): string[] {
  const started = events.filter((event) => event.kind === 'iteration.started')
  if (what === undefined) {
    if (started.length === 0) throw new Failure(EXIT.usage, `${feature} has never run: nothing was committed.`)
    return commitsIn(events, started)
  }
  const isNumber = /^\d+$/.test(what) && started.some(({ iteration }) => iteration === Number(what))
  const own = started.filter(({ iteration, story }) => (isNumber ? iteration === Number(what) : story === what))
  if (own.length === 0) {
    const stories = [...new Set(started.flatMap(({ story }) => story ?? []))]
    const known = stories.length === 0 ? 'It has never run.' : `Stories that were worked on: ${stories.slice(0, 20).join(', ')}.`
    throw new Failure(
      EXIT.usage,
      `No story or iteration "${what}" in the log of ${feature}.${didYouMean(what, stories)} ${known}`,
    )
  }
  return commitsIn(events, own)
}

/** Oldest first: those of these iterations, and those by which they landed or were settled. */
function commitsIn(events: Event[], own: { iteration: number }[]): string[] {
  const iterations = new Set(own.map(({ iteration }) => iteration))
  const landed = new Set(
    events.flatMap((event) =>
      event.kind === 'landing.ended' && iterations.has(event.iteration) && event.commits.length > 0 ? [event.iteration] : [],
    ),
  )
  const found = events.flatMap((event) => {
    // Landed commits are those of the iteration once more, on the run's branch.
    if (event.kind === 'iteration.ended')
      return iterations.has(event.iteration) && !landed.has(event.iteration) ? event.commits : []
    if (event.kind === 'landing.ended' || event.kind === 'iteration.settled')
      return iterations.has(event.iteration) ? event.commits : []
    return []
  })
  return [...new Set(found)]
}
