/** bubblewrap: the machine's programs, the project, an empty home folder, and nothing else; everything in it ends with it. */
import { execFile } from 'node:child_process'
import { lstatSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import { noNeeds } from '../../ports.ts'
import { findProgram } from '../process/program.ts'
import { shippedPath } from '../project/templates.ts'
import { innerEnv } from './environment.ts'
import { homeView, programView, projectView, systemFolders } from './visible-paths.ts'
import type { Inner, Sandbox, SandboxOptions, Wrapped } from './wrapped.ts'

export function bwrapSandbox(options: SandboxOptions): Sandbox {
  return {
    wrap: (inner) => wrapped(options, inner),
    hasPrograms: true,
    async check() {
      if (findProgram('bwrap', options.root, options.env) === null)
        throw new Failure(
          EXIT.missing,
          'sandbox.kind is bwrap, but the program bwrap was not found. Install bubblewrap (apt-get install bubblewrap), or set sandbox.kind to none.',
        )
      const inner = {
        command: 'true',
        args: [],
        cwd: options.root,
        env: options.env,
        needs: noNeeds,
        files: [],
        isReadOnly: true,
      }
      const problem = await failureOf(wrapped(options, inner))
      if (problem !== null)
        throw new Failure(
          EXIT.missing,
          `sandbox.kind is bwrap, but bwrap does not work here: ${problem}. Allow user namespaces (sysctl kernel.unprivileged_userns_clone=1; on Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0), or set sandbox.kind to none.`,
        )
    },
    endLeft: async () => {}, // it died with the Ralph that started it
  }
}

function wrapped({ env: outside, network, home: moreHome, variables, ...places }: SandboxOptions, inner: Inner): Wrapped {
  const home = outside['HOME'] ?? '/nonexistent'
  const env = { ...innerEnv(inner.env, outside, inner.needs.variables, variables), TMPDIR: '/tmp' }
  const own = homeView(home, inner.needs, moreHome, outside)
  const programs = programView([inner.command, process.execPath], outside)
  const { seen, writable, guarded, open, hidden } = projectView(places, inner.isReadOnly)
  const args = [
    ...['--die-with-parent', '--unshare-user-try', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--cap-drop', 'ALL', ...(network === 'off' ? ['--unshare-net'] : [])],
    ...systemFolders.flatMap(systemFolder),
    ...['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--tmpfs', '/run', '--tmpfs', home],
    // Where names are looked up is often a link to here.
    ...resolvers.flatMap((path) => ['--ro-bind-try', path, path]),
    ...[...seen, ...programs, dirname(dirname(shippedPath('bin/ralph.js'))), ...own.readOnly, ...inner.files].flatMap((path) =>
      bound('--ro-bind', path),
    ),
    ...own.writable.flatMap((path) => bound('--bind', path)),
    ...writable.flatMap((path) => bound('--bind', path)),
    ...guarded.flatMap((path) => bound('--ro-bind', path)),
    ...open.flatMap((path) => bound('--bind', path)),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    ...['--chdir', inner.cwd, '--', inner.command, ...inner.args],
  ]
  return { command: 'bwrap', args, env, end: async () => {} }
}

const resolvers = ['/run/systemd/resolve', '/run/resolvconf', '/run/NetworkManager/resolv.conf', '/mnt/wsl/resolv.conf']

const bound = (how: '--bind' | '--ro-bind', path: string): string[] => [how, path, path]

/** On most machines /bin and the like are links, and on some they are missing. */
function systemFolder(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return []
  return stat.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}

/** null: it worked. */
function failureOf({ command, args, env }: Wrapped): Promise<string | null> {
  return new Promise((resolve) =>
    execFile(command, args, { env, timeout: 10_000 }, (error, _out, err) =>
      resolve(error === null ? null : (err.trim().split('\n')[0] || error.message).replace(/^bwrap: /, '').replace(/\.$/, '')),
    ),
  )
}
