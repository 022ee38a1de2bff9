/** Tells those who listen when a log has grown or a run has begun or ended. Nothing is looked at while nobody listens. */
import { isLivePlace, type ProjectPlace, placesIn } from './places.ts'
import { stampOf } from './reading.ts'

export type Changes = { listen(onChange: () => void): () => void }

export function watchChanges(projects: () => ProjectPlace[]): Changes {
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let seen = ''
  const look = (): void => {
    const now = nowOf(projects())
    if (now === seen) return
    seen = now
    for (const listener of listeners) listener()
  }
  return {
    listen(onChange) {
      if (listeners.size === 0) {
        seen = nowOf(projects())
        timer = setInterval(look, lookMs).unref()
      }
      listeners.add(onChange)
      return () => {
        listeners.delete(onChange)
        if (listeners.size === 0) clearInterval(timer)
      }
    },
  }
}

/** Asking works on every file system; being told does not, and a few files cost nothing to ask for. */
const lookMs = 500

const nowOf = (projects: ProjectPlace[]): string =>
  JSON.stringify(projects.map((project) => placesIn(project).map((place) => [place.id, stampOf(place.log), isLivePlace(place)])))
