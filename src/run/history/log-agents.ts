/** Which agents wrote to an iteration's log, and how their lines are read. */
import { agentNamed } from '../../adapters/agents/list.ts'
import { fromProject } from '../../adapters/project/layout.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import type { Event, Instant, Scope } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import type { Agent, Reader } from '../../ports.ts'
import { readingWords } from '../../views/reading.ts'
import { type Project, settingsOf } from '../project.ts'

/** The current settings say how the user's own agent prints; an unknown agent's output is shown unchanged. */
export async function agentsKnown(project: Project, io: Io): Promise<(name: string) => Agent | null> {
  const settings = await settingsOf(io, project).then(
    (loaded) => loaded.settings,
    () => null,
  )
  const setting = settings?.['agent'] ?? ''
  const own = typeof setting === 'string' ? { name: setting } : setting
  return (name) => {
    try {
      // To read what a script printed, its file is not needed: a fleet's dashboard does not have it.
      return agentNamed(name === own.name ? own : { name, script: 'script' }, {
        allowedTools: '',
        skipPermissions: false,
        root: project.root,
      })
    } catch {
      return null
    }
  }
}

type IterationAbout = {
  title: string
  agents: string[]
  startedAt?: Instant
  /** How its answer was read. */
  reading?: string
}

/** What the event log says about an iteration: its purpose, and which agents it called. */
export function aboutIteration(
  iteration: Scope,
): [init: IterationAbout, step: (about: IterationAbout, event: Event) => IterationAbout] {
  const calls = new Map<number, string>()
  const whole: IterationAbout = { title: '── Before, between and after the iterations', agents: [] }
  const nameless: IterationAbout = iteration === 'whole' ? whole : { title: `── Iteration ${iteration}`, agents: [] }
  const step = (about: IterationAbout, event: Event): IterationAbout => {
    if (event.kind === 'call.requested') calls.set(event.call, event.agent)
    const isLearner = event.kind === 'learning.started' || event.kind === 'skill.started'
    if (iteration === 'whole' && isLearner) return withAgent(about, event.agent)
    if (event.kind === 'review.started' && event.iteration === iteration) return withAgent(about, event.agent)
    if (event.kind === 'iteration.ended' && event.iteration === iteration)
      return { ...about, reading: readingWords(event.reading) }
    if (event.kind !== 'iteration.started' || event.iteration !== iteration) return about
    const agent = calls.get(event.call) ?? ''
    const attempt = event.attempt > 1 ? `, attempt ${event.attempt}` : ''
    return withAgent(
      { ...about, startedAt: event.at, title: `── Iteration ${iteration}: ${event.story ?? event.because}${attempt} (${agent})` },
      agent,
    )
  }
  return [nameless, step]
}

const withAgent = (about: IterationAbout, agent: string): IterationAbout =>
  about.agents.includes(agent) ? about : { ...about, agents: [...about.agents, agent] }

/**
 * Several agents may have written to one log: a line belongs to the reader that understands it best. Plain text could be anyone's, and is read last. `place`: files are
 * named from its folder on, as people see them.
 */
export function readerOf(agents: Agent[], place?: { root: string; home: string }): (line: string) => Entry[] {
  const shortened = place === undefined ? (text: string) => text : fromProject(place)
  const seen = (entry: Entry): Entry =>
    entry.kind === 'tool'
      ? {
          ...entry,
          target: shortened(entry.target),
          ...(entry.edit && { edit: { ...entry.edit, path: shortened(entry.edit.path) } }),
        }
      : entry
  const readers = agents
    .toSorted((one, other) => Number(other.tellsWordsApart) - Number(one.tellsWordsApart))
    .map((agent): Reader => agent.reader())
  return (line) => {
    const readings = readers.map((read) => read(line, 'out'))
    const meant = readings.find((entries) => entries.some(({ kind }) => kind !== 'noise'))
    const isKnown = readings.some((entries) => entries.length === 0)
    return meant?.map(seen) ?? (isKnown ? [] : [{ kind: 'noise', text: line }])
  }
}
