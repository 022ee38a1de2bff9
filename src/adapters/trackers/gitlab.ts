/** Issues of a project on GitLab. */
import type { Issue } from '../../core/import/issue.ts'
import { isText, type Json, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { type Api, listOf, mustBeLoggedIn } from '../forges/api.ts'
import { gitlabApi } from '../forges/gitlab-api.ts'
import { COMMENT_MARK, labelOf, progressMarks, type Tracker, type TrackerPlace } from './tracker.ts'

export async function gitlabIssues({ host, place, env, cwd }: TrackerPlace): Promise<Tracker> {
  const api = await gitlabApi(host, env, cwd)
  const about = { what: 'Project', url: `https://${host}/${place}` }
  const issues = `projects/${encodeURIComponent(place)}/issues`
  const notes = async (id: string): Promise<Json[]> => {
    const { items } = await listOf(api, { path: `${issues}/${id}/notes?sort=asc&order_by=created_at&per_page=100`, about })
    return recordsIn(items).filter((note) => note['system'] !== true)
  }
  return {
    async issues(label) {
      const path = `${issues}?labels=${encodeURIComponent(label)}&state=opened&order_by=created_at&sort=asc&per_page=100`
      const { items, isCut } = await listOf(api, { path, about })
      const all: Issue[] = []
      for (const fields of recordsIn(items)) {
        const id = String(numberOf(fields['iid']) ?? '')
        if (id !== '') all.push(issueIn(fields, { id, place, host, notes: await notes(id) }))
      }
      return { issues: all, isCut }
    },
    async mark(id, mark) {
      mustBeLoggedIn(api)
      const others = progressMarks.filter((each) => each !== mark).map(labelOf)
      const body = { add_labels: labelOf(mark), remove_labels: others.join(',') }
      await api.ask({ path: `${issues}/${id}`, method: 'PUT', body, about })
    },
    async comment(id, text) {
      mustBeLoggedIn(api)
      const me = recordOf((await api.ask({ path: 'user', about })).value)['id']
      // Anybody can write the mark, and maintainers may change what others wrote.
      const own = (await notes(id)).findLast(
        (note) => recordOf(note['author'])['id'] === me && textOf(note['body']).startsWith(COMMENT_MARK),
      )
      await send(api, {
        path: `${issues}/${id}/notes`,
        own: numberOf(own?.['id']),
        body: { body: `${COMMENT_MARK}\n${text}` },
        about,
      })
    },
  }
}

type Sending = { path: string; own: number | undefined; body: object; about: { what: string; url: string } }

async function send(api: Api, { path, own, body, about }: Sending): Promise<void> {
  const changed =
    own === undefined ? null : await api.ask({ path: `${path}/${own}`, method: 'PUT', body, about, handles: [403, 404] })
  if (changed === null || changed.status >= 400) await api.ask({ path, method: 'POST', body, about })
}

type NotesOf = { id: string; place: string; host: string; notes: Json[] }

const issueIn = (fields: Json, { id, place, host, notes }: NotesOf): Issue => ({
  url: `https://${host}/${place}/-/issues/${id}`,
  repository: place,
  id,
  title: textOf(fields['title']),
  body: textOf(fields['description']),
  author: nameIn(fields),
  isOpen: fields['state'] === 'opened',
  labels: Array.isArray(fields['labels']) ? fields['labels'].filter(isText) : [],
  comments: notes.map((note) => ({ author: nameIn(note), body: textOf(note['body']), at: textOf(note['created_at']) })),
})

const nameIn = (fields: Json): string => textOf(recordOf(fields['author'])['username']) || 'ghost'
