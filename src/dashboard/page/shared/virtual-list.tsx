/** A list of equally high rows that renders only the visible ones: thousands cost as much as twenty. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

type Props<T, K extends string | number> = {
  items: T[]
  rowPx: number
  label: string
  keyOf(item: T): K
  row(item: T): ComponentChildren
  /** The item where the arrow keys start, and a callback for where they lead; without it, rows cannot be selected. */
  chosen?: K
  onChoose?(key: K): void
}

export function VirtualList<T, K extends string | number>(props: Props<T, K>) {
  const { items, rowPx, label, keyOf, row, chosen, onChoose } = props
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
    frame.current?.querySelector<HTMLElement>('button[aria-pressed=true]')?.focus({ preventScroll: true })
  })

  // What is selected from elsewhere is brought into view: a deep link, a key, the timeline.
  const at = items.findIndex((item) => keyOf(item) === chosen)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is shown once, and then somebody may scroll
  useLayoutEffect(() => {
    if (at >= 0) show(at)
  }, [at])

  const first = Math.max(0, Math.floor(top / rowPx) - 3)
  const shown = items.slice(first, first + Math.ceil(height / rowPx) + 6)

  function show(index: number): void {
    const box = frame.current
    if (box === null) return
    if (index * rowPx < box.scrollTop) box.scrollTop = index * rowPx
    if ((index + 1) * rowPx > box.scrollTop + box.clientHeight) box.scrollTop = (index + 1) * rowPx - box.clientHeight
    setTop(box.scrollTop)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (onChoose === undefined) return
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
    if (to === undefined) return
    event.preventDefault()
    const index = Math.min(items.length - 1, Math.max(0, to))
    show(index)
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
