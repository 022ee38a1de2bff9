/** Issues of Linear, with a key from LINEAR_API_KEY. */
import { EXIT, Failure } from '../../core/failure.ts'
import type { Issue } from '../../core/import/issue.ts'
import { type Json, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { apiOf, checkedBase, fetched, type GivenEnv, wordsOf } from '../forges/api.ts'
import { masker } from '../mask/mask.ts'
import { labelOf, progressMarks, type Tracker, type TrackerPlace } from './tracker.ts'

const login = 'Set LINEAR_API_KEY to a key'
const about = { what: 'Workspace', url: 'https://linear.app' }
/** Linear refuses a query of more than 10,000 points: an object is 1, a field 0.1, and a list has those of its items as often as it may have items. */
const perPage = 20
const most = 50

const fieldsOfIssue = `id identifier title description url team { id key } creator { displayName }
  labels(first: 50) { nodes { id name } } comments(first: 100) { nodes { id body createdAt user { displayName isMe } } }`

export async function linear({ place, env }: TrackerPlace): Promise<Tracker> {
  const ask = asker(env)

  async function found(id: string): Promise<Json> {
    const issue = recordOf((await ask(`query($id: String!) { issue(id: $id) { ${fieldsOfIssue} } }`, { id }))['issue'])
    if (textOf(issue['id']) === '') throw new Failure(EXIT.usage, `Linear has no issue ${id}, or your key may not read it.`)
    return issue
  }

  /** Of the issue's team or of the whole workspace; made where it is missing. */
  async function labelId(name: string, team: Json): Promise<string> {
    const query = `query($name: String!) { issueLabels(filter: { name: { eq: $name } }) { nodes { id team { id } } } }`
    const known = nodesIn((await ask(query, { name }))['issueLabels'])
    const fits = known.find((label) => label['team'] === null || recordOf(label['team'])['id'] === team['id'])
    if (fits !== undefined) return textOf(fits['id'])
    const make = `mutation($input: IssueLabelCreateInput!) { issueLabelCreate(input: $input) { issueLabel { id } } }`
    const made = recordOf((await ask(make, { input: { name, teamId: team['id'] } }))['issueLabelCreate'])
    return textOf(recordOf(made['issueLabel'])['id'])
  }

  return {
    async issues(label) {
      const team = place === '' ? '' : ', team: { key: { eq: $team } }'
      const filter = `{ labels: { some: { name: { eq: $label } } }, state: { type: { nin: ["completed", "canceled"] } }${team} }`
      const query = `query($label: String!, $after: String${place === '' ? '' : ', $team: String!'}) {
        issues(first: ${perPage}, after: $after, orderBy: createdAt, filter: ${filter}) { nodes { ${fieldsOfIssue} } pageInfo { hasNextPage endCursor } } }`
      const all: Json[] = []
      let after: string | null = null
      let page = 0
      for (; page < most; page++) {
        const { issues } = await ask(query, { label, after, ...(place === '' ? {} : { team: place }) })
        all.push(...nodesIn(issues))
        const { hasNextPage, endCursor } = recordOf(recordOf(issues)['pageInfo'])
        if (hasNextPage !== true) break
        after = textOf(endCursor)
      }
      // Newest first is the only order that Linear has.
      return { issues: all.map(issueIn).reverse(), isCut: page === most }
    },
    async mark(id, mark) {
      const issue = await found(id)
      const there = nodesIn(issue['labels'])
      for (const other of progressMarks.filter((each) => each !== mark)) {
        const label = there.find(({ name }) => name === labelOf(other))
        const remove = 'mutation($id: String!, $labelId: String!) { issueRemoveLabel(id: $id, labelId: $labelId) { success } }'
        if (label !== undefined) await ask(remove, { id: issue['id'], labelId: label['id'] })
      }
      if (there.some(({ name }) => name === labelOf(mark))) return
      const add = 'mutation($id: String!, $labelId: String!) { issueAddLabel(id: $id, labelId: $labelId) { success } }'
      await ask(add, { id: issue['id'], labelId: await labelId(labelOf(mark), recordOf(issue['team'])) })
    },
    async comment(id, text) {
      const issue = await found(id)
      // Linear keeps no hidden comments in its text: the mark is its first line.
      // Others may begin theirs like that, and a key may be allowed to change them.
      const own = nodesIn(issue['comments']).find(
        ({ body, user }) => recordOf(user)['isMe'] === true && textOf(body).startsWith(heading),
      )
      const body = `${heading}\n\n${text}`
      if (own === undefined)
        await ask('mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }', {
          input: { issueId: issue['id'], body },
        })
      else
        await ask('mutation($id: String!, $input: CommentUpdateInput!) { commentUpdate(id: $id, input: $input) { success } }', {
          id: own['id'],
          input: { body },
        })
    },
  }
}

const heading = '**Ralph**'

const nodesIn = (value: unknown): Json[] => recordsIn(recordOf(value)['nodes'])

function asker(env: GivenEnv): (query: string, variables: object) => Promise<Json> {
  const key = env['LINEAR_API_KEY']?.trim() ?? ''
  if (key === '') throw new Failure(EXIT.login, `Not logged in to Linear. ${login} of a personal account or an app.`)
  const base = checkedBase(env['LINEAR_API_URL'] || 'https://api.linear.app', 'LINEAR_API_URL', env['LINEAR_API_URL'] ?? '')
  const headers = { authorization: key, 'user-agent': 'ralph-proven' }
  const api = apiOf({
    ...{ host: 'linear.app', base, env, hasLogin: true, login, variable: 'LINEAR_API_URL' },
    bring: (sent) => fetched(sent, { base, headers }),
  })
  return async (query, variables) => {
    const { value } = await api.ask({ path: 'graphql', method: 'POST', body: { query, variables }, about, handles: [400] })
    const { data, errors } = recordOf(value)
    const [problem] = recordsIn(errors)
    if (problem === undefined) return recordOf(data)
    const { code } = recordOf(problem['extensions'])
    const words = masker(env).text(wordsOf(JSON.stringify({ message: problem['message'] })))
    if (code === 'RATELIMITED') throw new Failure(5, 'Rate limit of linear.app reached. Try again later.')
    if (code === 'AUTHENTICATION_ERROR' || code === 'FORBIDDEN')
      throw new Failure(EXIT.login, `linear.app rejects the login (${words}). ${login} that is valid and may do that.`)
    throw new Failure(EXIT.data, `linear.app rejected the request: ${words}`)
  }
}

function issueIn(fields: Json): Issue {
  return {
    url: textOf(fields['url']),
    repository: textOf(recordOf(fields['team'])['key']),
    id: textOf(fields['identifier']),
    title: textOf(fields['title']),
    body: textOf(fields['description']),
    author: nameIn(fields['creator']),
    isOpen: true,
    labels: nodesIn(fields['labels']).map(({ name }) => textOf(name)),
    comments: nodesIn(fields['comments'])
      .map(({ body, createdAt, user }) => ({ author: nameIn(user), body: textOf(body), at: textOf(createdAt) }))
      .sort((one, other) => one.at.localeCompare(other.at)),
  }
}

const nameIn = (person: unknown): string => textOf(recordOf(person)['displayName']) || 'ghost'
