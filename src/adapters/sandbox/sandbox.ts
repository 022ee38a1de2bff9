/** Where agents and gates are shut in: the command line that starts them there, and whether that is possible on this machine. */
import { EXIT, Failure } from '../../core/failure.ts'
import { bwrapSandbox } from './bwrap.ts'
import { dockerSandbox } from './docker.ts'
import { isWithin, repositoryTop } from './view.ts'
import type { Sandbox, SandboxOptions } from './wrapped.ts'

/** null: none is wanted. */
export function openSandbox(kind: 'none' | 'bwrap' | 'docker', options: SandboxOptions): Sandbox | null {
  if (kind === 'none') return null
  const home = options.env['HOME'] ?? ''
  const top = repositoryTop(options.root)
  if (home !== '' && isWithin(home, top))
    throw new Failure(
      EXIT.config,
      `The project is in ${top}, which holds your home folder: a sandbox would hide nothing. Set sandbox.kind to none, or work elsewhere.`,
    )
  if (kind === 'docker') return dockerSandbox(options)
  if (options.name !== '')
    throw new Failure(
      EXIT.config,
      'sandbox.name is the image of docker; bwrap has none. Leave it empty, or set sandbox.kind to docker.',
    )
  return bwrapSandbox(options)
}
