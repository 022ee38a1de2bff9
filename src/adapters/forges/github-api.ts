/** GitHub's API: through `gh` if it is installed and logged in, else over HTTP, with a token if there is one. */
import { findProgram } from '../process/program.ts'
import { type Api, apiOf, checkedBase, fetched, type GivenEnv, isLoggedIn, type Program, throughProgram } from './api.ts'

export async function githubApi(host: string, env: GivenEnv, cwd: string): Promise<Api & { graphql: string }> {
  const { base, token } = addressOf(host, env)
  const gh = base === usualBase(host) ? await ghThatWorks(host, env, cwd) : null
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    'user-agent': 'ralph-proven',
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  }
  const api = apiOf({
    host,
    base,
    env,
    hasLogin: gh !== null || token !== '',
    login:
      host === 'github.com'
        ? 'Log in with "gh auth login", or set GITHUB_TOKEN to one'
        : `Log in with "gh auth login --hostname ${host}", or set GH_HOST=${host} and GH_ENTERPRISE_TOKEN to one`,
    variable: 'GITHUB_API_URL',
    bring: (sent) => (gh === null ? fetched(sent, { base, headers }) : throughProgram(gh, host, sent)),
  })
  return { ...api, graphql: `${base.replace(/\/v3$/, '')}/graphql` }
}

const usualBase = (host: string): string => {
  if (host === 'github.com') return 'https://api.github.com'
  return host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`
}

/** A token is only sent to the host that it is for. */
function addressOf(host: string, env: GivenEnv): { base: string; token: string } {
  const server = env['GITHUB_SERVER_URL'] ?? ''
  const own = URL.canParse(server) ? new URL(server).host : 'github.com'
  const given = env['GITHUB_API_URL'] ?? ''
  const base = given !== '' && host === own ? given.replace(/\/+$/, '') : usualBase(host)
  const isEnterprise = host !== 'github.com' && (host === env['GH_HOST'] || host === own)
  const names = isEnterprise ? ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN'] : []
  const all = host === 'github.com' || host === own ? [...names, 'GITHUB_TOKEN', 'GH_TOKEN'] : names
  const token = all.map((name) => env[name]?.trim() ?? '').find((text) => text !== '') ?? ''
  return { base: checkedBase(base, 'GITHUB_API_URL', given), token }
}

async function ghThatWorks(host: string, env: GivenEnv, cwd: string): Promise<Program | null> {
  const path = findProgram('gh', cwd, env)
  if (path === null) return null
  const gh = { name: 'gh', path, env, cwd }
  return (await isLoggedIn(gh, host)) ? gh : null
}
