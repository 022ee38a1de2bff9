/** Compares the programs as bars, one group per table row: an SVG that is readable on white and on black. */
import type { Row } from './rows.ts'

export function chartOf(rows: Row[]): string {
  const compared = rows.filter(({ rivals }) => rivals !== undefined)
  const parts: string[] = []
  let y = 12
  for (const row of compared) {
    const bars = [['floor', row.floor ?? 0], ['ralph', row.ralph], ...Object.entries(row.rivals!)] as [string, number][]
    const most = Math.max(...bars.map(([, value]) => value))
    y += 18
    parts.push(`<text class="what" x="0" y="${y}">${escaped(row.what)}</text>`)
    y += 8
    for (const [name, value] of bars) {
      const width = Math.max(1, (barWidth * value) / most)
      const kind = name === 'floor' || name === 'ralph' ? name : 'rival'
      parts.push(
        `<text class="name" x="${nameWidth - 8}" y="${y + 12}">${escaped(name)}</text>` +
          `<rect class="${kind}" x="${nameWidth}" y="${y + 2}" width="${width.toFixed(1)}" height="13" rx="2"/>` +
          `<text class="value" x="${(nameWidth + width + 6).toFixed(1)}" y="${y + 12}">${value.toFixed(1)} ${row.unit}</text>`,
      )
      y += 19
    }
    y += 6
  }
  const title = 'What Ralph costs beside a bare loop'
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y + 4}" width="${width}" height="${y + 4}" role="img" aria-label="${title}">
<title>${title}</title>
<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .what { font-weight: 600 }
  .name { text-anchor: end }
  .floor { fill: #8c959f }
  .ralph { fill: #1f6feb }
  .rival { fill: #bf8700 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .ralph { fill: #4493f8 } .rival { fill: #d29922 } }
</style>
${parts.join('\n')}
</svg>
`
}

const width = 760
const nameWidth = 120
/** Space for the number at the end of the longest bar. */
const barWidth = width - nameWidth - 90

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
