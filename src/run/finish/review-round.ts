/** One look at a pull request: red checks and what reviewers ask for become stories of the plan, and reviewers are answered. Safe to repeat. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere, replaceFile } from '../../adapters/files/files.ts'
import type { ForgeCheck, Remark } from '../../adapters/forges/forge.ts'
import { planAfter, planBefore } from '../../adapters/import/plan-text.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { type FixRound, fixSpec, fixStories } from '../../core/import/fix-stories.ts'
import { inertMarkdown } from '../../core/text/inert.ts'
import type { Story } from '../../core/types.ts'
import { bookOf } from '../history/folded-log.ts'
import type { Project } from '../project.ts'
import { isArchivedPlace } from './archive.ts'
import { type PullHands, type PullResult, record } from './pull-request.ts'

export type PullLook =
  | { kind: 'waiting'; running: string[] }
  | { kind: 'quiet'; checks: number; others: number }
  | { kind: 'spent'; wants: string[] }
  | { kind: 'stories'; round: number; ids: string[]; wants: string[] }

/** At the beginning of Ralph's own answers. */
const ANSWER = '<!-- ralph:answer'
const answerMark = ({ id }: Remark): string => `${ANSWER} ${id} -->`

/** Call it with the lock held. */
export async function lookAtPull(project: Project, { settings, env, git }: PullHands, sent: PullResult): Promise<PullLook> {
  const { forge, pull, place } = sent
  const { path, text, plan } = await planToFill(project)
  const [checks, remarks] = [await forge.checks(pull, place.commit), await forge.remarks(pull)]
  const known = new Set(plan.flatMap(({ source }) => source ?? []))
  const red = checks
    .filter(({ state }) => state === 'failed')
    .map((check) => ({ ...check, source: sourceOf(check, place.commit) }))
  const hidden = masker(env)
  const said = remarks
    .filter(({ body }) => !body.startsWith(ANSWER))
    .map((remark) => ({ ...remark, body: hidden.text(remark.body), source: remark.url }))
  const isAsked = ({ mayWrite, isAsking }: Remark): boolean => mayWrite && isAsking
  const asked = said.filter((remark) => isAsked(remark) && !known.has(remark.source))
  const news = red.filter(({ source }) => !known.has(source)).map((check) => ({ ...check, output: hidden.text(check.output) }))
  const running = checks.filter(({ state }) => state === 'running').map(({ name }) => name)
  if (running.length > 0 && asked.length === 0) return { kind: 'waiting', running }
  const wants = [
    ...news.map(({ name }) => `check ${name}`),
    ...asked.map(({ author, place: at }) => `${author}${at === '' ? '' : ` on ${at}`}`),
  ]
  const others = said.filter((remark) => !isAsked(remark))
  if (wants.length === 0) return { kind: 'quiet', checks: checks.length, others: others.length }

  const { pull: logged, run } = bookOf(project).state
  const rounds = logged?.number === pull.number ? logged.rounds : undefined
  const times = rounds?.times ?? 0
  // A kill came between the log and the plan.
  const isOpen = times > 0 && rounds?.sources.every((source) => !known.has(source)) === true
  if (!isOpen && times >= settings['git.pr_rounds']) return { kind: 'spent', wants }
  const round = isOpen ? times : times + 1
  if (git !== null && (await git.currentBranch()) !== place.branch)
    throw new Failure(
      EXIT.data,
      `Another branch is checked out, and the plan is on ${place.branch}. Continue with: git switch ${place.branch} && ralph pr --watch`,
    )
  const spec = `specs/pull-request-${pull.number}-round-${round}.md`
  const facts: FixRound = { round, pull: pull.url, spec, checks: news, asked, others }
  const promise = settings['completion.promise']
  const made = fixStories(facts, promise)
  const before = await planBefore(path, text)
  const after = await planAfter(before, made, { feature: project.feature, branchName: '', createdAt: '', schema: '' })
  const sources = after.stories.map(({ more }) => String(more['source']))
  // Meanwhile something else may be wanted.
  const isNew = !isOpen || rounds?.sources.join('\n') !== sources.join('\n')
  if (isNew) record(project, { run }, [{ kind: 'pull-request.reviewed', number: pull.number, round, sources }], env)
  replaceFile(join(project.dir, spec), fixSpec(facts, promise))
  replaceFile(join(project.root, path), after.file.text)
  if (settings['git.commit_state']) {
    const committed = await git?.commitState(`chore(ralph): round ${round} of ${sent.name}`)
    if (committed && 'error' in committed) throw new Failure(EXIT.data, `git could not commit the plan: ${committed.error}`)
  }
  return { kind: 'stories', round, ids: after.stories.map(({ id }) => id), wants }
}

/** The same check of another commit is another one. */
const sourceOf = ({ name }: ForgeCheck, commit: string): string => `check:${name}@${commit.slice(0, 12)}`

async function planToFill(project: Project): Promise<{ path: string; text: string; plan: Story[] }> {
  if (isArchivedPlace(project))
    throw new Failure(
      EXIT.usage,
      `${project.feature} is archived, so it takes no more stories. With git.pr set, a feature stays until you archive it.`,
    )
  const { plan } = await readPlan(project.dir, project.label)
  if (plan === null) throw new Failure(EXIT.usage, `${project.label} has no plan to add stories to.`)
  const path = join(project.label, plan.file)
  return { path, text: readIfThere(join(project.root, path)) ?? '', plan: plan.plan.stories }
}

/** Says to each reviewer which commits answer them, once. Returns whom. */
export async function answerReviewers(project: Project, { env }: PullHands, { forge, pull }: PullResult): Promise<string[]> {
  if (!existsSync(project.dir)) return []
  const { plan, stories, pull: logged, run } = bookOf(project).state
  const rounds = logged?.number === pull.number ? logged.rounds : undefined
  const done = (plan?.stories ?? []).filter(({ passes, failed }) => passes || failed !== undefined)
  const due = done.filter(({ source }) => source !== undefined && rounds?.answered.includes(source) === false)
  if (due.length === 0) return []
  const remarks = await forge.remarks(pull)
  const answered: string[] = []
  for (const story of due) {
    const remark = remarks.find(({ url }) => url === story.source)
    if (remark === undefined) continue
    const commits = stories[story.id]?.receipt?.commits ?? []
    const mark = answerMark(remark)
    // After a kill it may be there. Anybody can write the mark.
    if (!remarks.some(({ body, mayWrite }) => mayWrite && body.startsWith(mark)))
      await forge.reply(pull, remark, `${mark}\n${masker(env).text(answerWords(story, commits))}`)
    record(
      project,
      { run },
      [{ kind: 'pull-request.answered', number: pull.number, story: story.id, source: remark.url, commits }],
      env,
    )
    answered.push(remark.author)
  }
  return answered
}

function answerWords({ id, passes, failed }: Story, commits: string[]): string {
  if (!passes) return `Not solved (${inertMarkdown(id)}): ${inertMarkdown(failed?.reason ?? '', 300)}. Needs a person.`
  const shas = commits.map((commit) => commit.slice(0, 10)).join(', ')
  return shas === '' ? `Looked at (${inertMarkdown(id)}): no change was needed.` : `Done in ${shas} (${inertMarkdown(id)}).`
}
