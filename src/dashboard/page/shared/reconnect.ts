/** Continues after a restart of the dashboard: the page proves that it had access before, with a key that never leaves it. */
import { fetchJson, postJson } from './fetching.ts'

type PageKey = { key: string; sign(text: string): Promise<string> }
let own: PageKey | null = null

/** Registers the public half of the key. Where a browser cannot make keys (another machine, no encryption), a restart needs the new URL. */
export async function introduce(): Promise<void> {
  if (!isSecureContext) return
  try {
    own ??= await newKey()
    await postJson('/api/page', { key: own.key })
  } catch {
    // the next connection tries again
  }
}

/** Whether the new dashboard granted access. */
export async function comeBack(): Promise<boolean> {
  if (own === null) return false
  try {
    const { challenge } = await fetchJson<{ challenge: string }>('/api/return')
    await postJson('/api/return', { key: own.key, signature: await own.sign(`${location.origin} ${challenge}`) })
    return true
  } catch {
    return false
  }
}

async function newKey(): Promise<PageKey> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  const key = base64url(await crypto.subtle.exportKey('raw', pair.publicKey))
  const how = { name: 'ECDSA', hash: 'SHA-256' }
  const sign = async (text: string): Promise<string> =>
    base64url(await crypto.subtle.sign(how, pair.privateKey, new TextEncoder().encode(text)))
  return { key, sign }
}

const base64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
