/** What GitHub says about a pull request: its checks, and what people wrote. */
import { type Json, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { type About, type Api, listOf } from './api.ts'
import type { Forge, ForgeCheck, PullRequest, Remark } from './forge.ts'

const red = new Set(['failure', 'timed_out', 'startup_failure', 'error'])

const mostPages = 20
const isSameUser = (one: unknown, other: unknown): boolean => recordOf(one)['login'] === recordOf(other)['login']

export function githubReviews(api: Api & { graphql: string }, path: string): Pick<Forge, 'checks' | 'remarks' | 'reply'> {
  const repository = `repos/${path}`
  const aboutPull = ({ url }: PullRequest): About => ({ what: 'Pull request', url })

  async function outputOf(run: Json, about: About): Promise<string> {
    const { title, summary, text } = recordOf(run['output'])
    const asked = { path: `${repository}/check-runs/${numberOf(run['id'])}/annotations?per_page=50`, about, handles: [403, 404] }
    const { value } = await api.ask(asked)
    const notes = recordsIn(value).map(
      (note) => `${textOf(note['path'])}:${numberOf(note['start_line']) ?? 0}: ${textOf(note['message'])}`,
    )
    return [title, summary, text]
      .map(textOf)
      .concat(notes)
      .filter((part) => part !== '')
      .join('\n')
  }

  /** Comments on lines in threads that somebody has resolved. Only GraphQL knows. */
  async function resolvedComments(pull: PullRequest): Promise<Set<number>> {
    const query = `query($id: ID!, $after: String) { node(id: $id) { ... on PullRequest { reviewThreads(first: 100, after: $after) {
      nodes { isResolved comments(first: 100) { nodes { databaseId } } } pageInfo { hasNextPage endCursor } } } } }`
    const resolved = new Set<number>()
    let after: string | null = ''
    for (let page = 0; page < mostPages && after !== null; page++) {
      const body = { query, variables: { id: pull.id, after: after === '' ? null : after } }
      const asked = { path: api.graphql, method: 'POST', body, about: aboutPull(pull), handles: [403, 404] } as const
      const data = recordOf(recordOf((await api.ask(asked)).value)['data'])
      const { nodes, pageInfo } = recordOf(recordOf(data['node'])['reviewThreads'])
      for (const thread of recordsIn(nodes).filter(({ isResolved }) => isResolved === true))
        for (const { databaseId } of recordsIn(recordOf(thread['comments'])['nodes'])) resolved.add(numberOf(databaseId) ?? 0)
      const { hasNextPage, endCursor } = recordOf(pageInfo)
      after = hasNextPage === true ? textOf(endCursor) : null
    }
    return resolved
  }

  /** By author: a person who may push. */
  async function writers(authors: Json[], about: About): Promise<Map<string, boolean>> {
    const known = new Map<string, boolean>()
    for (const user of authors) {
      const login = textOf(user['login'])
      if (known.has(login) || login === '') continue
      const asked = { path: `${repository}/collaborators/${encodeURIComponent(login)}/permission`, about, handles: [403, 404] }
      const permission = user['type'] === 'Bot' ? '' : textOf(recordOf((await api.ask(asked)).value)['permission'])
      known.set(login, permission === 'admin' || permission === 'write')
    }
    return known
  }

  return {
    async checks(pull, commit) {
      const about = aboutPull(pull)
      const of = `${repository}/commits/${commit}`
      const runs: Json[] = []
      for (let next = `${of}/check-runs?per_page=100`; next !== '' && runs.length < 1000; ) {
        const answer = await api.ask({ path: next, about })
        runs.push(...recordsIn(recordOf(answer.value)['check_runs']))
        next = answer.next
      }
      const statuses: Json[] = []
      for (let next = `${of}/status?per_page=100`; next !== '' && statuses.length < 1000; ) {
        const answer = await api.ask({ path: next, about })
        statuses.push(...recordsIn(recordOf(answer.value)['statuses']))
        next = answer.next
      }
      const found: ForgeCheck[] = statuses.map((status) => ({
        name: textOf(status['context']),
        state: status['state'] === 'pending' ? 'running' : red.has(textOf(status['state'])) ? 'failed' : 'passed',
        url: textOf(status['target_url']) || pull.url,
        output: textOf(status['description']),
      }))
      for (const run of runs) {
        const isRed = red.has(textOf(run['conclusion']))
        found.push({
          name: textOf(run['name']),
          state: run['status'] !== 'completed' ? 'running' : isRed ? 'failed' : 'passed',
          url: textOf(run['html_url']),
          output: isRed ? await outputOf(run, about) : '',
        })
      }
      return found
    },
    async remarks(pull) {
      const about = aboutPull(pull)
      const pages = async (name: string): Promise<Json[]> =>
        recordsIn((await listOf(api, { path: `${repository}/${name}?per_page=100`, about })).items)
      const inline = await pages(`pulls/${pull.number}/comments`)
      // One that was not sent yet is shown to its author alone.
      const reviews = (await pages(`pulls/${pull.number}/reviews`)).filter(({ state }) => state !== 'PENDING')
      const talk = await pages(`issues/${pull.number}/comments`)
      const may = await writers(
        [...inline, ...reviews, ...talk].map((each) => recordOf(each['user'])),
        about,
      )
      const resolved = inline.length === 0 ? new Set<number>() : await resolvedComments(pull)
      /** An approval takes back what the same person asked for before. */
      const isOver = (review: Json, place: number): boolean =>
        reviews.slice(place + 1).some(({ state, user }) => state === 'APPROVED' && isSameUser(user, review['user']))
      const remark =
        (kind: string, isAsking: boolean) =>
        (fields: Json): Remark => {
          const thread = numberOf(fields['in_reply_to_id'])
          const author = textOf(recordOf(fields['user'])['login']) || 'ghost'
          const file = textOf(fields['path'])
          const line = numberOf(fields['line']) ?? numberOf(fields['original_line'])
          return {
            ...{
              id: `${kind}:${numberOf(fields['id']) ?? ''}${thread === undefined ? '' : `:${thread}`}`,
              url: textOf(fields['html_url']),
              author,
              mayWrite: may.get(author) === true,
            },
            ...{
              isAsking,
              body: textOf(fields['body']),
              place: file === '' ? '' : `${file}${line === undefined ? '' : `:${line}`}`,
            },
            at: textOf(fields['created_at']) || textOf(fields['submitted_at']),
          }
        }
      return [
        ...inline.map((comment) => remark('line', !resolved.has(numberOf(comment['id']) ?? 0))(comment)),
        ...reviews.map((review, place) =>
          remark('review', review['state'] === 'CHANGES_REQUESTED' && !isOver(review, place))(review),
        ),
        ...talk.map(remark('talk', false)),
      ]
        .filter(({ body }) => body.trim() !== '')
        .sort((one, other) => one.at.localeCompare(other.at))
    },
    async reply(pull, { id, author }, text) {
      // GitHub takes answers to the first comment of a thread only.
      const [kind, number, first = number] = id.split(':')
      const thread = `${repository}/pulls/${pull.number}/comments/${first}/replies`
      const talk = `${repository}/issues/${pull.number}/comments`
      const body = kind === 'line' ? text : `${text}\n\nAbout the review of ${author}.`
      await api.ask({ path: kind === 'line' ? thread : talk, method: 'POST', body: { body }, about: aboutPull(pull) })
    },
  }
}
