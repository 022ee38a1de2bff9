/** Notices of the browser when something new needs a person. Off until somebody turns them on. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Overview } from '../../data/shapes.ts'

const kept = 'ralph-notices'

type BrowserNotices = { isPossible: boolean; isOn: boolean; toggle(): void }

export function useNotices(): BrowserNotices {
  const isPossible = 'Notification' in globalThis && isSecureContext
  const [isOn, setOn] = useState(isPossible && Notification.permission === 'granted' && localStorage.getItem(kept) === 'on')
  const toggle = async (): Promise<void> => {
    const isWanted = !isOn && (await Notification.requestPermission()) === 'granted'
    localStorage.setItem(kept, isWanted ? 'on' : 'off')
    setOn(isWanted)
  }
  return { isPossible, isOn, toggle: () => void toggle() }
}

/** Tells what needs a person now and did not before; the first look tells nothing. */
export function useTelling(overview: Overview | null, isOn: boolean): void {
  const before = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (overview === null) return
    const needs = overview.projects.flatMap(({ id, features }) =>
      features.flatMap((row) =>
        row.need === null ? [] : [{ key: `${id}/${row.id}/${row.need.words}`, row, words: row.need.words }],
      ),
    )
    const known = before.current
    before.current = new Set(needs.map(({ key }) => key))
    if (!isOn || known === null) return
    for (const { key, row, words } of needs)
      if (!known.has(key)) new Notification(`${row.feature} needs you`, { body: words.slice(0, 200), tag: key })
  }, [overview, isOn])
}
