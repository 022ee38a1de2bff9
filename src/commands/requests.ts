/** Commands by which a person controls a run, now or later: say, pause, resume, stop, retry, skip, dismiss, unblock, answer, breaker reset. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../adapters/files/files.ts'
import { masker } from '../adapters/mask/mask.ts'
import { withCriterion } from '../adapters/plan/amend-criterion.ts'
import { readPlan } from '../adapters/plan/find-plan.ts'
import { blockedPath } from '../adapters/project/layout.ts'
import { settingsPolicy } from '../config/policy.ts'
import { dismissable } from '../core/evolve/dismissed.ts'
import { EXIT, Failure } from '../core/failure.ts'
import type { Question } from '../core/plan/question.ts'
import { isYes, openQuestions, questionFor, withAnswer } from '../core/plan/questions.ts'
import { isAcceptance } from '../core/reading/proposal.ts'
import type { Dismissed } from '../core/review/findings.ts'
import type { State } from '../core/state.ts'
import { didYouMean } from '../core/text/nearest.ts'
import { instantOf } from '../core/text/time.ts'
import type { StoryId } from '../core/types.ts'
import type { Io } from '../io.ts'
import { pathNow, projectOrArchive } from '../run/history/archived.ts'
import { liveIn, liveRun } from '../run/history/live-run.ts'
import { writeDecideFile, writtenQuestions } from '../run/people/decide-file.ts'
import { howToContinue, otherBranch } from '../run/people/find-branch.ts'
import { sendRequest, stateOf } from '../run/people/request.ts'
import { personHere } from '../run/people/write-amendments.ts'
import { findProject, type Project } from '../run/project.ts'

type Args = { feature?: string }

export async function runSay(args: Args & { text: string }, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  const text = needText(args.text, 'ralph say "<note for the next iteration>"')
  const how = await sendRequest(project, { kind: 'said', text }, io.env)
  io.out(
    how === 'live'
      ? 'Noted. The next iteration will read it.\n'
      : `Noted. ${how === 'written' ? 'The next run will read it.' : whyWaiting(project)}\n`,
  )
  return 0
}

export const runPause = (args: Args, io: Io): Promise<number> =>
  toLive(args, io, { kind: 'pause.requested', id: '' }, 'The run pauses after this iteration. Continue with: ralph resume')

export const runResume = (args: Args, io: Io): Promise<number> =>
  toLive(args, io, { kind: 'resume.requested', id: '' }, 'Resumed.')

export const runStop = (args: Args & { now?: boolean }, io: Io): Promise<number> =>
  toLive(
    args,
    io,
    { kind: 'stop.requested', by: 'user', now: args.now === true },
    args.now ? 'The run stops now.' : 'The run stops after this iteration.',
  )

export async function runRetry(args: Args & { story: string }, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  const story = await knownStory(project, args.story)
  await checkRetry(project, story)
  const how = await sendRequest(project, { kind: 'story.retried', story }, io.env)
  const next =
    how === 'live' ? (whyNotNow(project, story) ?? 'The running loop will pick it up.') : await afterwards(how, project, io)
  io.out(`Reopened ${story} with all its attempts. ${next}\n`)
  return 0
}

export async function runSkip(args: Args & { story: string }, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  const story = await knownStory(project, args.story)
  if (liveOnly(project) === story)
    throw new Failure(
      EXIT.usage,
      `Cannot skip ${story}: the current run works only on it (--story ${story}). End the run first: ralph stop, or ralph stop --now`,
    )
  const how = await sendRequest(project, { kind: 'story.skipped', story }, io.env)
  io.out(`Skipped ${story}. ${how === 'waiting' ? `${whyWaiting(project)} ` : ''}Undo with: ralph retry ${story}\n`)
  return 0
}

export async function runDismiss(args: { feature?: string; finding: string; why: string }, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  const state = stateOf(project)
  const all = openFindings(state)
  const asked = args.finding
    .trim()
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
  const found = asked.length < 4 ? [] : all.filter(({ id }) => id.startsWith(asked))
  const [only] = found
  if (only === undefined || found.length > 1)
    throw new Failure(EXIT.usage, notFound(args.finding, found.length > 1 ? found : all))
  const why = args.why.trim()
  const request = { story: only.story, finding: only.id, by: personHere(io.env), ...(why === '' ? {} : { why }) }
  const how = await sendRequest(project, { kind: 'finding.dismissed', ...request }, io.env)
  const next = how === 'live' ? 'The running loop will use it.' : await howToContinue(project, stateOf(project), io.env)
  io.out(`Dismissed ${only.id} of ${only.story}: ${only.words}\n${whatFollows(state, only.story, all)}${next}\n`)
  return 0
}

export async function runUnblock(args: Args & { note?: string }, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  const path = blockedPath(project.dir)
  if (stateOf(project).blocked === undefined && readIfThere(path) === null)
    throw new Failure(EXIT.usage, `${project.feature} is not blocked. Continue with: ralph run`)
  const how = await sendRequest(project, { kind: 'unblocked', note: (args.note ?? '').trim() }, io.env)
  rmSync(path, { force: true })
  io.out(`Unblocked. ${await afterwards(how, project, io)}\n`)
  return 0
}

/** `through`: the program that passes the person's words on. */
type AnswerArgs = Args & { text: string; story?: string | null; accept?: boolean; through?: string | undefined }

