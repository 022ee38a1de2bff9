/** Asks the server, and says in words what it refuses. */
import { recordOf, textOf } from '../../core/text/json.ts'

export async function fetchJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, init)
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') === true
  if (!isJson) throw new Error((await answer.text()).trim() || `The dashboard answered ${answer.status}. Load the page again.`)
  const value: unknown = await answer.json()
  if (!answer.ok)
    throw new Error(textOf(recordOf(value)['problem']) || `The dashboard answered ${answer.status}. Load the page again.`)
  return value as T // ours: the server and this page are of one version
}

export const postJson = <T>(path: string, body: unknown): Promise<T> =>
  fetchJson(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
