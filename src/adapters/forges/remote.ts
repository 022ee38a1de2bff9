/** The address of a remote, as git has it: on which host, and which repository there. */

/** `path`: owner/name, or on GitLab group/subgroup/name. */
export type RemoteRepository = { host: string; path: string }

/** null: not the address of a repository on a host, such as a folder. */
export function repositoryAt(url: string): RemoteRepository | null {
  const text = url.trim()
  if (text.includes('://')) {
    if (!/^(https?|ssh|git|git\+ssh|git\+https):\/\//i.test(text) || !URL.canParse(text)) return null
    const { protocol, hostname, host, pathname } = new URL(text)
    // The port of ssh says nothing about the one of the API.
    return repository(/^https?:$/.test(protocol) ? host : hostname, pathname)
  }
  const [, host, path] = /^(?:[^@/\s]+@)?([\w.-]+):(?!\/)([^\s]+)$/.exec(text) ?? []
  return host === undefined || path === undefined || host.length === 1 ? null : repository(host, path)
}

function repository(host: string, given: string): RemoteRepository | null {
  const path = decoded(given)
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
  const isPath = /^[\w.-]+(\/[\w.-]+)+$/.test(path) && !path.split('/').some((part) => /^\.+$/.test(part))
  return host === '' || !isPath ? null : { host: host.toLowerCase(), path }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
