/** A field to search in a list, and what stands there when nothing matches. */
import { Icon } from './icons.tsx'

type SearchProps = { label: string; value: string; onSearch(text: string): void; onKeyDown?(event: KeyboardEvent): void }

export const SearchField = ({ label, value, onSearch, onKeyDown }: SearchProps) => (
  <>
    <Icon name="search" />
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onInput={(event) => onSearch(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  </>
)

export const NoMatch = ({ what, onClear }: { what: string; onClear(): void }) => (
  <div class="empty">
    <p>No {what} matches.</p>
    <button type="button" onClick={onClear}>
      Clear the filters
    </button>
  </div>
)