export async function runAnswer(args: AnswerArgs, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  const state = stateOf(project)
  const open = openQuestions(state)
  if (args.accept === true && args.text.trim() !== '')
    throw new Failure(EXIT.usage, 'Use either --accept, which takes the proposed criterion, or an answer of your own.')
  const usage = ['ralph answer "<your decision>"', ...open.map(questionLines)].join('\n')
  const text = args.accept === true ? 'accept' : needText(args.text, usage)
  // No agent asks: then it is for a question that a person wrote into the file.
  const [byHand] = open.length > 0 || args.story ? [] : writtenQuestions(project.dir, state).filter(({ answer }) => answer === '')
  const asked = byHand === undefined ? questionFor(state, args.story) : { story: null, question: byHand.question }
  if (asked === undefined) throw new Failure(EXIT.usage, noQuestion(args.story ?? project.feature, open))
  if (args.accept === true || isAcceptance(text)) await checkAcceptance(project, asked, args.accept === true)
  const whose = byHand === undefined ? { story: asked.story } : asked
  const by = `${personHere(io.env)}${args.through === undefined ? '' : ` (through ${args.through})`}`
  const how = await sendRequest(project, { kind: 'question.answered', text, ...whose, by }, io.env)
  const left = open.filter((question) => question !== asked)
  const answered = state.questions.map((question) => (question === asked ? withAnswer(question, { text, by }) : question))
  const added = byHand === undefined ? [] : [{ ...byHand, text, iteration: 0, story: null }]
  // A live run updates its file itself.
  if (how === 'written')
    writeDecideFile({ dir: project.dir, mask: masker(io.env) }, { ...state, questions: [...answered, ...added] })
  const next =
    how === 'live'
      ? ((asked.story === null ? null : whyNotNow(project, asked.story)) ?? 'The running loop will use it.')
      : left.length === 0
        ? await afterwards(how, project, io)
        : `Still open: ${left.map(({ story, question }) => `${story ?? 'no story'} (${question})`).join('; ')}`
  io.out(`${answeredWords(asked, text)}${next}\n`)
  return 0
}

function answeredWords(asked: Pick<Question, 'story' | 'proposal' | 'suspicions'>, text: string): string {
  const { story, proposal, suspicions } = asked
  const whom = story === null ? '' : ` for ${story}`
  if (suspicions !== undefined)
    return isYes(text) ? `Accepted${whom}: it passes once its checks pass again. ` : `Sent back${whom}, with your answer. `
  return proposal !== undefined && isAcceptance(text)
    ? `Accepted${whom}:\n- ${proposal.before}\n+ ${proposal.after}\n`
    : `Answered${whom}. `
}

type OpenFinding = Dismissed & { story: StoryId }

const openFindings = ({ stories }: State): OpenFinding[] =>
  Object.entries(stories).flatMap(([story, known]) => dismissable(known).map((finding) => ({ ...finding, story })))

function whatFollows({ plan }: State, story: StoryId, all: OpenFinding[]): string {
  const left = all.filter((finding) => finding.story === story).length - 1
  const named = plan?.stories.find(({ id }) => id === story)
  if (named?.passes === true) return 'Its receipt says that you accepted this. '
  if (named?.failed !== undefined) return `${story} has failed; to try it again: ralph retry ${story}. `
  return left > 0 ? `Still open for ${story}: ${left}. ` : `${story} is checked again before an agent works on it. `
}

function notFound(asked: string, open: OpenFinding[]): string {
  const lines = open.map(({ story, id, words }) => `  ${id}  ${story}: ${words}`)
  if (lines.length === 0) return 'No reviewer has left an open finding.'
  const what = asked.trim() === '' ? 'Which finding?' : `${asked} names no finding, or several.`
  return [`${what} Use: ralph dismiss <id> "<why>". Open findings:`, ...lines].join('\n')
}

const questionLines = ({ story, iteration, question }: Question): string =>
  `Iteration ${iteration} asks${story === null ? '' : ` for ${story}`}: ${question}`

