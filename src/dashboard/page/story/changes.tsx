/** What an iteration changed: a tree of its files, and each file's lines, folded where they are many. */
import { useState } from 'preact/hooks'
import { plural } from '../../../views/status/status.ts'
import type { DiffData, DiffFile } from '../../data/shapes.ts'
import { Icon } from '../shared/icons.tsx'
import { useFetched } from '../shared/live.ts'
import { Problem, Skeleton } from '../shared/words.tsx'

export function Changes({ path, commits }: { path: string; commits: string[] }) {
  const { value, problem } = useFetched<DiffData>(path, commits.length)
  if (value === null) return problem === '' ? <Skeleton lines={6} label="Loading…" /> : <Problem text={problem} />
  const { files, missing, isCut } = value
  if (files.length === 0)
    return (
      <p class="soft">
        {missing.length === 0
          ? 'It committed nothing.'
          : `Its commits are gone: ${missing.map((id) => id.slice(0, 7)).join(', ')}.`}
      </p>
    )
  const sorted = files.toSorted((one, other) => Number(isOwn(one)) - Number(isOwn(other)))
  const sum = (of: 'added' | 'deleted'): number => files.reduce((total, file) => total + file[of], 0)
  return (
    <div class="changes">
      <p class="soft">
        {plural(files.length, 'file')} <span class="added">+{sum('added')}</span> <span class="deleted">−{sum('deleted')}</span>
        {isCut && ' (more are left out)'}
      </p>
      {files.length > 1 && <Tree files={sorted} />}
      {sorted.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: several commits may change the same file
        <FileLines key={index} file={file} index={index} isOpen={!isOwn(file) && index < mostOpen} />
      ))}
    </div>
  )
}

const mostOpen = 12
/** Ralph's own: nobody came for it. */
const isOwn = ({ path }: DiffFile): boolean => path.startsWith('.ralph/')

/** Names of a folder are written once. */
const Tree = ({ files }: { files: DiffFile[] }) => (
  <ul class="tree" aria-label="Changed files">
    {files.map(({ path, added, deleted }, index) => {
      const cut = path.lastIndexOf('/') + 1
      const folder = path.slice(0, cut)
      const before = files[index - 1]
      const isNew = before === undefined || before.path.slice(0, before.path.lastIndexOf('/') + 1) !== folder
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: several commits may change the same file
        <li key={index}>
          {isNew && folder !== '' && <span class="folder">{folder}</span>}
          <button
            type="button"
            class="plain"
            onClick={() => document.getElementById(`file-${index}`)?.scrollIntoView({ block: 'start' })}
          >
            {path.slice(cut)} <span class="added">+{added}</span> <span class="deleted">−{deleted}</span>
          </button>
        </li>
      )
    })}
  </ul>
)

function FileLines({ file, index, isOpen }: { file: DiffFile; index: number; isOpen: boolean }) {
  const [isWhole, setWhole] = useState(false)
  const { path, added, deleted, lines, isBinary, isCut, commit } = file
  const shown = isWhole ? lines : lines.slice(0, firstLines)
  return (
    <details class="file" id={`file-${index}`} open={isOpen}>
      <summary>
        <Icon name="chevron" />
        <span class="path">{path}</span> <span class="added">+{added}</span> <span class="deleted">−{deleted}</span>{' '}
        <code class="soft">{commit.slice(0, 7)}</code>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="lines" tabIndex={0} aria-label={`Changes of ${path}`}>
        {shown.map((line, number) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines repeat, and their order stays
          <code key={number} class={classOf(line)}>
            {line === '' ? ' ' : line}
          </code>
        ))}
      </section>
      {!isWhole && lines.length > firstLines && (
        <button type="button" onClick={() => setWhole(true)}>
          Show {lines.length - firstLines} more lines
        </button>
      )}
      {isBinary && <p class="soft">A binary file.</p>}
      {isCut && (
        <p class="soft">
          Too long to show in full. See it with: <code>git show {commit.slice(0, 7)}</code>
        </p>
      )}
    </details>
  )
}

const firstLines = 120

const classOf = (line: string): string =>
  line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : line.startsWith('@@') ? 'at' : ''
