/** Tables with a caption and headings; on a narrow screen each row becomes a list, with headings next to the values. */
import type { Make } from '../shared/parts.ts'
import { escaped } from './escape.ts'

/** Already safe: markup that Ralph made. */
export type Markup = { html: string }
export type Cell = string | number | Markup
export type Column = { head: string; isNumber?: boolean; isWide?: boolean }

/** The first cell of a row is its heading. Nothing if there are no rows. */
export function table(caption: string, columns: Column[], rows: Cell[][]): string {
  if (rows.length === 0) return ''
  const classOf = ({ isNumber, isWide }: Column): string => (isNumber ? ' class="n"' : isWide ? ' class="w"' : '')
  const head = columns.map((column) => `<th scope="col"${classOf(column)}>${escaped(column.head)}</th>`).join('')
  const body = rows.map((cells) => {
    const shown = columns.map((column, index) => {
      const [tag, about] = index === 0 ? ['th', ' scope="row"'] : ['td', ` data-head="${escaped(column.head)}"`]
      return `<${tag}${about}${classOf(column)}>${cellHtml(cells[index] ?? '')}</${tag}>`
    })
    return `<tr>${shown.join('')}</tr>`
  })
  return `<div class="frame" role="region" tabindex="0" aria-label="${escaped(caption)}"><table><caption>${escaped(caption)}</caption><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table></div>`
}

/** Makes the pieces that the report shares with the dashboard. */
export const make: Make<Markup> = (tag, attributes, ...inside) => {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined)
  const written = given.map(([name, value]) => ` ${name}="${escaped(String(value))}"`).join('')
  return { html: `<${tag}${written}>${inside.map(cellHtml).join('')}</${tag}>` }
}

const cellHtml = (cell: Cell): string => (typeof cell === 'object' ? cell.html : escaped(String(cell)))
