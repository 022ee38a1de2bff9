/** Reads an issue from GitHub: through `gh` if it is installed and logged in, else from the REST API, with a token if there is one. */
import { EXIT, Failure } from '../../core/failure.ts'
import type { Issue } from '../../core/import/issue.ts'
import { isRecord, isText, type Json, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { type Api, type GivenEnv, listOf } from '../forges/api.ts'
import { githubApi } from '../forges/github-api.ts'

/** The parts of an issue's address. */
export type IssueAddress = { url: string; host: string; owner: string; name: string; number: number }

/** Throws a Failure that says what is wrong. */
export async function fetchIssue(
  address: IssueAddress,
  env: GivenEnv,
  cwd: string,
): Promise<{ issue: Issue; warnings: string[] }> {
  const api = await githubApi(address.host, env, cwd)
  const { value } = await api.ask({ path: pathOf(address), about: aboutIssue(address) })
  return withComments(api, value, address)
}

/** `value`: the issue, as the API answers, alone or in a list. */
export async function withComments(
  api: Api,
  value: unknown,
  address: IssueAddress,
): Promise<{ issue: Issue; warnings: string[] }> {
  const first = issueIn(value, address)
  if (recordOf(value)['comments'] === 0) return { issue: { ...first, comments: [] }, warnings: [] }
  const { comments, warnings } = await commentsOf(api, `${pathOf(address)}/comments?per_page=100`, address)
  return { issue: { ...first, comments }, warnings }
}

const pathOf = ({ owner, name, number }: IssueAddress): string => `repos/${owner}/${name}/issues/${number}`

export function issueAddress(text: string): IssueAddress {
  const expected = 'expected the URL of an issue, such as https://github.com/owner/name/issues/7'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:') throw new Failure(EXIT.usage, `--from-issue is ${JSON.stringify(text)}; ${expected}.`)
  const [, owner, name, kind, number] = /^\/([\w.-]+)\/([\w.-]+)\/(issues|pull)\/([1-9]\d{0,9})\/?$/.exec(url.pathname) ?? []
  if (kind === 'pull') throw new Failure(EXIT.usage, `${text} is a pull request; ${expected}.`)
  if (!owner || !name || !number) throw new Failure(EXIT.usage, `--from-issue is ${JSON.stringify(text)}; ${expected}.`)
  return { url: `https://${url.host}/${owner}/${name}/issues/${number}`, host: url.host, owner, name, number: Number(number) }
}

const aboutIssue = ({ url }: IssueAddress) => ({ what: 'Issue', url })

const authorIn = (fields: Json): string => textOf(recordOf(fields['user'])['login']) || 'ghost'

function issueIn(value: unknown, address: IssueAddress): Omit<Issue, 'comments'> {
  if (!isRecord(value) || textOf(value['title']) === '' || typeof value['number'] !== 'number')
    throw new Failure(
      EXIT.data,
      `${address.host} answered for ${address.url} with something that is not an issue. Check the URL.`,
    )
  if (value['pull_request']) throw new Failure(EXIT.usage, `${address.url} is a pull request. Use the URL of an issue.`)
  const labels = Array.isArray(value['labels']) ? value['labels'] : []
  return {
    url: address.url,
    repository: `${address.owner}/${address.name}`,
    id: String(address.number),
    title: textOf(value['title']),
    body: textOf(value['body']),
    author: authorIn(value),
    isOpen: value['state'] !== 'closed',
    labels: labels.map((label) => (isText(label) ? label : textOf(recordOf(label)['name']))).filter((name) => name !== ''),
  }
}

async function commentsOf(
  api: Api,
  path: string,
  address: IssueAddress,
): Promise<{ comments: Issue['comments']; warnings: string[] }> {
  const about = { ...aboutIssue(address), url: `the comments of ${address.url}` }
  const { items, isCut } = await listOf(api, { path, about })
  const comments = recordsIn(items).map((item) => ({
    author: authorIn(item),
    body: textOf(item['body']),
    at: textOf(item['created_at']),
  }))
  const warnings = isCut ? [`The issue has more than ${comments.length} comments. Later ones were not imported.`] : []
  return { comments, warnings }
}
