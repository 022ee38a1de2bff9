/** The text of a pull request: what was done, how well it is proven, and what a reviewer should look at. A fold of the log. */
import { type IssueSource, sourceIn } from '../../core/import/issue-address.ts'
import { openQuestions } from '../../core/plan/questions.ts'
import { openReservations } from '../../core/proof/receipt.ts'
import type { State } from '../../core/state.ts'
import { inert, inertMarkdown } from '../../core/text/inert.ts'
import { sayDuration } from '../../core/text/time.ts'
import type { Story } from '../../core/types.ts'
import { gateWords, gradeOf, reservationPlace } from '../proof.ts'
import { plural } from '../status/status.ts'

/** Where the pull request will be; `closing`: commits whose own words close issues. */
export type PullPlace = {
  forge: 'github' | 'gitlab'
  host: string
  repository: string
  commit: string
  closing: { commit: string; words: string }[]
}

/** People edit titles: it is only set once. */
export function pullRequestTitle(state: State, description: string): string {
  const [only, ...others] = state.plan?.stories ?? []
  const words = description.trim().split('\n')[0] ?? ''
  const title =
    words.length > 0 && words.length <= longestTitle ? words : only && others.length === 0 ? only.title : state.feature
  return inert(title, longestTitle) || state.feature
}

const longestTitle = 100
const BEGIN = '<!-- ralph:begin -->'
const END = '<!-- ralph:end -->'

/** Between marks, so that what people write around it stays. */
export function pullRequestBody(state: State, place: PullPlace, mostRows = 100): string {
  const stories = state.plan?.stories ?? []
  const passed = stories.filter(({ passes }) => passes)
  const parts = [
    `${stories.length === 0 ? '' : `**${passed.length} of ${plural(stories.length, 'story', 'stories')} done.** `}${sentence(inertMarkdown(state.outcome?.because ?? ''))}`.trim(),
    table(state, passed, mostRows),
    section('Reservations: please look at these', reservationLines(state, passed)),
    section('Open questions', questionLines(state)),
    section('Not done', stories.filter(({ passes }) => !passes).map(openLine)),
    section(
      'Commit messages that mention issues',
      place.closing.map(({ commit, words }) => `${commit.slice(0, 7)}: ${inertMarkdown(words, 100)}`),
    ),
    figures(state),
    closingLines(stories, place).join('\n'),
    `<sub>Feature ${inertMarkdown(state.feature)}, run ${inertMarkdown(state.run)}, commit ${place.commit.slice(0, 10)}. Ralph updates this text; write above or below it.</sub>`,
  ]
  const body = [BEGIN, ...parts.filter((part) => part !== ''), END].join('\n\n')
  return body.length > longestBody && mostRows > 1 ? pullRequestBody(state, place, Math.floor(mostRows / 2)) : body
}

/** GitHub takes 65,536 characters. */
const longestBody = 50_000

/** The text with Ralph's part as it is now. Somebody who removed the marks does not want it. */
export function withOwnPart(there: string, own: string): string {
  if (there.trim() === '') return own
  const [begin, end] = [there.indexOf(BEGIN), there.indexOf(END)]
  return begin < 0 || end < begin ? there : `${there.slice(0, begin)}${own}${there.slice(end + END.length)}`
}

const sentence = (text: string): string => (text === '' ? '' : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`)

const section = (heading: string, lines: string[]): string =>
  lines.length === 0
    ? ''
    : [`### ${heading}`, '', ...lines.slice(0, mostLines).map((line) => `- ${line}`), ...more(lines.length - mostLines)].join(
        '\n',
      )

const mostLines = 30
const more = (count: number): string[] => (count > 0 ? [`- ${count} more: \`ralph report\``] : [])

function table({ stories }: State, passed: Story[], most: number): string {
  if (passed.length === 0) return ''
  const rows = passed.slice(0, most).map(({ id, title }) => {
    const receipt = stories[id]?.receipt
    const name = `${inertMarkdown(id, 40)} ${inertMarkdown(title, 120)}`
    if (receipt === undefined || receipt.given) return `| ${name} | passed before Ralph looked | | |`
    const cost = receipt.costUsd === null ? 'unknown' : `$${receipt.costUsd.toFixed(2)}`
    const gates = inertMarkdown(gateWords(receipt, sayDuration), 160)
    return `| ${name} | ${receipt.proof?.grade ?? gradeOf(receipt)} | ${gates} | ${cost} |`
  })
  const left = passed.length - most
  return [
    '| Story | Proof | Gates | Cost |',
    '|---|---|---|---|',
    ...rows,
    ...(left > 0 ? [`| ${left} more: \`ralph report\` | | | |`] : []),
  ].join('\n')
}

const reservationLines = ({ stories }: State, passed: Story[]): string[] =>
  passed.flatMap(({ id }) =>
    openReservations(stories[id]?.receipt).map(
      (reservation) => `${inertMarkdown(id, 40)}: ${inertMarkdown(reservationPlace(reservation), 300)}`,
    ),
  )

const questionLines = (state: State): string[] =>
  openQuestions(state).map(
    ({ story, question }) => `${story === null ? '' : `${inertMarkdown(story, 40)}: `}${inertMarkdown(question)}`,
  )

function openLine({ id, title, failed, skip }: Story): string {
  const why = failed ? `failed: ${inertMarkdown(failed.reason, 200)}` : skip ? 'skipped' : 'open'
  return `${inertMarkdown(id, 40)} ${inertMarkdown(title, 120)} (${why})`
}

/** Of all its runs. */
function figures({ stories, policy, iteration }: State): string {
  const costs = Object.values(stories).map(({ costUsd }) => costUsd)
  const known = costs.filter((cost) => cost !== null)
  const sum = known.reduce((all, cost) => all + cost, 0)
  const unknown = costs.length - known.length
  const cost =
    known.length === 0 ? 'unknown' : `$${sum.toFixed(2)}${unknown > 0 ? ` (${plural(unknown, 'story', 'stories')} unknown)` : ''}`
  const names = policy.gates.filter(({ story }) => story === undefined).map(({ name, soft }) => (soft ? `${name} (warns)` : name))
  const gates = names.length === 0 ? 'none' : inertMarkdown([...new Set(names)].join(', '))
  return `Gates: ${gates}. Cost: ${cost}, ${plural(iteration, 'iteration')}.`
}

/** An issue is closed once all its stories are done. */
function closingLines(stories: Story[], place: PullPlace): string[] {
  const bySource = new Map<string, Story[]>()
  for (const story of stories)
    if (story.source !== undefined) bySource.set(story.source, [...(bySource.get(story.source) ?? []), story])
  return [...bySource].flatMap(([text, own]) => {
    const source = sourceIn(text)
    if (source === null) return []
    const isDone = own.every(({ passes, skip }) => passes || skip) && own.some(({ passes }) => passes)
    const name = nameOf(source, place)
    // Jira and beads take no words.
    const verb =
      source.tracker === 'linear' ? 'Fixes' : source.tracker === 'github' || source.tracker === 'gitlab' ? 'Closes' : 'For'
    return [isDone ? `${verb} ${name}` : `Part of ${name}, which has open stories`]
  })
}

function nameOf({ tracker, host, repository, id }: IssueSource, place: PullPlace): string {
  if (tracker !== 'github' && tracker !== 'gitlab') return id
  const isHere = tracker === place.forge && host === place.host
  if (isHere) return repository.toLowerCase() === place.repository.toLowerCase() ? `#${id}` : `${repository}#${id}`
  return tracker === 'github' ? `https://${host}/${repository}/issues/${id}` : `https://${host}/${repository}/-/issues/${id}`
}
