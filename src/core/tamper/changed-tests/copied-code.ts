/** Tests that contain a copy of the code under test, and compare the code with the copy. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource, isTestCode } from '../code/files.ts'
import { bodyOf, headersIn, methodsIn } from '../code/functions.ts'

const fewest = 2

/** The bodies of functions, by the lines in them: the same ones, in the same order. */
export function copiedCode(changes: Change[]): Finding[] {
  const copies = changes.filter(({ path }) => isTestCode(path)).flatMap((change) => functionsIn(change, change.added))
  if (copies.length === 0) return []
  const originals = new Map(
    changes
      .filter(({ path }) => isSource(path))
      .flatMap((change) => functionsIn(change, change.after).map((each) => [each.body, each])),
  )
  return copies.flatMap(({ path, name, at, body }): Finding[] => {
    const original = originals.get(body)
    const words = `${name}() in ${path} (line ${at}) is a copy of ${original?.name}() in ${original?.path}: the code is compared with itself`
    return original === undefined ? [] : [{ rule: 'subject-replaced', file: path, line: at, words, isBeyondChecks: true }]
  })
}

function functionsIn(
  { path, after }: Change,
  lines: Change['after'],
): { path: string; name: string; at: number; body: string }[] {
  return lines.flatMap((line) =>
    [...headersIn(line), ...methodsIn(line)].flatMap(({ name }) => {
      const body = bodyOf(after, line)
        .split('\n')
        .map((text) => text.trim().replace(/[;,]$/, ''))
        .filter((text) => /\w/.test(text))
      const isLong = body.length > fewest || (body.length === fewest && body.join('').length > 60)
      return isLong ? [{ path, name, at: line.at, body: body.join('\n') }] : []
    }),
  )
}
