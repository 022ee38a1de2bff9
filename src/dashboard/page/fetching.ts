/** Asks the server, and says in words what it refuses. */

export async function fetchJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const answer = await fetch(path, init)
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') === true
  if (!isJson) throw new Error((await answer.text()).trim() || `The dashboard answered ${answer.status}. Load the page again.`)
  const value = (await answer.json()) as T & { problem?: string }
  if (!answer.ok) throw new Error(value.problem ?? `The dashboard answered ${answer.status}. Load the page again.`)
  return value
}

export const postJson = <T>(path: string, body: unknown): Promise<T> =>
  fetchJson(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
