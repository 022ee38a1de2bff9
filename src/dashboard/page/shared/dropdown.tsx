/** One of several, from a list that opens. */
import { useId } from 'preact/hooks'

type PickProps = { label: string; value: string; options: [value: string, words: string][]; onPick(value: string): void }

export function Pick({ label, value, options, onPick }: PickProps) {
  const id = useId()
  return (
    <span>
      <label class="hidden" for={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </span>
  )
}
