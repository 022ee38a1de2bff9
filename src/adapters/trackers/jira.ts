/** Issues of Jira Cloud, with JIRA_URL, JIRA_EMAIL and JIRA_API_TOKEN. */
import { EXIT, Failure } from '../../core/failure.ts'
import type { Issue } from '../../core/import/issue.ts'
import { isText, type Json, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { type Api, apiOf, checkedBase, fetched, type GivenEnv } from '../forges/api.ts'
import { fromDocument, toDocument } from './jira-document.ts'
import { labelOf, progressMarks, type Tracker, type TrackerPlace } from './tracker.ts'

const login = 'Set JIRA_URL, JIRA_EMAIL and JIRA_API_TOKEN to those'
const most = 20

export async function jira({ host, place, env }: TrackerPlace): Promise<Tracker> {
  const { api, site } = opened(env)
  if (host !== '' && host !== api.host)
    throw new Failure(
      EXIT.login,
      `JIRA_URL is ${site}, but the issue is on ${host}. Set JIRA_URL, JIRA_EMAIL and JIRA_API_TOKEN to those of that site.`,
    )
  const about = { what: 'Project', url: site }
  const issue = (id: string): string => `rest/api/3/issue/${encodeURIComponent(id)}`
  async function comments(id: string): Promise<Json[]> {
    const all: Json[] = []
    for (let page = 0; page < most; page++) {
      const { value } = await api.ask({ path: `${issue(id)}/comment?startAt=${all.length}&maxResults=100`, about })
      const found = recordsIn(recordOf(value)['comments'])
      all.push(...found)
      if (found.length === 0 || all.length >= (numberOf(recordOf(value)['total']) ?? 0)) break
    }
    return all
  }
  return {
    async issues(label) {
      const project = place === '' ? '' : ` AND project = ${quoted(place)}`
      const jql = `labels = ${quoted(label)} AND statusCategory != Done${project} ORDER BY created ASC`
      const fields = ['summary', 'description', 'labels', 'comment', 'reporter', 'project', 'status']
      const all: Json[] = []
      let nextPageToken = ''
      let page = 0
      for (; page < most; page++) {
        const body = { jql, fields, maxResults: 50, ...(nextPageToken === '' ? {} : { nextPageToken }) }
        const { value } = await api.ask({ path: 'rest/api/3/search/jql', method: 'POST', body, about })
        all.push(...recordsIn(recordOf(value)['issues']))
        nextPageToken = textOf(recordOf(value)['nextPageToken'])
        if (nextPageToken === '') break
      }
      const issues: Issue[] = []
      for (const found of all) {
        const { comments: said, total } = recordOf(recordOf(found['fields'])['comment'])
        const some = recordsIn(said)
        // A search shows only some comments of a long discussion.
        const isWhole = some.length >= (numberOf(total) ?? 0)
        issues.push(issueIn(found, { site, comments: isWhole ? some : await comments(textOf(found['key'])) }))
      }
      return { issues, isCut: page === most }
    },
    async mark(id, mark) {
      const labels = [
        ...progressMarks.filter((each) => each !== mark).map((other) => ({ remove: labelOf(other) })),
        { add: labelOf(mark) },
      ]
      await api.ask({ path: issue(id), method: 'PUT', body: { update: { labels } }, about })
    },
    async comment(id, text) {
      const me = textOf(recordOf((await api.ask({ path: 'rest/api/3/myself', about })).value)['accountId'])
      // Others may begin theirs like that, and an administrator may change them.
      const own = (await comments(id)).find(
        ({ author, body: said }) => recordOf(author)['accountId'] === me && fromDocument(said).startsWith(heading),
      )
      const body = { body: toDocument(`${heading}\n\n${text}`) }
      const at = textOf(own?.['id'])
      const changed =
        at === ''
          ? null
          : await api.ask({ path: `${issue(id)}/comment/${at}`, method: 'PUT', body, about, handles: [400, 403, 404] })
      if (changed === null || changed.status >= 400) await api.ask({ path: `${issue(id)}/comment`, method: 'POST', body, about })
    },
  }
}

const heading = 'Ralph:'

/** A text in JQL. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, (sign) => `\\${sign}`)}"`

function opened(env: GivenEnv): { api: Api; site: string } {
  const [site = '', email = '', token = ''] = ['JIRA_URL', 'JIRA_EMAIL', 'JIRA_API_TOKEN'].map((name) => env[name]?.trim() ?? '')
  if (site === '' || email === '' || token === '')
    throw new Failure(
      EXIT.login,
      `Not logged in to Jira. ${login} of your site and account: https://you.atlassian.net, your address, an API token.`,
    )
  const base = checkedBase(site.replace(/\/+$/, ''), 'JIRA_URL', site)
  const headers = {
    accept: 'application/json',
    authorization: `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`,
    'user-agent': 'ralph-proven',
  }
  const host = new URL(base).host
  const service = { host, base, env, hasLogin: true, login, variable: 'JIRA_URL' }
  return { api: apiOf({ ...service, bring: (sent) => fetched(sent, { base, headers }) }), site: base }
}

function issueIn({ key, fields: given }: Json, { site, comments }: { site: string; comments: Json[] }): Issue {
  const fields = recordOf(given)
  return {
    url: `${site}/browse/${textOf(key)}`,
    repository: textOf(recordOf(fields['project'])['key']) || (textOf(key).split('-')[0] ?? ''),
    id: textOf(key),
    title: textOf(fields['summary']),
    body: fromDocument(fields['description']),
    author: nameIn(fields['reporter']),
    isOpen: true,
    labels: Array.isArray(fields['labels']) ? fields['labels'].filter(isText) : [],
    comments: comments.map(({ author, body, created }) => ({
      author: nameIn(author),
      body: fromDocument(body),
      at: textOf(created),
    })),
  }
}

const nameIn = (person: unknown): string => textOf(recordOf(person)['displayName']) || 'ghost'
