/** The real Claude Code for tests: the pinned version, installed once into a cache outside the repository, and an environment that reaches nothing but loopback. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const version = '2.1.325'

/** The path of the native program; the first call downloads 350 MB. */
export function realClaude(): string {
  const cache = process.env['RALPH_TEST_CACHE'] ?? join(tmpdir(), 'ralph-test-agents')
  const folder = join(cache, `claude-${version}`)
  // The package's own bin needs its install script, which npm may refuse to run: the platform's program runs as it is.
  const program = join('node_modules', '@anthropic-ai', `claude-code-${process.platform}-${process.arch}`, 'claude')
  if (!existsSync(join(folder, program))) install(folder, program)
  return join(folder, program)
}

/** Built from nothing, so that no key, token or setting of the machine reaches the agent. */
export function claudeEnvironment(home: string, modelUrl: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-test',
    IS_SANDBOX: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
  }
}

/** The same with the account of a subscriber instead of a key: usage limits come as events only then. */
export function subscriberEnvironment(home: string, modelUrl: string): Record<string, string> {
  const { ANTHROPIC_API_KEY: _key, ...rest } = claudeEnvironment(home, modelUrl)
  return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-test' }
}

function install(folder: string, program: string): void {
  // Two test files may install at once: each works in its own folder, and the first to rename wins.
  const own = `${folder}.${process.pid}`
  mkdirSync(own, { recursive: true })
  const args = ['install', '--prefix', own, '--no-save', '--no-fund', '--no-audit', '--loglevel=error', '--ignore-scripts']
  const { status, error } = spawnSync('npm', [...args, `@anthropic-ai/claude-code@${version}`], {
    cwd: own,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error(`installing Claude Code ${version} failed: ${error?.message ?? `npm exited with ${status}`}`)
  try {
    renameSync(own, folder)
  } catch (error) {
    if (!existsSync(join(folder, program))) throw error
    rmSync(own, { recursive: true })
  }
}
