/** The data that the page shows, fetched again whenever the server reports a change. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { PageRequest } from '../../data/shapes.ts'
import { fetchJson, postJson } from './fetching.ts'
import { comeBack, introduce } from './reconnect.ts'

export type Connection = 'open' | 'lost' | 'refused'
export type Fetched<T> = { value: T | null; problem: string }
export type LiveChanges = {
  /** Counts changes of anything, or of one feature. */
  version(of?: string): number
  connection: Connection
}

/** Reconnects until it succeeds. */
export function useChanges(): LiveChanges {
  const [connection, setConnection] = useState<Connection>('open')
  const [, redraw] = useState(0)
  const counts = useRef({ all: 0, ofAll: 0, of: new Map<string, number>() })
  useEffect(() => {
    let source: EventSource | undefined
    let timer: number | undefined
    const connect = (): void => {
      source = new EventSource('/api/events')
      source.addEventListener('changed', ({ data }: MessageEvent<string>) => {
        const { current: count } = counts
        count.all += 1
        if (data === '') {
          count.ofAll += 1 // a new connection: something may have been missed
          void introduce()
        } else for (const key of data.split(' ')) count.of.set(key, (count.of.get(key) ?? 0) + 1)
        setConnection('open')
        redraw(count.all)
      })
      source.onerror = async () => {
        source?.close() // the built-in retry gives up at the first refusal
        clearTimeout(timer)
        timer = setTimeout(connect, againMs)
        const answer = await fetch('/api/projects', { method: 'HEAD' }).catch(() => null)
        if (answer?.status !== 403) setConnection('lost')
        else if (!(await comeBack())) setConnection('refused')
      }
    }
    connect()
    return () => {
      source?.close()
      clearTimeout(timer)
    }
  }, [])
  const version = (of?: string): number => {
    const { all, ofAll, of: each } = counts.current
    return of === undefined ? all : ofAll + (each.get(of) ?? 0)
  }
  return { version, connection }
}

/**
 * The old value stays until the new one is there, so that nothing flickers. One fetch at a time, so that a slow one is never overtaken
 * forever. `version` null: nobody looks. `isPart`: more will come without any change.
 */
export function useFetched<T>(path: string, version: number | null, isPart: (value: T) => boolean = () => false): Fetched<T> {
  const [fetched, setFetched] = useState<Fetched<T> & { path: string }>({ path, value: null, problem: '' })
  const loading = useRef({ path: '', isBusy: false, isDue: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is the reason to fetch again
  useEffect(() => {
    if (version === null) {
      loading.current = { path: '', isBusy: false, isDue: false }
      return
    }
    if (loading.current.path !== path) loading.current = { path, isBusy: false, isDue: false }
    const own = loading.current
    own.isDue = true
    if (!own.isBusy) void load()

    async function load(): Promise<void> {
      own.isBusy = true
      while (own.isDue && own === loading.current) {
        own.isDue = false
        const got = await fetchJson<T>(path).then(
          (value) => ({ value, problem: '' }),
          (error: Error) => ({ problem: error.message }),
        )
        if (own !== loading.current) return
        setFetched((before) => ({ path, value: before.path === path ? before.value : null, ...got }))
        if (!('value' in got && isPart(got.value))) continue
        await new Promise((resolve) => setTimeout(resolve, partMs)) // the new value may need another request first
        own.isDue = true
      }
      own.isBusy = false
    }
  }, [path, version])
  // Nobody looks any more: stop asking.
  useEffect(
    () => () => {
      loading.current = { path: '', isBusy: false, isDue: false }
    },
    [],
  )
  return fetched.path === path ? fetched : { value: null, problem: '' }
}

/** Returns the message that the command would have printed; throws the message of a refusal. */
export async function request(project: string, feature: string, asked: PageRequest): Promise<string> {
  return (await postJson<{ said: string }>('/api/request', { project, feature, request: asked })).said
}

const againMs = 1000
const partMs = 50

/** Counts while somebody should look again and no event says so: an agent prints without events. */
export function useTicks(isOn: boolean, everyMs: number): number {
  const [ticks, setTicks] = useState(0)
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => setTicks((before) => before + 1), everyMs)
    return () => clearInterval(timer)
  }, [isOn, everyMs])
  return ticks
}
