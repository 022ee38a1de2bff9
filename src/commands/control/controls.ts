/** Each tool that drives Ralph: its words, its input, and which command carries it out. */
import type { ToolCall } from '../../adapters/agents/shared/mcp-server.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { plain } from '../../core/text/plain.ts'
import type { PageRequest } from '../../dashboard/data/shapes.ts'
import type { Io } from '../../io.ts'
import { projectOrArchive } from '../../run/history/archived.ts'
import { isAskedFromInside, onlyPeople } from '../../run/people/request.ts'
import type { Project } from '../../run/project.ts'
import { captured } from './captured-output.ts'
import { carryOut } from './carry-out.ts'
import { startRun, startWords } from './start-run.ts'
import type { Fields, ToolInput } from './tool-input.ts'
import { longestWait, waitForNews } from './wait-for-news.ts'

export type Control = {
  name: string
  title: string
  description: string
  fields: Fields
  changes: 'nothing' | 'something' | 'ends work'
  act(given: ToolInput, context: Context): Promise<string>
}
/** `project`: that of the feature that is asked for, or else the one that a command would choose. */
export type Context = ToolCall & { io: Io; project(): Promise<Project> }
type Shown = Pick<Control, 'name' | 'title' | 'description'> & { fields?: Fields }
type View = (args: { feature?: string; run?: string }, io: Io) => Promise<number>

const feature: Fields = {
  feature: { type: 'string', description: 'Default: from the branch, open plans or last run.' },
}

export const controls: Control[] = [
  {
    ...view(
      { name: 'list', title: 'List features', description: 'All features of the project with state, stories done and last run.' },
      async () => (_, io) => import('../history/list.ts').then(({ runList }) => runList({}, io)),
    ),
    fields: {},
  },
  {
    name: 'status',
    title: 'Status of a feature',
    description:
      'State, stories, cost and open questions of a feature. With wait_seconds it answers when the run ends, pauses, asks or fails a story, or after that time: use it to watch a run instead of asking again and again.',
    fields: {
      ...feature,
      wait_seconds: { type: 'integer', description: `At most ${longestWait}.`, minimum: 0, maximum: longestWait },
    },
    changes: 'nothing',
    act: async ({ feature: asked, wait_seconds: seconds }, { io, cancelled }) => {
      const found = await projectOrArchive(io, typeof asked === 'string' ? asked : undefined) // where a complete one goes
      if (typeof seconds === 'number' && seconds > 0) await waitForNews(found, seconds, cancelled)
      const { runStatus } = await import('../status-and-why.ts')
      const text = await captured(io, (inside) => runStatus({ feature: found.feature }, inside))
      return cut(text, `ralph status -f ${found.feature}`)
    },
  },
  view(
    {
      name: 'why',
      title: 'Why it stopped',
      description: 'Why the last run stopped, what failed and what to do next; or what a live run is doing.',
      fields: { run: { type: 'string', description: 'ID of an earlier run (default: the last).' } },
    },
    async () => (await import('../status-and-why.ts')).runWhy,
  ),
  view(
    {
      name: 'report',
      title: 'Report of a feature',
      description: 'Results, proof, cost, time and forecast of a feature over all its runs.',
    },
    async () => (await import('../report.ts')).runReport,
  ),
  view(
    {
      name: 'lint',
      title: 'Check the plan',
      description: 'Errors and weak spots of a plan, such as criteria that nothing can check. No model is asked.',
    },
    async () => (await import('../plans/lint.ts')).runLint,
  ),
  {
    name: 'start',
    title: 'Start a run',
    description:
      'Starts a run of a feature in the background; it continues when this session ends. It costs money: agents work until the plan is done or a limit is reached.',
    fields: {
      ...feature,
      story: { type: 'string', description: 'Only this story, by its id.' },
      agent: { type: 'string', description: 'Name of the agent (default: from settings).' },
      max_iterations: { type: 'integer', description: 'Maximum iterations (default: from settings).', minimum: 1 },
      max_cost_usd: { type: 'number', description: 'Maximum cost in USD (default: from settings).', minimum: 0 },
      parallel: { type: 'integer', description: 'Stories at once (default: from settings).', minimum: 1 },
      reset_breaker: { type: 'boolean', description: 'Reset the circuit breaker first.' },
    },
    changes: 'something',
    act: async (given, { io, project }) => {
      const found = await project()
      if (isAskedFromInside(found, io.env)) throw new Failure(EXIT.usage, onlyPeople)
      const started = await startRun(found, optionsOf(given), io)
      return `${startWords(started, found.feature, 'this session ends')} Watch it with the tool status (wait_seconds), or: ralph status --watch -f ${found.feature}`
    },
  },
  request({ name: 'pause', title: 'Pause the run', description: 'Pauses the live run after its current iteration.' }, () => ({
    kind: 'pause',
  })),
  request({ name: 'resume', title: 'Resume the run', description: 'Resumes a paused run.' }, () => ({ kind: 'resume' })),
  {
    ...request(
      {
        name: 'stop',
        title: 'Stop the run',
        description: 'Stops the live run after its current iteration.',
        fields: { now: { type: 'boolean', description: 'End its agents immediately, in the middle of their work.' } },
      },
      ({ now }) => ({ kind: now === true ? 'stop-now' : 'stop' }),
    ),
    changes: 'ends work',
  },
  request(
    {
      name: 'say',
      title: 'Note for the next iteration',
      description: 'Adds a note to the next prompt of the agent that works.',
      fields: { text: { type: 'string', description: 'The note, in the words of the person.', isRequired: true } },
    },
    ({ text }) => ({ kind: 'say', text: String(text) }),
  ),
  {
    name: 'answer',
    title: 'Answer a question',
    description:
      'Answers an open question of a run (status lists them) with what the person decided. Ask the person first; never decide for them.',
    fields: {
      ...feature,
      text: { type: 'string', description: "The person's decision; leave it out with accept." },
      story: { type: 'string', description: 'The story that asks (default: the oldest question).' },
      accept: { type: 'boolean', description: 'Accept what the agent proposes, because the person agrees.' },
    },
    changes: 'something',
    act: answer,
  },
  request(
    {
      name: 'unblock',
      title: 'Resolve a blocker',
      description: 'Marks a blocker as resolved, once the person has resolved it. Then use start.',
      fields: { note: { type: 'string', description: 'What the next agent should know.' } },
    },
    ({ note }) => ({ kind: 'unblock', text: String(note ?? '') }),
  ),
  request(
    {
      name: 'retry',
      title: 'Reopen a story',
      description: 'Reopens a failed or skipped story with all its attempts.',
      fields: { story: { type: 'string', description: 'Its id.', isRequired: true } },
    },
    ({ story }) => ({ kind: 'retry', story: String(story) }),
  ),
]

