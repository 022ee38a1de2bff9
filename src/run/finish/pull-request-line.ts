/** What became of a pull request, in a line. */
import { capital } from '../../core/text/escape.ts'
import type { PullResult } from './pull-request.ts'

export function pullWords({ how, pull, name, place, isPushed }: PullResult): string {
  const draft = pull.isDraft ? ', a draft' : ''
  const push = isPushed ? `Pushed ${place.branch} to ${place.remote.name}. ` : ''
  switch (how) {
    case 'opened':
      return `${push}Opened ${name} into ${pull.base}${draft}: ${pull.url}`
    case 'updated':
      return `${push}Updated ${name} into ${pull.base}${draft}: ${pull.url}`
    case 'unchanged':
      return `${capital(name)} into ${pull.base} is up to date${draft}: ${pull.url}`
    case 'merged':
      return `${capital(name)} is merged: ${pull.url}. Nothing was pushed. For more work, start a new feature.`
  }
}
