/** What GitLab says about a merge request: its pipeline, and what people wrote. */
import { type Json, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { type About, type Api, listOf } from './api.ts'
import type { Forge, PullRequest, Remark } from './forge.ts'

const underWay = new Set(['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled'])
/** A developer may push. */
const developer = 30
const longestTrace = 4000
/** Older ones are of older commits. */
const mostMerges = 3

export function gitlabReviews(api: Api, path: string): Pick<Forge, 'checks' | 'remarks' | 'reply'> {
  const project = `projects/${encodeURIComponent(path)}`
  const aboutRequest = ({ url }: PullRequest): About => ({ what: 'Merge request', url })
  const itself = ({ number }: PullRequest): string => `${project}/merge_requests/${number}`

  /** Newest first. GitLab may build what a merge would give: a commit of its own, whose parent is ours. */
  async function pipelineOf(all: Json[], commit: string, about: About): Promise<Json | undefined> {
    const own = all.find(({ sha }) => sha === commit)
    if (own !== undefined) return own
    for (const pipeline of all.filter(({ ref }) => /^refs\/merge-requests\/\d+\/merge$/.test(textOf(ref))).slice(0, mostMerges)) {
      const asked = { path: `${project}/repository/commits/${textOf(pipeline['sha'])}`, about, handles: [403, 404] }
      const { parent_ids: parents } = recordOf((await api.ask(asked)).value)
      if (Array.isArray(parents) && parents.includes(commit)) return pipeline
    }
    return undefined
  }

  async function traceOf(job: Json, about: About): Promise<string> {
    const { text } = await api.ask({ path: `${project}/jobs/${numberOf(job['id'])}/trace`, about, handles: [200, 403, 404] })
    return text.slice(-longestTrace)
  }

  async function writers(authors: Json[], about: About): Promise<Map<string, boolean>> {
    const known = new Map<string, boolean>()
    for (const author of authors) {
      const name = textOf(author['username'])
      if (known.has(name) || name === '') continue
      const asked = { path: `${project}/members/all/${numberOf(author['id'])}`, about, handles: [403, 404] }
      // Bots and service accounts are members too.
      const isBot = /^(?:(?:project|group)_\d+_bot|service_account_)/.test(name)
      const level = isBot ? 0 : (numberOf(recordOf((await api.ask(asked)).value)['access_level']) ?? 0)
      known.set(name, level >= developer)
    }
    return known
  }

  return {
    async checks(request, commit) {
      const about = aboutRequest(request)
      const { items } = await listOf(api, { path: `${itself(request)}/pipelines?per_page=100`, about })
      const pipeline = await pipelineOf(recordsIn(items), commit, about)
      if (pipeline === undefined) return []
      const jobs = await listOf(api, { path: `${project}/pipelines/${numberOf(pipeline['id'])}/jobs?per_page=100`, about })
      const isRunning = underWay.has(textOf(pipeline['status']))
      const found = []
      for (const job of recordsIn(jobs.items)) {
        const isRed = job['status'] === 'failed' && job['allow_failure'] !== true
        const state = isRed ? 'failed' : isRunning && underWay.has(textOf(job['status'])) ? 'running' : 'passed'
        const output = isRed ? await traceOf(job, about) : ''
        found.push({ name: textOf(job['name']), state, url: textOf(job['web_url']), output } as const)
      }
      return found
    },
    async remarks(request) {
      const about = aboutRequest(request)
      const { items } = await listOf(api, { path: `${itself(request)}/discussions?per_page=100`, about })
      const notes = recordsIn(items).flatMap((discussion) =>
        recordsIn(discussion['notes']).flatMap((note) =>
          note['system'] === true ? [] : [{ discussion: textOf(discussion['id']), note }],
        ),
      )
      const may = await writers(
        notes.map(({ note }) => recordOf(note['author'])),
        about,
      )
      return notes
        .map(({ discussion, note }): Remark => {
          const author = textOf(recordOf(note['author'])['username']) || 'ghost'
          const { new_path: file, new_line: line } = recordOf(note['position'])
          return {
            ...{
              id: `${discussion}:${numberOf(note['id']) ?? ''}`,
              url: `${request.url}#note_${numberOf(note['id']) ?? ''}`,
              author,
            },
            ...{ mayWrite: may.get(author) === true, isAsking: note['resolvable'] === true && note['resolved'] !== true },
            ...{
              body: textOf(note['body']),
              place: textOf(file) === '' ? '' : `${textOf(file)}${numberOf(line) === undefined ? '' : `:${line}`}`,
            },
            at: textOf(note['created_at']),
          }
        })
        .filter(({ body }) => body.trim() !== '')
        .sort((one, other) => one.at.localeCompare(other.at))
    },
    async reply(request, { id }, text) {
      const [discussion] = id.split(':')
      await api.ask({
        path: `${itself(request)}/discussions/${discussion}/notes`,
        method: 'POST',
        body: { body: text },
        about: aboutRequest(request),
      })
    },
  }
}
