/** What the page shows, fetched again whenever the server says that something has changed. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Ask } from '../server/data.ts'

export type Connection = 'open' | 'lost' | 'refused'
export type Fetched<T> = { value: T | null; problem: string }

/** `version` grows with every change; a connection that is lost is tried again until it is there. */
export function useChanges(): { version: number; connection: Connection } {
  const [version, setVersion] = useState(0)
  const [connection, setConnection] = useState<Connection>('open')
  useEffect(() => {
    let source: EventSource | undefined
    let timer: number | undefined
    const connect = (): void => {
      source = new EventSource('/api/events')
      source.addEventListener('changed', () => {
        setConnection('open')
        setVersion((before) => before + 1)
      })
      source.onerror = async () => {
        source?.close() // its own second try gives up at the first refusal
        clearTimeout(timer)
        timer = setTimeout(connect, againMs)
        const answer = await fetch('/api/projects', { method: 'HEAD' }).catch(() => null)
        setConnection(answer?.status === 403 ? 'refused' : 'lost')
      }
    }
    connect()
    return () => {
      source?.close()
      clearTimeout(timer)
    }
  }, [])
  return { version, connection }
}

/** What was there stays until the new is: nothing flickers. One fetch at a time, so that a slow one is not overtaken for ever. */
export function useFetched<T>(path: string, version: number): Fetched<T> {
  const [fetched, setFetched] = useState<Fetched<T> & { path: string }>({ path, value: null, problem: '' })
  const loading = useRef({ path: '', isBusy: false, isDue: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is the reason to fetch again
  useEffect(() => {
    if (loading.current.path !== path) loading.current = { path, isBusy: false, isDue: false }
    const own = loading.current
    own.isDue = true
    if (!own.isBusy) void load()

    async function load(): Promise<void> {
      own.isBusy = true
      while (own.isDue && own === loading.current) {
        own.isDue = false
        const got = await fetchJson<T>(path, {}).then(
          (value) => ({ value, problem: '' }),
          (error: Error) => ({ problem: error.message }),
        )
        if (own === loading.current) setFetched((before) => ({ path, value: before.path === path ? before.value : null, ...got }))
      }
      own.isBusy = false
    }
  }, [path, version])
  return fetched.path === path ? fetched : { value: null, problem: '' }
}

/** Gives the words that the command would have printed; throws those of a refusal. */
export async function request(project: string, feature: string, asked: Ask): Promise<string> {
  const body = JSON.stringify({ project, feature, request: asked })
  const headers = { 'Content-Type': 'application/json' }
  return (await fetchJson<{ said: string }>('/api/request', { method: 'POST', headers, body })).said
}

const againMs = 1000

async function fetchJson<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(path, init)
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') === true
  if (!isJson) throw new Error((await answer.text()).trim() || `The dashboard answered ${answer.status}. Load the page again.`)
  const value = (await answer.json()) as T & { problem?: string }
  if (!answer.ok) throw new Error(value.problem ?? `The dashboard answered ${answer.status}. Load the page again.`)
  return value
}
