/** The variables that pass into a sandbox: general ones, the agent's own, and those that Ralph set. */
import { withWholeSettings } from '../git/settings.ts'

export function innerEnv(
  env: Record<string, string>,
  outside: Record<string, string>,
  own: string[],
  more: string[],
): Record<string, string> {
  const isPassed = (name: string): boolean =>
    plain.has(name) ||
    [...plainBeginnings, ...own].some((beginning) => name.startsWith(beginning)) ||
    more.includes(name) ||
    env[name] !== outside[name] // set for this call: by Ralph, or under agent.env
  return withWholeSettings(Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name))))
}

const plain = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'CI'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'VIRTUAL_ENV', 'NODE_ENV', 'PYTHONPATH'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME'],
])
const plainBeginnings = ['LC_', 'RALPH_', 'GIT_AUTHOR_', 'GIT_COMMITTER_']
