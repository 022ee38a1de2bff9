/** Merge requests on GitLab. */
import { EXIT, Failure } from '../../core/failure.ts'
import { isRecord, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { type About, type GivenEnv, listOf, mustBeLoggedIn, wordsOf } from './api.ts'
import type { Forge, PullRequest } from './forge.ts'
import { gitlabApi } from './gitlab-api.ts'
import { gitlabReviews } from './gitlab-reviews.ts'
import type { RemoteRepository } from './remote.ts'

/** Throws a Failure if nobody is logged in. */
export async function gitlab(repository: RemoteRepository, env: GivenEnv, cwd: string): Promise<Forge> {
  const { host, path } = repository
  const api = await gitlabApi(host, env, cwd)
  mustBeLoggedIn(api, path)
  const about: About = { what: 'Project', url: `https://${host}/${path}` }
  const requests = `projects/${encodeURIComponent(path)}/merge_requests`
  return {
    kind: 'gitlab',
    noun: 'merge request',
    mark: '!',
    repository,
    async find(branch) {
      const query = `source_branch=${encodeURIComponent(branch)}&state=all&order_by=created_at&sort=desc&per_page=100`
      const { items } = await listOf(api, { path: `${requests}?${query}`, about })
      return recordsIn(items)
        .filter((fields) => fields['source_branch'] === branch && fields['source_project_id'] === fields['target_project_id'])
        .map((fields) => requestIn(fields, about))
    },
    async create({ branch, base, title, body, isDraft }) {
      const wanted = { source_branch: branch, target_branch: base, title: titled(title, isDraft), description: body }
      const handles = [400, 409, 422, 500, 502, 503, 504]
      const { status, value } = await api.ask({ path: requests, method: 'POST', body: wanted, about, handles })
      if (status === 201) return requestIn(value, about)
      if (status >= 500 || status === 409) return null
      const problem = wordsOf(JSON.stringify(value ?? {}))
      throw new Failure(EXIT.data, `${host} did not open a merge request for ${branch}: ${problem}. Fix that, then: ralph pr`)
    },
    ...gitlabReviews(api, path),
    async update(request, { body, base, isDraft = request.isDraft }) {
      const change = {
        ...(body === undefined || body === request.body ? {} : { description: body }),
        ...(base === undefined || base === request.base ? {} : { target_branch: base }),
        ...(isDraft === request.isDraft ? {} : { title: titled(request.title, isDraft) }),
      }
      if (Object.keys(change).length === 0) return request
      const asked = {
        path: `${requests}/${request.number}`,
        method: 'PUT',
        body: change,
        about: { what: 'Merge request', url: request.url },
      } as const
      return requestIn((await api.ask(asked)).value, about)
    },
  }
}

/** On GitLab a draft is one because of its title. */
const titled = (title: string, isDraft: boolean): string => {
  const bare = title.replace(/^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i, '')
  return isDraft ? `Draft: ${bare}` : bare
}

function requestIn(value: unknown, { url }: About): PullRequest {
  const fields = recordOf(value)
  const number = numberOf(fields['iid'])
  if (!isRecord(value) || number === undefined)
    throw new Failure(
      EXIT.data,
      `The answer for ${url} is not a merge request. Try again; if it happens again, check CI_API_V4_URL.`,
    )
  const { state } = fields
  return {
    number,
    url: textOf(fields['web_url']),
    state: state === 'merged' ? 'merged' : state === 'opened' || state === 'locked' ? 'open' : 'closed',
    isDraft: fields['draft'] === true || fields['work_in_progress'] === true,
    base: textOf(fields['target_branch']),
    title: textOf(fields['title']),
    body: textOf(fields['description']).replace(/\r\n/g, '\n'),
    commit: textOf(fields['sha']),
    id: '',
  }
}
