/** What notices can be sent for, and how a URL is shown. Separate, because every command reads the settings. */
import { eventKinds } from '../event-kinds.ts'

/** What `on` may name besides event kinds. */
export const situations = ['stop', 'blocked', 'decide', 'breaker', 'limit'] as const

/** A URL as it may be shown: user, password, path and query can each contain a key. */
export function shownAddress(url: string): string {
  const [, scheme, host, rest] = /^(https?:\/\/)(?:[^/?#\\]*@)?([^/?#\\]*)(.*)$/is.exec(url.trim()) ?? []
  if (scheme === undefined) return url === '' ? '' : '***'
  return `${scheme}${host}${rest === '' || rest === '/' ? rest : '/***'}`
}

export const noticeNames: readonly string[] = [...situations, ...eventKinds]
