/** `ralph plan "<idea>"`: an interview, stories, a critic, and a person who accepts them. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import { type Criticism, criticPrompt, criticSchema, criticWords, readCriticism } from '../../core/import/critic.ts'
import { ideaWithAnswers } from '../../core/import/interview.ts'
import type { NewPlan } from '../../core/import/story.ts'
import type { Io } from '../../io.ts'
import { askForText } from '../../run/people/ask-on-terminal.ts'
import { openPlanner, type Planner } from '../import/ask-agent.ts'
import { proseOf, readSource } from '../import/import.ts'
import { type Desk, lookOver, type Maker, patienceMs } from '../import/look-over.ts'
import { atDesk, featureToFill, writeAccepted } from '../import/session.ts'
import { type PlanDocument, storiesFrom } from '../import/stories.ts'
import { interview } from './interview.ts'

type Args = { idea: string[]; feature?: string; agent?: string; yes?: boolean }
type Idea = { text: string; name: string; words: string }

export async function runPlan(args: Args, io: Io): Promise<number> {
  const given = ideaIn(args.idea, io)
  if (given === null && !io.isAttended)
    throw new Failure(
      EXIT.usage,
      'Say what you want: ralph plan "<idea>", or name a file with the idea: ralph plan idea.md --yes',
    )
  const first = await featureToFill(args.feature, io)
  const name = given?.name ?? 'your idea'
  const again = `ralph plan ${given === null ? `-f ${first.feature}` : given.words}`
  const about = { io, file: name, verb: 'plan', again: `run ${again}`, isSure: args.yes === true }
  return atDesk(first, about, async (desk) => {
    const idea = given?.text ?? (await askedIdea(desk))
    if (idea === null) return false
    const planner = await openPlanner(desk, args.agent)
    // Nobody is there to answer: then the agent decides, and says what.
    const isAsking = io.isAttended && !desk.isSure
    const answers = isAsking ? await interview(idea, planner, desk) : []
    if (answers === null) return false
    const document: PlanDocument = { name, text: ideaWithAnswers(idea, answers), isIdea: true }
    const looked = await lookOver(await makerFor(document, planner, desk), desk)
    if (looked !== null) writeAccepted(desk, looked)
    return looked !== null
  })
}

/** Words, or the name of a file with them. */
function ideaIn(words: string[], io: Io): Idea | null {
  const [only = ''] = words
  const isFile = words.length === 1 && statSync(resolve(io.cwd, only), { throwIfNoEntry: false })?.isFile() === true
  if (isFile) return { text: proseOf(readSource(only, io)).text, name: only, words: only }
  const text = words.join(' ').trim()
  if (words.length > 0 && text === '') throw new Failure(EXIT.usage, 'The idea is empty. Say what you want: ralph plan "<idea>"')
  if (words.length === 1 && /^[\w./-]+\.(?:md|txt)$/.test(text))
    throw new Failure(EXIT.usage, `File not found: ${text}. Name a file with the idea, or put the idea into quotes.`)
  return text === ''
    ? null
    : { text, name: 'your idea', words: JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text) }
}

async function askedIdea({ stop, first }: Desk): Promise<string | null> {
  const text = await askForText(`What should ${first.feature} do? `, patienceMs, stop)
  return text === '' ? null : text
}

/** Each set of stories goes to a critic. Where nobody looks at the result, its findings are worked in once. */
async function makerFor(document: PlanDocument, planner: Planner, desk: Desk): Promise<Maker> {
  let wish = ''
  const make = async (asked: string): Promise<NewPlan> => {
    const plan = await storiesFrom(document, planner, desk, asked)
    const findings = desk.stop.aborted ? [] : await criticised(document, plan, planner, desk)
    wish =
      findings.length === 0
        ? ''
        : `A critic has read your stories. Correct what it is right about:\n${findings.map((found) => `- ${found}`).join('\n')}`
    return { ...plan, remarks: [...plan.remarks, ...findings.map((found) => `critic: ${found}`)] }
  }
  const plan = await make('')
  const isCorrected = wish !== '' && (desk.isSure || !desk.io.isAttended) && !desk.stop.aborted
  return {
    plan: isCorrected ? await storiesFrom(document, planner, desk, wish) : plan,
    again: make,
    suggested: () => wish,
  }
}

/** Without a critique the stories still count: the person is told why there is none. */
async function criticised(document: PlanDocument, plan: NewPlan, planner: Planner, { io }: Desk): Promise<string[]> {
  try {
    const findings = await planner.ask<Criticism[]>({
      what: 'a critique',
      schema: { name: 'critique', schema: criticSchema },
      prompt: (about) => criticPrompt({ feature: planner.feature, document: document.text, stories: plan.stories, ...about }),
      read: readCriticism,
    })
    if (findings === null) return []
    const count = findings.length === 1 ? '1 problem' : `${findings.length || 'no'} problems`
    io.err(`The critic found ${count}.\n`)
    return findings.map(criticWords)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    io.err(`! No critique of the stories: ${error.message}\n`)
    return []
  }
}
