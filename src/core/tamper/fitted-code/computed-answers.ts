/** Results that are compared with numbers one by one, where the story names none of the numbers. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSource } from '../code/files.ts'
import { plain } from './literals.ts'

const name = String.raw`[\w$.#]+(?:\([^()]*\))?`
/** `zones * age == 14`; a remainder and a difference of characters have such numbers of their own. */
const equal = new RegExp(String.raw`${name}(?:\s*[-+*]\s*${name})+\s*={2,3}\s*(\d[\d_]*(?:\.\d+)?)(?![\w.])`, 'g')
const among = new RegExp(
  String.raw`(?:(?<list>\[[^[\]]*\])|(?<![\w$.])(?<named>[A-Za-z_$][\w$]*))\.(?:includes|has|indexOf|contains|include\?)\(\s*${name}(?:\s*[-+*]\s*${name})+\s*\)`,
  'g',
)
const inside = new RegExp(
  String.raw`${name}(?:\s*[-+*]\s*${name})+\s+in\s+(?:(?<list>[[({][^[\](){}]*[\])}])|(?<named>[A-Za-z_]\w*))`,
  'g',
)

/** `words`: of the story. */
export const computedAnswers = (changes: Change[], words = ''): Finding[] =>
  changes.flatMap((change): Finding[] => {
    const { path, added, before } = change
    if (!isSource(path)) return []
    const known = new Set([...numbersIn(words), ...before.flatMap(({ code }) => numbersIn(code))])
    return added
      .flatMap((line): Finding[] => {
        const numbers = new Set(comparedAt(plain(line), change).filter((each) => Number(each) > 2))
        if (numbers.size < 2 || [...numbers].some((each) => known.has(each))) return []
        const shown = [...numbers].slice(0, 3).join(', ')
        const said = `${path} compares its result with numbers that the story does not name: ${shown} (line ${line.at})`
        return [{ rule: 'special-case', file: path, line: line.at, words: said, isBeyondChecks: true }]
      })
      .slice(0, 1)
  })

function comparedAt(text: string, { after }: Change): string[] {
  const lists = [...text.matchAll(among), ...text.matchAll(inside)].flatMap(({ groups }) => {
    const bound = new RegExp(String.raw`(?<![\w$.])${(groups?.['named'] ?? '').replaceAll('$', '\\$')}\s*=\s*(?:new Set\()?(.*)$`)
    const list = groups?.['list'] ?? after.map((line) => bound.exec(plain(line))?.[1]).find((each) => each !== undefined) ?? ''
    return numbersIn(list)
  })
  return [...[...text.matchAll(equal)].map(([, number = '']) => number), ...lists]
}

const numbersIn = (text: string): string[] => text.match(/(?<![\w.$])\d[\d_]*(?:\.\d+)?(?![\w.])/g) ?? []
