/** Issues of a repository on GitHub. */
import { EXIT, Failure } from '../../core/failure.ts'
import { isText, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { listOf, mustBeLoggedIn } from '../forges/api.ts'
import { githubApi } from '../forges/github-api.ts'
import { withComments } from '../import/github.ts'
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
      const all = []
      for (const fields of found) {
        const number = numberOf(fields['number']) ?? 0
        all.push((await withComments(api, fields, { url: `${url}/issues/${number}`, host, owner, name, number })).issue)
      }
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
      const { value } = await api.ask({ path: 'user', about, handles: [401, 403, 404] })
      const me = textOf(recordOf(value)['login'])
      const { items } = await listOf(api, { path: `${issues}/${id}/comments?per_page=100`, about })
      // Anybody can write the mark, and whoever may push may change what others wrote.
      const own = recordsIn(items).findLast(
        (fields) => isMine(fields['user'], me) && textOf(fields['body']).startsWith(COMMENT_MARK),
      )
      const at = own === undefined ? undefined : numberOf(own['id'])
      const path = `${issues}/comments/${at}`
      const changed = at === undefined ? null : await api.ask({ path, method: 'PATCH', body, about, handles: [403, 404] })
      if (changed === null || changed.status >= 400)
        await api.ask({ path: `${issues}/${id}/comments`, method: 'POST', body, about })
    },
  }
}

/** A token of an app, as in GitHub Actions, may not ask who it is: its comments are a bot's. */
const isMine = (user: unknown, me: string): boolean =>
  me === '' ? recordOf(user)['type'] === 'Bot' : recordOf(user)['login'] === me

const hasLabel = (labels: unknown, label: string): boolean =>
  Array.isArray(labels) &&
  labels.some((each) => (isText(each) ? each : textOf(recordOf(each)['name'])).toLowerCase() === label.toLowerCase())
