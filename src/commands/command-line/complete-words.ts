/** What a shell completes while somebody types: features, stories, agents, settings and runs of the project. */
import { agentNames } from '../../adapters/agents/list.ts'
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { foldLog } from '../../adapters/project/event-log.ts'
import { listFeatures } from '../../adapters/project/find.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { keys } from '../../config/names.ts'
import type { Io } from '../../io.ts'
import { projectOrArchive } from '../../run/history/archived.ts'
import { projectRoot } from '../../run/project.ts'

export type CompletedKind = 'features' | 'stories' | 'agents' | 'settings' | 'keys' | 'runs'

/** One per line. Whatever goes wrong, a shell that completes gets no message. */
export async function runWords(args: { feature?: string; what?: string }, io: Io): Promise<number> {
  const words = await wordsOf(args.what ?? '', args.feature, io).catch(() => [])
  io.raw(
    words
      .filter(isHarmless)
      .map((word) => `${word}\n`)
      .join(''),
  )
  return 0
}

/** Bash expands the words it completes: an id of a plan must not become a command. */
const isHarmless = (word: string): boolean => /^[\w.@:+=/-]+$/.test(word)

async function wordsOf(what: string, feature: string | undefined, io: Io): Promise<string[]> {
  switch (what) {
    case 'features':
      return listFeatures(projectRoot(io).root)
    case 'agents':
      return agentNames
    case 'settings':
      return keys.map((key) => `${key}=`)
    case 'keys':
      return [...keys]
    case 'stories': {
      const { dir, label } = await projectOrArchive(io, feature)
      return (await readPlan(dir, label)).plan?.plan.stories.map(({ id }) => id) ?? []
    }
    case 'runs': {
      const { dir } = await projectOrArchive(io, feature)
      const runs = foldLog(eventLogPath(dir), new Set<string>(), (known, { run }) => known.add(run)).value
      return [...runs].filter((run) => run !== '').reverse()
    }
    default:
      return []
  }
}