/** What can be accepted: the work as complete, or a proposed criterion that the plan has. */
async function checkAcceptance(project: Project, asked: Partial<Question>, isFlag: boolean): Promise<void> {
  const { proposal, story = null, question } = asked
  if (proposal === undefined) {
    if (!isFlag || asked.accepts === true || asked.suspicions !== undefined) return
    throw new Failure(
      EXIT.usage,
      `This question proposes no criterion to accept: ${question}\nAnswer it in words: ralph answer "<your decision>". To change a criterion, change the plan in ${project.label} first.`,
    )
  }
  if (otherBranch(project, stateOf(project)) !== null) return // the next run writes it, where the plan is
  const { plan } = await readPlan(project.dir, project.label)
  if (plan === null) throw new Failure(EXIT.usage, `${project.label} has no plan whose criterion could change.`)
  await withCriterion(plan, story, proposal).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    throw new Failure(
      EXIT.usage,
      `Cannot accept: ${error.message}. Change the plan in ${project.label} yourself, then: ralph answer "<what you changed>"${story === null ? '' : ` --story ${story}`}`,
    )
  })
}

function noQuestion(whose: string, open: Question[]): string {
  if (open.length === 0) return `${whose} has no open question. To add a note to the next prompt: ralph say "…"`
  return `${whose} has no open question. Open questions:\n${open.map(({ story, question }) => `  ${story ?? '(no story)'}: ${question}`).join('\n')}`
}

export async function runBreaker(args: Args & { action?: string }, io: Io): Promise<number> {
  if (args.action !== undefined && args.action !== 'reset') {
    throw new Failure(EXIT.usage, `Unknown action "${args.action}"; use ralph breaker or ralph breaker reset.`)
  }
  if (args.action === 'reset') {
    const project = await findProject(io, args.feature)
    const how = await sendRequest(project, { kind: 'breaker.reset' }, io.env)
    io.out(`Circuit breaker reset to CLOSED. ${await afterwards(how, project, io)}\n`)
    return 0
  }
  const { breakerLines } = await import('../views/breaker.ts')
  const project = await projectOrArchive(io, args.feature)
  const state = stateOf(project)
  const policy = (state.run === '' ? await settingsPolicy(io.env, project) : undefined) ?? state.policy
  io.out(`${breakerLines({ ...state, policy }, instantOf(Date.now())).join('\n')}\n`)
  return 0
}

const afterwards = async (how: 'live' | 'written' | 'waiting', project: Project, io: Io): Promise<string> =>
  how === 'waiting' ? whyWaiting(project) : howToContinue(project, stateOf(project), io.env)

const whyWaiting = ({ root, feature }: Project): string =>
  `The next run of ${feature} takes it: a run of ${liveIn(root)?.feature ?? 'another feature'} is live here.`

async function toLive(
  args: Args,
  io: Io,
  request: Parameters<typeof sendRequest>[1] & { id?: string },
  words: string,
): Promise<number> {
  const project = await findProject(io, args.feature)
  if (liveRun(project) === null)
    throw new Failure(EXIT.usage, `No run of ${project.feature} to ${request.kind.split('.')[0]}. Start one with: ralph run`)
  await sendRequest(project, request, io.env)
  io.out(`${words}\n`)
  return 0
}

/** The one story that the live run works on; undefined: all, or no run. */
const liveOnly = (project: Project): string | undefined => (liveRun(project) === null ? undefined : stateOf(project).policy.only)

/** A request for another story takes effect later. */
function whyNotNow(project: Project, story: string): string | null {
  const only = liveOnly(project)
  return only === undefined || only === story
    ? null
    : `The current run works only on ${only} (--story ${only}); the next run will pick up ${story}.`
}

/** What passes has nothing to retry. Only the plan can ask for it again: who wants that may want other criteria too. */
async function checkRetry(project: Project, id: string): Promise<void> {
  const { plan: written, file } = await planNow(project)
  // A mark in the file of a live run may be the agent's, and is not judged yet.
  const plan = liveRun(project) === null ? written : stateOf(project).plan
  if (plan?.stories.some((story) => story.id === id && story.passes && !story.skip) !== true) return
  const where = file === null ? project.label : pathNow(project, join(project.dir, file))
  throw new Failure(EXIT.usage, `${id} passes already. To have it done again, mark it as open in ${where}, then: ralph run`)
}

/** The plan file of another branch may lack stories, or have others. */
async function planNow(project: Project): Promise<{ plan: State['plan']; file: string | null }> {
  const state = stateOf(project)
  if (otherBranch(project, state) !== null) return { plan: state.plan, file: null }
  const { plan } = await readPlan(project.dir, project.label)
  return { plan: plan?.plan ?? null, file: plan?.file ?? null }
}

async function knownStory(project: Project, id: string): Promise<string> {
  const other = otherBranch(project, stateOf(project))
  const { plan } = await planNow(project)
  const ids = plan?.stories.map((story) => story.id) ?? []
  if (ids.includes(id)) return id
  const where = other === null ? project.label : `the plan of the last run, which is on ${other.branch}`
  throw new Failure(EXIT.usage, `No story "${id}" in ${where}.${didYouMean(id, ids)} Stories: ${ids.join(', ') || 'none'}`)
}

function needText(text: string, usage: string): string {
  if (text.trim() === '') throw new Failure(EXIT.usage, `Missing text. Use: ${usage}`)
  return text.trim()
}