/** What a command prints. It is loaded only when it is used. */
function view({ fields = {}, ...shown }: Shown, load: () => Promise<View>): Control {
  return {
    ...shown,
    fields: { ...feature, ...fields },
    changes: 'nothing',
    act: async (given, { io }) => {
      const run = await load()
      const command = `ralph ${shown.name}${typeof given['feature'] === 'string' ? ` -f ${given['feature']}` : ''}`
      return cut(await captured(io, (inside) => run(given as Parameters<View>[0], inside)), command)
    },
  }
}

/** What a person may ask of a run: signed and checked as when they use the command. */
function request({ fields = {}, ...shown }: Shown, requestOf: (given: ToolInput) => PageRequest): Control {
  return {
    ...shown,
    fields: { ...feature, ...fields },
    changes: 'something',
    act: async (given, { io, project }) => carryOut(await project(), requestOf(given), io),
  }
}

async function answer({ text = '', story, accept }: ToolInput, { io, project, client }: Context): Promise<string> {
  const found = await project()
  const { runAnswer } = await import('../requests.ts')
  const args = {
    ...{ feature: found.feature, text: String(text), accept: accept === true, through: nameOf(client) },
    ...(typeof story === 'string' ? { story } : {}),
  }
  return captured({ ...io, cwd: found.root }, (inside) => runAnswer(args, inside))
}

/** It goes into the log, and comes from another program. */
const nameOf = (client: string): string => plain(client).replace(/\s+/g, ' ').trim() || 'an MCP client'

/** The flags of `ralph run`. A value never stands alone, so none is read as a flag. */
function optionsOf({ story, agent, max_iterations, max_cost_usd, parallel, reset_breaker }: ToolInput): string[] {
  const flags = { story, agent, 'max-iterations': max_iterations, 'max-cost': max_cost_usd, parallel }
  const named = Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}=${value}`]))
  return [...named, ...(reset_breaker === true ? ['--reset-circuit'] : [])]
}

/** About 1,500 tokens: an agent reads every result, and keeps it for its whole session. */
const mostText = 6000

/** The beginning says the most; the command has the rest. */
function cut(text: string, command: string): string {
  if (text.length <= mostText) return text
  const kept = text.slice(0, text.lastIndexOf('\n', mostText) + 1 || mostText)
  return `${kept}… ${text.length - kept.length} more characters. All of it: ${command}`
}
