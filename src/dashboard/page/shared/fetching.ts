/** Sends requests to the server, and turns refusals into messages. */
import { recordOf, textOf } from '../../../core/text/json.ts'

export async function fetchJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, init)
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') === true
  if (!isJson) throw new Error((await answer.text()).trim() || `The dashboard answered ${answer.status}. Reload the page.`)
  const value: unknown = await answer.json()
  if (!answer.ok)
    throw new Error(textOf(recordOf(value)['problem']) || `The dashboard answered ${answer.status}. Reload the page.`)
  return value as T // trusted: server and page have the same version
}

export const postJson = <T>(path: string, body: unknown): Promise<T> =>
  fetchJson(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
