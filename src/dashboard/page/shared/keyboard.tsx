/** Keys that work everywhere, unless somebody is writing: j, k, /, g, r, ?. */
import { useEffect, useRef } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

export type Keys = Partial<Record<string, () => void>>

export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement
      const isWriting = at.matches('input, textarea, select, [contenteditable]')
      if (isWriting || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null) return
      const act = latest.current[event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', pressed)
    return () => removeEventListener('keydown', pressed)
  }, [])
}

/** Puts the cursor into the search of this view. */
export const toSearch = (): void => document.querySelector<HTMLInputElement>('input[type=search]')?.focus()

/** The next or previous of the things that j and k go through. */
export function stepFocus(selector: string, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(selector)]
  const at = all.indexOf(document.activeElement as HTMLElement)
  const next = all[at === -1 ? (by === 1 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

const shown: [key: string, what: string][] = [
  ['j, k', 'next and previous feature or story'],
  ['Enter', 'open it'],
  ['/', 'search'],
  ['g', 'go to the overview'],
  ['r', 'start a run'],
  ['?', 'show these keys'],
  ['Esc', 'close a dialog, clear a search'],
]

export const KeysHelp = ({ onClose }: { onClose(): void }) => (
  <Dialog title="Keyboard" onClose={onClose}>
    <dl class="keys">
      {shown.map(([key, what]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
    <div class="buttons">
      <button type="button" autofocus onClick={onClose}>
        Close
      </button>
    </div>
  </Dialog>
)
