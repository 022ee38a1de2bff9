/** A package.json that leads an import of the tests elsewhere than that of everybody else, by a condition. */
import type { Finding } from '../../proof/finding.ts'
import { isRecord, jsonIn, recordOf, textOf } from '../../text/json.ts'
import type { Change } from '../code/change.ts'

const given = /(?:^|\s)(?:-C|--conditions)[= ]\s*['"]?([\w-]+)/g
const built = /(?:^|\/)(?:dist|build|out|lib|esm|cjs|types)\//

export function ownConditions({ path, kind, beforeText, afterText }: Change): Finding[] {
  if (!/(^|\/)package\.json$/.test(path) || kind === 'deleted') return []
  const [old, now] = [recordOf(jsonIn(beforeText)), recordOf(jsonIn(afterText))]
  const scripts = Object.values(recordOf(now['scripts'])).map(textOf)
  const conditions = new Set(scripts.flatMap((script) => [...script.matchAll(given)].map(([, name = '']) => name)))
  return ['imports', 'exports'].flatMap((key) =>
    Object.entries(recordOf(now[key])).flatMap(([name, targets]): Finding[] => {
      if (!isRecord(targets) || JSON.stringify(recordOf(old[key])[name]) === JSON.stringify(targets)) return []
      const usual = textOf(targets['default'])
      const own = Object.entries(targets).find(([each, to]) => conditions.has(each) && textOf(to) !== '')
      const to = textOf(own?.[1])
      if (own === undefined || usual === '' || to === usual || built.test(usual) || built.test(to)) return []
      const words = `leads ${name} to ${to} under the condition ${own[0]} of a script, and to ${usual} otherwise, in ${path}`
      return [{ rule: 'subject-replaced', file: path, words, isBeyondChecks: true }]
    }),
  )
}
