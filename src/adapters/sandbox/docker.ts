/** docker: the programs of an image, the project, an empty home folder; one container per start, removed afterwards. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { EXIT, Failure } from '../../core/failure.ts'
import { findProgram } from '../process/program.ts'
import { innerEnv } from './environment.ts'
import { homeView, projectView } from './visible-paths.ts'
import type { Inner, Sandbox, SandboxOptions, Wrapped } from './wrapped.ts'

export function dockerSandbox(options: SandboxOptions): Sandbox {
  const { name: image, env, root } = options
  if (image === '')
    throw new Failure(
      EXIT.config,
      'sandbox.kind is docker, but no image is set. Set sandbox.name to an image with the agent and git.',
    )
  return {
    wrap: (inner) => wrapped(options, inner),
    hasPrograms: false,
    async check() {
      if (findProgram('docker', root, env) === null)
        throw new Failure(
          EXIT.missing,
          'sandbox.kind is docker, but the program docker was not found. Install it, or set sandbox.kind to none.',
        )
      const answer = await docker(env, ['image', 'inspect', '--format', '{{.Id}}', image])
      if (answer.problem !== null)
        throw new Failure(
          EXIT.missing,
          `docker cannot start the image ${image}: ${answer.problem}. Start docker, or fetch the image (docker pull ${image}).`,
        )
    },
    async endLeft(run) {
      const { out } = await docker(env, ['ps', '--all', '--quiet', '--filter', `label=${label(run)}`])
      const left = out.split(/\s+/).filter(Boolean)
      if (left.length > 0) await docker(env, ['rm', '--force', ...left])
    },
  }
}

const label = (run: string): string => `ralph.run=${run}`

function wrapped(
  { env: outside, network, name: image, run, home: moreHome, variables, ...places }: SandboxOptions,
  inner: Inner,
): Wrapped {
  const home = outside['HOME'] ?? '/home/ralph'
  const { PATH: _itsOwn, ...passed } = innerEnv(inner.env, outside, inner.needs.variables, variables)
  const own = homeView(home, inner.needs, moreHome, outside)
  const { seen, writable, guarded, open, hidden } = projectView(places, inner.isReadOnly)
  const container = `ralph-${randomBytes(6).toString('hex')}`
  const volumes = [
    ...[...seen, ...own.readOnly, ...inner.files, ...guarded].map((path) => ({ path, how: ':ro' })),
    ...[...own.writable, ...writable, ...open].map((path) => ({ path, how: '' })),
  ]
  const colon = volumes.find(({ path }) => path.includes(':'))
  if (colon !== undefined)
    throw new Failure(
      EXIT.config,
      `docker does not support folders with ":" in their name: ${colon.path}. Move it, or set sandbox.kind to bwrap.`,
    )
  const args = [
    ...['run', '--rm', '--interactive', '--init', '--name', container, '--label', label(run)],
    ...['--network', network === 'on' ? 'bridge' : 'none', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...[
      '--user',
      `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
      '--tmpfs',
      `${home}:exec,mode=1777`,
      '--tmpfs',
      '/tmp:exec',
    ],
    ...volumes.flatMap(({ path, how }) => ['--volume', `${path}:${path}${how}`]),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    // Only names: the process list must not show values.
    ...[...Object.keys(passed), 'RALPH_RUN'].flatMap((name) => ['--env', name]),
    ...['--workdir', inner.cwd, image, inner.command, ...inner.args],
  ]
  // docker itself starts outside: it has its own settings and may need its own variables.
  return {
    command: 'docker',
    args,
    env: { ...outside, ...passed },
    end: async () => void (await docker(outside, ['rm', '--force', container])),
  }
}

/** Its output, or the first line of its error. */
function docker(env: Record<string, string>, args: string[]): Promise<{ out: string; problem: string | null }> {
  return new Promise((resolve) =>
    execFile('docker', args, { env, timeout: 30_000 }, (error, out, err) =>
      resolve({ out, problem: error === null ? null : err.trim().split('\n')[0] || error.message }),
    ),
  )
}
