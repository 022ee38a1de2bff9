/** Times as the viewer reads them: an age, with the exact time in the viewer's own zone on hover. */
import { useEffect, useState } from 'preact/hooks'
import { sayDuration } from '../../../core/text/time.ts'
import { ageWords } from '../../../views/local-time.ts'

/** Again every few seconds, so that ages grow. */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

export const exactTime = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
/** `07:46`, with the date if it was another day. */
export function clockTime(at: string, hasSeconds = false): string {
  const when = new Date(at)
  const time = when.toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds ? { second: '2-digit' } : {}),
  })
  const isToday = when.toDateString() === new Date().toDateString()
  return isToday ? time : `${when.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} ${time}`
}

export function Ago({ at }: { at: string | null | undefined }) {
  const now = useNow()
  if (!at) return <span class="soft">–</span>
  return (
    <time dateTime={at} title={exactTime(at)}>
      {ageWords(now - Date.parse(at))}
    </time>
  )
}

/** How long something has been running. */
export function Since({ at }: { at: string }) {
  const now = useNow(1000)
  return (
    <time dateTime={at} title={exactTime(at)}>
      {sayDuration(Math.max(0, Math.floor((now - Date.parse(at)) / 1000) * 1000)).replace('.0s', 's')}
    </time>
  )
}

/** When the viewer's day and week began. A week begins on Monday. */
export function beginnings(now = new Date()): { today: string; week: string } {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const week = new Date(day)
  week.setDate(day.getDate() - ((day.getDay() + 6) % 7))
  return { today: day.toISOString(), week: week.toISOString() }
}
