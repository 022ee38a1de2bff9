/** Notices of the browser when something new needs a person. Off until somebody turns them on. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Overview } from '../../data/shapes.ts'
import { runAddress } from './route.ts'

const kept = 'ralph-notices'

/** `isDenied`: the browser's settings forbid them, and only the viewer can change that. */
type BrowserNotices = { isPossible: boolean; isOn: boolean; isDenied: boolean; toggle(): void }

export function useNotices(): BrowserNotices {
  const isPossible = 'Notification' in globalThis && isSecureContext
  const [isOn, setOn] = useState(isPossible && Notification.permission === 'granted' && localStorage.getItem(kept) === 'on')
  const [isDenied, setDenied] = useState(isPossible && Notification.permission === 'denied')
  const toggle = async (): Promise<void> => {
    const isWanted = !isOn && (await Notification.requestPermission()) === 'granted'
    localStorage.setItem(kept, isWanted ? 'on' : 'off')
    setOn(isWanted)
    setDenied(Notification.permission === 'denied')
  }
  return { isPossible, isOn, isDenied, toggle: () => void toggle() }
}

/** Tells what needs a person now and did not before; the first look tells nothing. */
export function useTelling(overview: Overview | null, isOn: boolean): void {
  const before = useRef<Set<string> | null>(null)
  useEffect(() => {
    if (overview === null) return
    const needs = overview.projects.flatMap(({ id, features }) =>
      features.flatMap((row) =>
        row.need === null ? [] : [{ key: `${id}/${row.id}/${row.need.words}`, project: id, row, words: row.need.words }],
      ),
    )
    const known = before.current
    before.current = new Set(needs.map(({ key }) => key))
    if (!isOn || known === null) return
    for (const { key, project, row, words } of needs.filter((need) => !known.has(need.key))) {
      const notice = new Notification(`${row.feature} needs you`, { body: words.slice(0, 200), tag: key })
      notice.onclick = () => {
        focus()
        location.hash = runAddress(project, row.id)
        notice.close()
      }
    }
  }, [overview, isOn])
}
