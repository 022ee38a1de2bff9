/** A list of equally high rows that renders only the visible ones: thousands cost as much as twenty. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

type Props<T> = {
  items: T[]
  rowPx: number
  label: string
  keyOf(item: T): number
  row(item: T): ComponentChildren
  /** The item where the arrow keys start, and a callback for where they lead; without it, rows cannot be selected. */
  chosen?: number
  onChoose?(key: number): void
  /** New items are inserted above: the visible part stays in place. */
  growsAbove?: boolean
  /** Called with the range of visible items. */
  onSight?(first: number, last: number): void
}

export function VirtualList<T>({ items, rowPx, label, keyOf, row, chosen, onChoose, growsAbove, onSight }: Props<T>) {
  const frame = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(400)
  const byKey = useRef(false)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setHeight(frame.current?.clientHeight ?? 400))
    if (frame.current !== null) observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (!byKey.current) return
    byKey.current = false
    frame.current?.querySelector<HTMLElement>(`[data-key="${chosen}"] button`)?.focus({ preventScroll: true })
  })

  const count = useRef(items.length)
  useLayoutEffect(() => {
    const more = items.length - count.current
    count.current = items.length
    const box = frame.current
    if (box === null || !growsAbove || more <= 0 || box.scrollTop === 0) return
    box.scrollTop += more * rowPx
    setTop(box.scrollTop)
  }, [items.length, growsAbove, rowPx])

  const first = Math.max(0, Math.floor(top / rowPx) - 3)
  const shown = items.slice(first, first + Math.ceil(height / rowPx) + 6)
  const last = first + shown.length - 1
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is told may be a new function each time
  useEffect(() => onSight?.(first, last), [first, last])

  function onKeyDown(event: KeyboardEvent): void {
    if (onChoose === undefined) return
    const at = items.findIndex((item) => keyOf(item) === chosen)
    const page = Math.max(1, Math.floor(height / rowPx) - 1)
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: items.length - 1,
    }
    const to = steps[event.key]
    const box = frame.current
    if (to === undefined || box === null) return
    event.preventDefault()
    const index = Math.min(items.length - 1, Math.max(0, to))
    if (index * rowPx < box.scrollTop) box.scrollTop = index * rowPx
    if ((index + 1) * rowPx > box.scrollTop + box.clientHeight) box.scrollTop = (index + 1) * rowPx - box.clientHeight
    setTop(box.scrollTop)
    byKey.current = true
    const item = items[index]
    if (item !== undefined) onChoose(keyOf(item))
  }

  return (
    <section
      class="virtual frame"
      style={{ '--whole': `${items.length * rowPx + 2}px` }}
      ref={frame}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <ol style={{ height: `${items.length * rowPx}px` }}>
        {shown.map((item, index) => (
          <li
            key={keyOf(item)}
            data-key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            style={{ top: `${(first + index) * rowPx}px`, height: `${rowPx}px` }}
          >
            {row(item)}
          </li>
        ))}
      </ol>
    </section>
  )
}
