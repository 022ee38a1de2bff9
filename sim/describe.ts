/** One event as one readable line. */
import type { Event } from '../src/core/types.ts'

export function describe(event: Event): string {
  const because = 'because' in event ? ` (${event.because})` : ''
  return `${event.at.slice(5, 23).replace('T', ' ')} ${event.kind.padEnd(18)} ${details(event)}${because}`.trimEnd()
}

function details(event: Event): string {
  const words: string[] = []
  for (const [key, value] of Object.entries(event)) {
    if (
      ['at', 'run', 'kind', 'because', 'reading', 'usage', 'policy', 'code', 'log', 'feature', 'pid', 'durationMs'].includes(key)
    )
      continue
    const text = said(key, value)
    if (text !== '') words.push(`${key} ${text}`)
  }
  if (event.kind === 'run.started') words.push(JSON.stringify(event.policy))
  if (event.kind === 'iteration.ended' && event.reading.status === 'question') words.push('reading question')
  return words.join(', ')
}

function said(key: string, value: unknown): string {
  if (value === null || value === undefined || value === '' || value === false) return ''
  if (key === 'plan') {
    const { stories } = value as {
      stories: { id: string; priority: number; passes: boolean; skip: boolean; failed?: unknown; dependsOn: string[] }[]
    }
    const marks = stories.map(
      (story) =>
        `${story.id}:${story.priority}${story.passes ? '+' : ''}${story.skip ? 's' : ''}${story.failed ? 'x' : ''}${story.dependsOn.length > 0 ? `<${story.dependsOn.join('&')}` : ''}`,
    )
    return `[${marks.join(' ')}]`
  }
  if (key === 'repo' || key === 'before') {
    const { head, tree, dirt } = value as { head: string; tree: string; dirt: string }
    return `${head}=${tree}${dirt}`
  }
  if (key === 'gates')
    return (value as { name: string; command: string }[]).map((gate) => `${gate.name}:${gate.command}`).join(' ')
  if (key === 'results')
    return (value as { name: string; passed: boolean; ended: string }[])
      .map((result) => `${result.name} ${result.ended === 'stopped' ? 'stopped' : result.passed ? 'green' : 'red'}`)
      .join(', ')
  if (key === 'signals')
    return (value as { kind: string; by?: string }[])
      .map((signal) => `${signal.kind}${signal.by ? `(${signal.by})` : ''}`)
      .join(' ')
  if (Array.isArray(value)) return value.join(' ')
  return String(value)
}
