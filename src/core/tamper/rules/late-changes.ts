/** Source that gives other results once its process has run for a while. */
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import type { SourceLine } from '../code/source-lines.ts'
import type { LineRule } from './line-rule.ts'
import { isOfTools } from './test-detection.ts'

const begins = /^(?:const\s+\w+\s*=\s*|void\s+)?(?:global(?:This)?\.)?set(?:Timeout|Interval)\(\s*(?:(\w+)\s*,)?/
const assigns = /(?<![\w$.=!<>])([A-Za-z_$][\w$]*)\s*=\s*(?:-?\d[\d.]*|true|false|null|undefined|""|''|``)(?![\w.])/g

/** When it is loaded it sets a timer, which gives a variable of the module another value, and nothing else does. */
function changesLater({ after }: Change, line: SourceLine): boolean {
  const name = begins.exec(line.code)?.[1]
  const at =
    name === undefined
      ? after.indexOf(line)
      : after.findIndex(({ code }) => new RegExp(`^(?:function\\s+${name}\\b|(?:const|let)\\s+${name}\\s*=)`).test(code))
  if (at === -1) return false
  const rest = after.slice(at + 1)
  const end = rest.findIndex(({ text }) => /^\S/.test(text))
  const body = [
    after[at]?.code.replace(/^(?:const|let)\s+\w+\s*=/, '') ?? '',
    ...rest.slice(0, end === -1 ? 1 : end + 1).map(({ code }) => code),
  ]
  const changed = body.join('\n').matchAll(assigns)
  return [...changed].some(([, one = '']) => {
    const isOfModule = after.some(({ code }) => new RegExp(`^let\\s+(?:.*,\\s*)?${one.replaceAll('$', '\\$')}\\b`).test(code))
    const other = new RegExp(
      `(?<![\\w$.])${one.replaceAll('$', '\\$')}\\s*(?:[-+*/%|&?]*=(?![=>])|\\+\\+|--)|(?:\\+\\+|--)${one.replaceAll('$', '\\$')}\\b`,
      'g',
    )
    const count = after.reduce((sum, { code }) => sum + (code.match(other) ?? []).length, 0)
    return isOfModule && count <= 2
  })
}

export const lateChanges: LineRule[] = [
  {
    rule: 'test-detected',
    what: 'sets a timer when it is loaded that changes its results',
    files: (path) => /\.[cm]?[jt]sx?$/.test(path) && isSource(path) && !isOfTools.test(path),
    on: 'code',
    looksFor: begins,
    where: changesLater,
    isBeyondChecks: true,
  },
]
