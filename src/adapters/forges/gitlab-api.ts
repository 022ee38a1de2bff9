/** GitLab's API: through `glab` if it is installed and logged in, else over HTTP, with a token if there is one. */
import { findProgram } from '../process/program.ts'
import { type Api, apiOf, checkedBase, fetched, type GivenEnv, isLoggedIn, type Program, throughProgram } from './api.ts'

export async function gitlabApi(host: string, env: GivenEnv, cwd: string): Promise<Api> {
  const { base, token } = addressOf(host, env)
  const glab = base === usualBase(host) ? await glabThatWorks(host, env, cwd) : null
  const headers = {
    accept: 'application/json',
    'user-agent': 'ralph-proven',
    ...(token === '' ? {} : { 'private-token': token }),
  }
  return apiOf({
    host,
    base,
    env,
    hasLogin: glab !== null || token !== '',
    login: `Log in with "glab auth login --hostname ${host}", or set ${host === 'gitlab.com' ? '' : `GITLAB_HOST=${host} and `}GITLAB_TOKEN to one`,
    variable: 'CI_API_V4_URL',
    bring: (sent) => (glab === null ? fetched(sent, { base, headers }) : throughProgram(glab, host, sent)),
  })
}

const usualBase = (host: string): string => `https://${host}/api/v4`

const hostIn = (given: string): string => (URL.canParse(given) ? new URL(given).host : given)

/** A token is only sent to the host that it is for: gitlab.com, unless a variable names another. */
function addressOf(host: string, env: GivenEnv): { base: string; token: string } {
  const own = hostIn(env['GITLAB_HOST'] || env['CI_SERVER_URL'] || 'gitlab.com')
  const given = env['CI_API_V4_URL'] ?? ''
  const base = given !== '' && host === own ? given.replace(/\/+$/, '') : usualBase(host)
  const names = host === own ? ['GITLAB_TOKEN', 'GITLAB_ACCESS_TOKEN'] : []
  const token = names.map((name) => env[name]?.trim() ?? '').find((text) => text !== '') ?? ''
  return { base: checkedBase(base, 'CI_API_V4_URL', given), token }
}

async function glabThatWorks(host: string, env: GivenEnv, cwd: string): Promise<Program | null> {
  const path = findProgram('glab', cwd, env)
  if (path === null) return null
  const glab = { name: 'glab', path, env, cwd }
  return (await isLoggedIn(glab, host)) ? glab : null
}
