/** Pieces of a page that the dashboard and the report share. Each is made by whoever shows it: as nodes in a browser, or as text. */
import { type IconName, iconPaths } from './icons.ts'
import { gradeMarks, reservationMark, type StateMark } from './marks.ts'

export type Attributes = Record<string, string | number | undefined>
/** Makes an element; words in it are never read as markup. */
export type Make<N> = (tag: string, attributes: Attributes, ...inside: (N | string)[]) => N

export const icon = <N>(make: Make<N>, name: IconName): N =>
  make(
    'svg',
    { class: `icon i-${name}`, viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true', focusable: 'false' },
    make('path', { d: iconPaths[name] }),
  )

export const chip = <N>(make: Make<N>, { word, tone, icon: name }: StateMark, title?: string): N =>
  make('span', { class: `chip t-${tone}`, title }, icon(make, name), word)

/** The icon alone, where the word stands beside it or in the title. */
export const markIcon = <N>(make: Make<N>, { word, tone, icon: name }: StateMark): N =>
  make('span', { class: `mark t-${tone}`, title: word }, icon(make, name), make('span', { class: 'hidden' }, word))

export type ShownProof = { grade: keyof typeof gradeMarks; reservations: { answer?: string }[] }

/** What a pass is worth, and how many reservations are open. */
export function gradeChips<N>(make: Make<N>, { grade, reservations }: ShownProof): N[] {
  const { mark, title } = gradeMarks[grade]
  const open = reservations.filter(({ answer }) => answer === undefined).length
  return [chip(make, mark, title), ...(open > 0 ? [chip(make, reservationMark(open), 'It passes, but this is suspicious')] : [])]
}

/** How much of something is done; the numbers beside it say the same. */
export const shareBar = <N>(make: Make<N>, share: number): N =>
  make(
    'svg',
    { class: 'bar', viewBox: '0 0 64 5', width: 64, height: 5, 'aria-hidden': 'true' },
    make('rect', { class: 'done', width: Math.round(64 * Math.min(1, share)), height: 5 }),
  )

/** What the colours of a drawing mean. */
export const legend = <N>(make: Make<N>, label: string, items: { className: string; words: string }[]): N =>
  make(
    'ul',
    { class: 'legend', 'aria-label': label },
    ...items.map(({ className, words }) => make('li', { class: className }, make('i', {}), words)),
  )
