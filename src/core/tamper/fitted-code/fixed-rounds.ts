/** A loop over all elements that is repeated a fixed number of times: enough for as many as tests have. */
import type { Finding } from '../../proof/finding.ts'
import { type Change, freshIn } from '../code/change.ts'
import { isSource } from '../code/files.ts'

const rounds = /^(\s*)for\s*\(\s*(?:let|var)\s+(\w+)\s*=\s*[01]\s*;\s*\2\s*<=?\s*([2-9])\s*;[^)]*\)/
const overAll = /\bfor\s*\(.*(?:\.length\b|\bof\b)|\.(?:forEach|map)\(/
const names: Record<string, RegExp> = {
  2: /\b(?:two|twice|both|second)\b/i,
  3: /\bthree|third\b/i,
  4: /\bfour\b/i,
  5: /\bfive\b/i,
}

export function fixedRounds(changes: Change[], words = ''): Finding[] {
  return changes.flatMap((change): Finding[] => {
    const { path, after } = change
    if (!/\.[cm]?[jt]sx?$/.test(path) || !isSource(path)) return []
    return freshIn(change, isSource).flatMap((line): Finding[] => {
      const [, indent = '', name = '', count = ''] = rounds.exec(line.code) ?? []
      if (count === '' || new RegExp(`\\b${count}\\b`).test(words) || names[count]?.test(words)) return []
      const rest = after.slice(after.indexOf(line) + 1)
      const end = rest.findIndex(({ text }) => text.trim() !== '' && text.search(/\S/) <= indent.length)
      const body = rest.slice(0, end === -1 ? rest.length : end).map(({ code }) => code)
      const isUsed = body.some((code) => new RegExp(`\\b${name}\\b`).test(code))
      const swaps = body.some((code) => /\]\s*=\s*(?:\[?\s*)?\w+(?:\.\w+)*\[/.test(code))
      if (isUsed || !swaps || !body.some((code) => overAll.test(code))) return []
      const said = `${path} goes over all elements ${count} times, however many there are (line ${line.at})`
      return [{ rule: 'fitted-constant', file: path, line: line.at, words: said, isBeyondChecks: true }]
    })
  })
}
