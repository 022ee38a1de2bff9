/** Data for storing and showing: without credentials in any text, and with Ralph's own fields unchanged. */
import type { Masker } from '../../adapters/mask/mask.ts'

export function masked<T extends object>(data: T, mask: Masker): T {
  const text = JSON.stringify(data)
  return mask.text(text) === text ? data : (maskedValue(data, mask) as T)
}

/** Names, kinds and hashes: a password that happens to be "iteration" must not make a log unreadable. */
const ours = new Set([
  ...['at', 'run', 'kind', 'id', 'story', 'only', 'feature', 'file', 'branch', 'marks', 'agent', 'model', 'role', 'mode', 'code'],
  ...['pick', 'onLimit', 'session', 'resume', 'head', 'tree', 'dirt', 'hash', 'outputHash', 'exit', 'ended', 'status', 'by'],
  ...['for', 'from', 'to', 'which', 'choice', 'what', 'verdict', 'progress', 'claim', 'state', 'outcome', 'until'],
  ...['hook', 'review', 'spec', 'quality', 'final', 'how', 'rule', 'saidHash', 'decide', 'baseline', 'tamper'],
  ...['commits', 'trees', 'flips', 'passed', 'refused', 'openStories', 'dependsOn', 'dirty', 'uncommitted'],
])

function maskedValue(value: unknown, mask: Masker): unknown {
  if (typeof value === 'string') return mask.text(value)
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ours.has(key) ? inner : maskedValue(inner, mask)]))
}
