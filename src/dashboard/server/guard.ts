/** Who may use the dashboard: whoever has the token, at our own address, from our own page. */
import { timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'

export type Door = {
  /** Our address; the port is known once the server listens. */
  host: string
  port: number
  token: string
  /** Accepted once instead of the token: others can read a browser's command line. */
  once?: string
  /** Opens the figures alone, as a bearer token: a program that collects them cannot follow a token that changes. */
  figures?: string
}
export type Knock = {
  method: string
  host: string
  origin: string | null
  cookie: string
  token: string | null
  /** Of the Authorization header, for figures. */
  bearer?: string
}

/** Why a request is refused, or whether the token is in the URL (`isFirst`) or in the cookie. */
export function admission(
  door: Door,
  { method, host, origin, cookie, token, bearer }: Knock,
  isReturn: boolean,
): { refused: string } | { isFirst: boolean } {
  if (!isOurHost(door, host))
    return { refused: `This dashboard does not serve ${host || 'no host'}. Open the URL that it printed.` }
  if (method !== 'GET' && method !== 'HEAD' && origin !== `http://${host}`)
    return { refused: `Rejected: the request does not come from this dashboard's page.` }
  if (isReturn) return { isFirst: false } // its signature decides
  if (bearer !== undefined && door.figures !== undefined && isSame(bearer, door.figures)) return { isFirst: false }
  if (token !== null && isToken(door, token)) return { isFirst: true }
  if (isSame(cookieIn(cookie, cookieName(door.port)), door.token)) return { isFirst: false }
  return { refused: 'The token is missing or wrong. Open the URL that the dashboard printed.' }
}

/** Cookies are shared by all ports of a host. */
export const cookieName = (port: number): string => `ralph_${port}`

/** Rejects host names except ours: any name can be made to point at this machine. */
function isOurHost({ host, port }: Door, asked: string): boolean {
  const end = `:${port}`
  if (!asked.endsWith(end)) return false
  const name = asked.slice(0, -end.length).replace(/^\[(.*)\]$/, '$1')
  if (isAnyAddress(host)) return name === 'localhost' || isIP(name) !== 0
  return name === host || (isLoopback(host) && ['localhost', '127.0.0.1', '::1'].includes(name))
}

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)
const isAnyAddress = (host: string): boolean => host === '0.0.0.0' || host === '::'

function isToken(door: Door, token: string): boolean {
  if (isSame(token, door.token)) return true
  if (door.once === undefined || !isSame(token, door.once)) return false
  door.once = undefined
  return true
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const cookieIn = (header: string, name: string): string =>
  header
    .split(/;\s*/)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? ''
