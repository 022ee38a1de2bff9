/** Issues of a repository on GitHub. */
import { EXIT, Failure } from '../../core/failure.ts'
import { isText, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { listOf, mustBeLoggedIn } from '../forges/api.ts'
import { githubApi } from '../forges/github-api.ts'
import { fetchIssue } from '../import/github.ts'
import { COMMENT_MARK, labelOf, progressMarks, type Tracker, type TrackerPlace } from './tracker.ts'

export async function githubIssues({ host, place, env, cwd }: TrackerPlace): Promise<Tracker> {
  const api = await githubApi(host, env, cwd)
  const [owner = '', name = ''] = place.split('/')
  if (owner === '' || name === '') throw new Failure(EXIT.usage, `"${place}" is not a repository on GitHub; expected owner/name.`)
  const url = `https://${host}/${place}`
  const about = { what: 'Repository', url }
  const issues = `repos/${place}/issues`
  return {
    async issues(label) {
      const path = `${issues}?labels=${encodeURIComponent(label)}&state=open&sort=created&direction=asc&per_page=100`
      const { items, isCut } = await listOf(api, { path, about })
      // Pull requests are issues too.
      const found = recordsIn(items).filter((fields) => fields['pull_request'] === undefined && hasLabel(fields['labels'], label))
      const numbers = found.flatMap((fields) => numberOf(fields['number']) ?? [])
      const all = []
      for (const number of numbers)
        all.push((await fetchIssue({ url: `${url}/issues/${number}`, host, owner, name, number }, env, cwd)).issue)
      return { issues: all, isCut }
    },
    async mark(id, mark) {
      mustBeLoggedIn(api)
      for (const other of progressMarks.filter((each) => each !== mark))
        await api.ask({
          path: `${issues}/${id}/labels/${encodeURIComponent(labelOf(other))}`,
          method: 'DELETE',
          about,
          handles: [404],
        })
      await api.ask({ path: `${issues}/${id}/labels`, method: 'POST', body: { labels: [labelOf(mark)] }, about })
    },
    async comment(id, text) {
      mustBeLoggedIn(api)
      const body = { body: `${COMMENT_MARK}\n${text}` }
      const { items } = await listOf(api, { path: `${issues}/${id}/comments?per_page=100`, about })
      const own = recordsIn(items).findLast((fields) => textOf(fields['body']).startsWith(COMMENT_MARK))
      const at = own === undefined ? undefined : numberOf(own['id'])
      const path = `${issues}/comments/${at}`
      // Somebody else may have copied the mark: theirs cannot be changed.
      const changed = at === undefined ? null : await api.ask({ path, method: 'PATCH', body, about, handles: [403, 404] })
      if (changed === null || changed.status >= 400)
        await api.ask({ path: `${issues}/${id}/comments`, method: 'POST', body, about })
    },
  }
}

const hasLabel = (labels: unknown, label: string): boolean =>
  Array.isArray(labels) &&
  labels.some((each) => (isText(each) ? each : textOf(recordOf(each)['name'])).toLowerCase() === label.toLowerCase())
