/** What agents do now, in one line: the story, the phase and the tool of one; the stories and tools of several. */
import type { WorkNow } from '../../data/shapes.ts'
import { Since } from './time.tsx'

export function WorkWords({ work }: { work: WorkNow[] }) {
  const [first, ...others] = work
  if (first === undefined) return null
  if (others.length === 0) return <OneAgent work={first} />
  return (
    <>
      <strong>{work.length} agents</strong>{' '}
      <span class="soft">
        {work.map(({ story, tool }) => `· ${story ?? 'no story'}${tool === '' ? '' : ` ${tool.split(' ')[0]}`}`).join(' ')}
      </span>
    </>
  )
}

export const OneAgent = ({ work: { story, title, phase, startedAt, tool } }: { work: WorkNow }) => (
  <>
    <strong>{story ?? 'No story'}</strong> <span class="title">{title}</span>{' '}
    <span class="soft">
      · {phaseWords[phase]} <Since at={startedAt} />
      {tool === '' ? '' : ` · ${tool}`}
    </span>
  </>
)

const phaseWords: Record<WorkNow['phase'], string> = {
  working: 'agent works for',
  returned: 'agent is back after',
  checking: 'gates run, after',
  reviewing: 'in review, after',
  landing: 'merging, after',
  waiting: 'waiting, after',
  judged: 'finishing, after',
}
