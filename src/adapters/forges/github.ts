/** Pull requests on GitHub. */
import { EXIT, Failure } from '../../core/failure.ts'
import { isRecord, type Json, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { type About, type GivenEnv, listOf, mustBeLoggedIn, wordsOf } from './api.ts'
import type { Forge, PullRequest } from './forge.ts'
import { githubApi } from './github-api.ts'
import { githubReviews } from './github-reviews.ts'
import type { RemoteRepository } from './remote.ts'

/** Throws a Failure if nobody is logged in. */
export async function github(repository: RemoteRepository, env: GivenEnv, cwd: string): Promise<Forge> {
  const { host, path } = repository
  const [owner = ''] = path.split('/')
  const api = await githubApi(host, env, cwd)
  mustBeLoggedIn(api, path)
  const site = `https://${host}/${path}`
  const about: About = { what: 'Repository', url: site }
  const pulls = `repos/${path}/pulls`

  async function graphql(mutation: string, pull: PullRequest): Promise<void> {
    const query = `mutation($id: ID!) { ${mutation}(input: {pullRequestId: $id}) { pullRequest { isDraft } } }`
    const body = { query, variables: { id: pull.id } }
    const { value } = await api.ask({ path: api.graphql, method: 'POST', body, about: { ...about, url: pull.url } })
    const problem = wordsOf(JSON.stringify(value))
    if (problem !== '') throw new Failure(EXIT.data, `${host} did not change ${pull.url}: ${problem}`)
  }

  return {
    kind: 'github',
    noun: 'pull request',
    mark: '#',
    repository,
    async find(branch) {
      const head = `${encodeURIComponent(owner)}:${encodeURIComponent(branch)}`
      const { items } = await listOf(api, {
        path: `${pulls}?state=all&head=${head}&sort=created&direction=desc&per_page=100`,
        about,
      })
      // A filter that GitHub does not understand finds everything.
      return recordsIn(items)
        .filter((fields) => isFrom(fields, branch))
        .map((fields) => pullIn(fields, about))
    },
    async create({ branch, base, title, body, isDraft }) {
      const wanted = { title, head: branch, base, body, draft: isDraft }
      const { status, value } = await api.ask({
        path: pulls,
        method: 'POST',
        body: wanted,
        about,
        handles: [422, 500, 502, 503, 504],
      })
      if (status === 201) return pullIn(value, about)
      const problem = wordsOf(JSON.stringify(value ?? {}))
      if (status >= 500 || /already exists/i.test(problem)) return null
      const advice = /draft/i.test(problem) ? 'Set git.pr to ready, or use: ralph pr --ready' : 'Fix that, then: ralph pr'
      throw new Failure(EXIT.data, `${host} did not open a pull request for ${branch}: ${problem}. ${advice}`)
    },
    ...githubReviews(api, path),
    async update(pull, { isDraft = pull.isDraft, ...change }) {
      const isSame = Object.entries(change).every(([name, value]) => pull[name as keyof typeof change] === value)
      const asked = {
        path: `${pulls}/${pull.number}`,
        method: 'PATCH',
        body: change,
        about: { what: 'Pull request', url: pull.url },
      } as const
      const now = isSame ? pull : pullIn((await api.ask(asked)).value, about)
      if (isDraft !== now.isDraft) await graphql(isDraft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview', now)
      return { ...now, isDraft }
    },
  }
}

/** Of the repository's own branch: a fork has another repository. The names are those of now, also after a move. */
function isFrom({ head, base }: Json, branch: string): boolean {
  const { ref, repo } = recordOf(head)
  const own = textOf(recordOf(recordOf(base)['repo'])['full_name'])
  return ref === branch && own !== '' && textOf(recordOf(repo)['full_name']) === own
}

function pullIn(value: unknown, { url }: About): PullRequest {
  const fields = recordOf(value)
  const number = numberOf(fields['number'])
  if (!isRecord(value) || number === undefined)
    throw new Failure(
      EXIT.data,
      `The answer for ${url} is not a pull request. Try again; if it happens again, check GITHUB_API_URL.`,
    )
  const isMerged = textOf(fields['merged_at']) !== '' || fields['merged'] === true
  return {
    number,
    url: textOf(fields['html_url']),
    state: isMerged ? 'merged' : fields['state'] === 'open' ? 'open' : 'closed',
    isDraft: fields['draft'] === true,
    base: textOf(recordOf(fields['base'])['ref']),
    title: textOf(fields['title']),
    body: textOf(fields['body']).replace(/\r\n/g, '\n'), // as it was sent
    commit: textOf(recordOf(fields['head'])['sha']),
    id: textOf(fields['node_id']),
  }
}
