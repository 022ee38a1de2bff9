/** A question or a note above the page; Esc and a click beside it close it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

type Props = { title: string; onClose(): void; children: ComponentChildren }

export function Dialog({ title, onClose, children }: Props) {
  const box = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => box.current?.showModal(), [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes a dialog without our help
    <dialog ref={box} aria-labelledby={id} onClose={onClose} onClick={(event) => event.target === box.current && onClose()}>
      <div class="dialog">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
