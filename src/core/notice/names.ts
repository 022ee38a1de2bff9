/** What a notice can be sent for, and how an address is shown: apart from the rest, because every command reads the settings. */
import { eventKinds } from '../event-kinds.ts'

/** What `on` may name beside the kinds of event. */
export const situations = ['stop', 'blocked', 'decide', 'breaker', 'limit'] as const

/** An address as it may be shown: user, password, path and query can each hold a key. */
export function shownAddress(url: string): string {
  const [, scheme, host, rest] = /^(https?:\/\/)(?:[^/?#\\]*@)?([^/?#\\]*)(.*)$/is.exec(url.trim()) ?? []
  if (scheme === undefined) return url === '' ? '' : '***'
  return `${scheme}${host}${rest === '' || rest === '/' ? rest : '/***'}`
}

export const noticeNames: readonly string[] = [...situations, ...eventKinds]
