/** Lowered or removed thresholds, and newly allowed warnings. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isCi, isSettings } from '../code/files.ts'

type Threshold = { looksFor: RegExp; isLess: 'worse' | 'better' }

const thresholds: Threshold[] = [
  { looksFor: /\b(?:branches|functions|lines|statements|perFile)\b['"]?\s*[:=]\s*(\d+(?:\.\d+)?)/i, isLess: 'worse' },
  {
    looksFor: /--(?:branches|functions|lines|statements|test-coverage-(?:lines|branches|functions))[= ](\d+(?:\.\d+)?)/,
    isLess: 'worse',
  },
  {
    looksFor:
      /\b(?:fail_under|fail-under|cov-fail-under|minimum_coverage|min_coverage|coverageThreshold|minimumCoverage|covered-ratio|minScore)\b\W{0,4}(\d+(?:\.\d+)?)/i,
    isLess: 'worse',
  },
  { looksFor: /<(?:minimum|haltOnFailure|lineRate|Threshold)>\s*(\d+(?:\.\d+)?)/, isLess: 'worse' },
  { looksFor: /\b(?:target|min_coverage_percentage)\s*:\s*(\d+(?:\.\d+)?)\s*%/, isLess: 'worse' },
  { looksFor: /^\s*level\s*:\s*(\d+)/, isLess: 'worse' },
  { looksFor: /\b(?:minMsi|minCoveredMsi|break)['"]?\s*[:=]\s*(\d+(?:\.\d+)?)/, isLess: 'worse' },
  { looksFor: /--max-warnings[= ](\d+)/, isLess: 'better' },
  { looksFor: /\b(?:max-complexity|max-line-length|max-statements|maxWarnings|errorThreshold)\b\W{0,6}(\d+)/, isLess: 'better' },
]

const isLoose = (path: string): boolean =>
  isSettings(path) || isCi(path) || /(^|\/)(?:GNUm|M|m)akefile$|\.(?:sh|gradle|kts)$|_helper\.rb$/.test(path)

export function lowered({ path, before, after }: Change): Finding[] {
  if (!isLoose(path) || before.length === 0) return []
  return thresholds.flatMap(({ looksFor, isLess }): Finding[] => {
    const valuesIn = (lines: Change['before']) =>
      lines.flatMap(({ at, bare }) => {
        const found = looksFor.exec(bare)
        return found === null ? [] : [{ at, mark: found[0].replace(/\W*[\d.]+.*$/, '').trim(), value: Number(found[1]) }]
      })
    const now = valuesIn(after)
    return valuesIn(before).flatMap(({ mark, value }): Finding[] => {
      const at = now.findIndex((each) => each.mark === mark)
      const same = at === -1 ? undefined : now.splice(at, 1)[0]
      const name = mark.replace(/^["'\s-]+|["'\s]+$/g, '')
      if (same === undefined)
        return after.length === 0
          ? []
          : [{ rule: 'threshold-lowered', file: path, words: `removed the threshold ${name} (${value}) from ${path}` }]
      const isWorse = isLess === 'worse' ? same.value < value : same.value > value
      const words = `changed the threshold ${name} from ${value} to ${same.value} in ${path} (line ${same.at})`
      return isWorse ? [{ rule: 'threshold-lowered', file: path, line: same.at, words }] : []
    })
  })
}
