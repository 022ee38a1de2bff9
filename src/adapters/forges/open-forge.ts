/** Which forge a repository is on, by the host of its remote. */
import { EXIT, Failure } from '../../core/failure.ts'
import { findProgram } from '../process/program.ts'
import { type GivenEnv, isLoggedIn } from './api.ts'
import type { Forge } from './forge.ts'
import type { RemoteRepository } from './remote.ts'

type Kind = Forge['kind']

/** `asked`: the setting git.forge. Throws a Failure if it cannot be told, or if nobody is logged in. */
export async function openForge(repository: RemoteRepository, asked: 'auto' | Kind, env: GivenEnv, cwd: string): Promise<Forge> {
  const kind = asked === 'auto' ? (kindByName(repository.host, env) ?? (await kindByLogin(repository.host, env, cwd))) : asked
  if (kind === null)
    throw new Failure(
      EXIT.usage,
      `Cannot tell whether ${repository.host} is GitHub or GitLab. Say so: ralph config set git.forge github (or gitlab)`,
    )
  if (kind === 'github') return (await import('./github.ts')).github(repository, env, cwd)
  return (await import('./gitlab.ts')).gitlab(repository, env, cwd)
}

function kindByName(host: string, env: GivenEnv): Kind | null {
  const is = (...given: (string | undefined)[]): boolean =>
    given.some((text = '') => text !== '' && (URL.canParse(text) ? new URL(text).host : text) === host)
  if (host === 'github.com' || host.endsWith('.ghe.com') || is(env['GH_HOST'], env['GITHUB_SERVER_URL'])) return 'github'
  if (host === 'gitlab.com' || is(env['GITLAB_HOST'], env['CI_SERVER_URL'])) return 'gitlab'
  const name = /(?:^|[.-])(github|gitlab)(?:[.-]|$)/.exec(host)?.[1]
  return name === 'github' || name === 'gitlab' ? name : null
}

async function kindByLogin(host: string, env: GivenEnv, cwd: string): Promise<Kind | null> {
  for (const [name, kind] of [
    ['gh', 'github'],
    ['glab', 'gitlab'],
  ] as const) {
    const path = findProgram(name, cwd, env)
    if (path !== null && (await isLoggedIn({ name, path, env, cwd }, host))) return kind
  }
  return null
}
