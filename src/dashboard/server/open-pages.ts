/** Lets open pages continue when the dashboard is restarted: each has registered the public half of a key. */
import { randomBytes, webcrypto } from 'node:crypto'
import { readJson, replaceFile } from '../../adapters/files/files.ts'
import { recordOf } from '../../core/text/json.ts'

/** The other half never leaves the browser: neither this file nor a stranger on the port in between can use it. */
export type OpenPages = {
  /** What a page signs together with its own address: new at each start, so that no older signature is valid. */
  challenge: string
  remember(key: string): void
  isSigned(origin: string, key: string, signature: string): Promise<boolean>
}
/** `port`: the last one, to be reused. */
export type KeptPages = { port: number; keys: string[] }

export function openPages(path: string): OpenPages {
  const challenge = randomBytes(32).toString('base64url')
  return {
    challenge,
    remember(key) {
      const { port, keys } = readKept(path)
      if (isKey(key) && !keys.includes(key)) writeKept(path, { port, keys: [...keys, key].slice(-mostPages) })
    },
    isSigned: async (origin, key, signature) =>
      readKept(path).keys.includes(key) && (await isSignedBy(key, signature, `${origin} ${challenge}`)),
  }
}

export function readKept(path: string): KeptPages {
  const { port, keys } = recordOf(readJson(path))
  return { port: Number.isInteger(port) ? Number(port) : 0, keys: Array.isArray(keys) ? keys.filter(isKey) : [] }
}

/** If this cannot be stored, an open page costs a click. */
export function writeKept(path: string, kept: KeptPages): void {
  try {
    replaceFile(path, `${JSON.stringify(kept)}\n`, 0o600)
  } catch {
    // an unwritable home is reported where it matters
  }
}

const mostPages = 50
/** An uncompressed point of P-256. */
const isKey = (key: unknown): key is string => typeof key === 'string' && /^[\w-]{87}$/.test(key)

async function isSignedBy(key: string, signature: string, text: string): Promise<boolean> {
  const curve = { name: 'ECDSA', namedCurve: 'P-256' }
  try {
    const known = await webcrypto.subtle.importKey('raw', Buffer.from(key, 'base64url'), curve, false, ['verify'])
    const how = { name: 'ECDSA', hash: 'SHA-256' }
    return await webcrypto.subtle.verify(how, known, Buffer.from(signature, 'base64url'), Buffer.from(text))
  } catch {
    return false // not a point of the curve
  }
}
