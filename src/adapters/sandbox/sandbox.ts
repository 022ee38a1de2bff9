/** The sandbox for agents and gates: the command line that starts them in it, and whether it works on this machine. */
import { EXIT, Failure } from '../../core/failure.ts'
import { bwrapSandbox } from './bwrap.ts'
import { dockerSandbox } from './docker.ts'
import { isWithin, repositoryTop } from './visible-paths.ts'
import type { Sandbox, SandboxOptions } from './wrapped.ts'

/** null: no sandbox wanted. */
export function openSandbox(kind: 'none' | 'bwrap' | 'docker', options: SandboxOptions): Sandbox | null {
  if (kind === 'none') return null
  const home = options.env['HOME'] ?? ''
  const top = repositoryTop(options.root)
  if (home !== '' && isWithin(home, top))
    throw new Failure(
      EXIT.config,
      `The project is in ${top}, which contains your home folder: a sandbox would hide nothing. Set sandbox.kind to none, or work elsewhere.`,
    )
  if (kind === 'docker') return dockerSandbox(options)
  if (options.name !== '')
    throw new Failure(
      EXIT.config,
      'sandbox.name is a docker image, which bwrap does not use. Leave it empty, or set sandbox.kind to docker.',
    )
  return bwrapSandbox(options)
}
