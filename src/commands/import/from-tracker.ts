/** `ralph import --from <tracker> --label <label>`: issues become features, or stories of one feature. What is there already is left out. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../adapters/files/files.ts'
import { repositoryAt } from '../../adapters/forges/remote.ts'
import { openGit } from '../../adapters/git/git.ts'
import { checklistItems } from '../../adapters/import/checklist-items.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { listFeatures } from '../../adapters/project/find.ts'
import { featureLabel } from '../../adapters/project/layout.ts'
import { openTracker, type TrackerName, trackerNames } from '../../adapters/trackers/tracker.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { fromIssue, fromIssues, type Issue, issueSpec, issueSpecPath } from '../../core/import/issue.ts'
import { listed } from '../../core/plan/stories.ts'
import type { Io } from '../../io.ts'
import { archivedProjects } from '../../run/history/archived.ts'
import { masked } from '../../run/outputs/masked.ts'
import { projectOf, projectRoot } from '../../run/project.ts'
import { firstFiles } from '../init.ts'
import type { First } from './first-files.ts'
import { type Desk, lookOver } from './look-over.ts'
import { atDesk, featureToFill, writeAccepted } from './session.ts'

export type TrackerArgs = { feature?: string; label?: string; each?: string; project?: string; yes?: boolean }

export const isTracker = (name: string | undefined): name is TrackerName => trackerNames.some((known) => known === name)

export async function runTrackerImport(name: TrackerName, args: TrackerArgs, io: Io): Promise<number> {
  const each = args.each ?? 'feature'
  if (each !== 'feature' && each !== 'story')
    throw new Failure(EXIT.usage, `--each is ${JSON.stringify(args.each)}; expected feature or story.`)
  if (each === 'feature' && args.feature !== undefined)
    throw new Failure(EXIT.usage, 'Each issue becomes a feature of its own. To put them into one: --each story -f <feature>')
  const issues = await labelledIssues(name, args, io)
  const known = await knownSources(io)
  const news = issues.filter(({ url }) => !known.has(url))
  const old = issues.filter(({ url }) => known.has(url))
  if (old.length > 0) io.out(`Imported before: ${listed(old.map(({ url, id }) => `${id} (${known.get(url)})`))}.\n`)
  if (news.length === 0) {
    if (old.length === 0) io.out(`No open issue has the label ${args.label}.\n`)
    return 0
  }
  return each === 'story' ? asStories(news, args, io) : asFeatures(news, args, io)
}

/** Open ones, oldest first. */
export async function labelledIssues(name: TrackerName, { label, project }: TrackerArgs, io: Io): Promise<Issue[]> {
  if (label === undefined || label.trim() === '')
    throw new Failure(EXIT.usage, `Say which issues: ralph import --from ${name} --label agent:ready`)
  const { root } = projectRoot(io)
  const place = await placeFor(name, project, io)
  const tracker = await openTracker(name, { ...place, env: io.env, cwd: root })
  const { issues, isCut } = await tracker.issues(label.trim())
  if (isCut)
    io.err(
      `! More issues have the label ${label} than were read (the first ${issues.length}). Close those that are done, or take the label from them.\n`,
    )
  const mask = masker(io.env)
  return issues.map((issue) => masked(issue, mask)) // they become files of the repository
}

/** On a forge, the repository that is named or that the remote has. */
async function placeFor(name: TrackerName, project: string | undefined, io: Io): Promise<{ host: string; place: string }> {
  if (name !== 'github' && name !== 'gitlab') return { host: '', place: project ?? '' }
  const usual = `${name}.com`
  const named = project === undefined ? null : (repositoryAt(project) ?? { host: usual, path: project })
  if (named !== null) return { host: named.host, place: named.path }
  const git = await openGit(projectRoot(io).root, io.env)
  try {
    const remote = git === null ? null : await git.remoteFor((await git.currentBranch()) ?? '')
    const found = remote === null ? null : (repositoryAt(remote.url) ?? repositoryAt(remote.usedUrl))
    if (found !== null) return { host: found.host, place: found.path }
  } finally {
    git?.close()
  }
  throw new Failure(EXIT.usage, `The project has no remote on ${name}. Name the repository: --project owner/name`)
}

/** Where an issue was imported to, by its address; archived features too. */
export async function knownSources(io: Io): Promise<Map<string, string>> {
  const place = projectRoot(io)
  const features = listFeatures(place.root).map((feature) => projectOf(place, feature))
  const known = new Map<string, string>()
  for (const { dir, label, feature } of [...archivedProjects(place, undefined), ...features]) {
    const { plan } = await readPlan(dir, label).catch(() => ({ plan: null }))
    for (const { source } of plan?.plan.stories ?? []) if (source !== undefined) known.set(source, feature)
  }
  return known
}

async function asStories(issues: Issue[], args: TrackerArgs, io: Io): Promise<number> {
  const first = await featureToFill(args.feature, io)
  return work(first, { issues, isSure: args.yes === true, io }, () => fromIssues(issues, checklistItems, issueSpecPath))
}

async function asFeatures(issues: Issue[], args: TrackerArgs, io: Io): Promise<number> {
  for (const issue of issues) {
    const first = await firstFiles({ feature: freeName(issue, listFeatures(projectRoot(io).root)) }, io)
    const desk = { issues: [issue], isSure: args.yes === true, io }
    const exit = await work(first, desk, () => fromIssue(issue, checklistItems, issueSpecPath(issue)))
    if (exit !== 0) return exit
  }
  return 0
}

function freeName({ id }: Issue, taken: string[]): string {
  const base = /^\d+$/.test(id)
    ? `issue-${id}`
    : id
        .toLowerCase()
        .replace(/[^a-z0-9._-]+/g, '-')
        .replace(/^[^a-z0-9]+/, '') || 'issue'
  let name = base
  for (let n = 2; taken.includes(name); n++) name = `${base}-${n}`
  return name
}

type Import = Pick<Desk, 'isSure' | 'io'> & { issues: Issue[] }

/** The plan is written last: if it exists, the texts of its issues do. */
function work(first: First, { issues, isSure, io }: Import, planned: () => ReturnType<typeof fromIssue>): Promise<number> {
  const [one, ...others] = issues
  const file = one !== undefined && others.length === 0 ? `issue ${one.id} of ${one.repository}` : `${issues.length} issues`
  return atDesk(first, { io, file, verb: 'import', again: 'import again', isSure }, async (desk) => {
    const looked = await lookOver({ plan: planned() }, desk)
    if (looked === null) return false
    for (const issue of issues) {
      const path = join(first.root, featureLabel(first.feature), issueSpecPath(issue))
      if (!existsSync(path)) replaceFile(path, issueSpec(issue, first.settings['completion.promise']))
    }
    writeAccepted(desk, looked)
    return true
  })
}
