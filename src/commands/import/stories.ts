/** Lets the agent turn a document or an idea into stories. */
import { planAfter } from '../../adapters/import/plan-text.ts'
import { Failure } from '../../core/failure.ts'
import { readStories, storiesSchema } from '../../core/import/answer.ts'
import type { FormReading } from '../../core/import/form.ts'
import { importPrompt } from '../../core/import/prompt.ts'
import type { NewPlan } from '../../core/import/story.ts'
import { oneLine } from '../../core/import/values.ts'
import type { Planner } from './ask-agent.ts'
import type { Desk } from './look-over.ts'

export type PlanDocument = { name: string; text: string; isIdea?: boolean }

/** Stories for the plan, following the person's wish; empty if it was stopped: whoever checks the result sees that. */
export async function storiesFrom(document: PlanDocument, planner: Planner, desk: Desk, wish: string): Promise<NewPlan> {
  const { name: file, text, isIdea = false } = document
  const made = await planner.ask<NewPlan>({
    what: 'stories',
    schema: { name: 'stories', schema: storiesSchema },
    prompt: (about) => importPrompt({ feature: planner.feature, file, text, there: desk.before.stories, wish, isIdea, ...about }),
    read: (answer) => planIn(answer, text, desk),
  })
  return made ?? nothing
}

async function planIn(answer: string, document: string, desk: Desk): Promise<FormReading<NewPlan>> {
  const reading = readStories(answer)
  if (!reading.ok) return reading
  const plan = { ...nothing, description: headlineOf(document), stories: reading.value }
  try {
    await planAfter(desk.before, plan, desk.first.head)
    return { ok: true, value: plan }
  } catch (error) {
    if (error instanceof Failure) return { ok: false, problem: `${error.message}.` }
    throw error
  }
}

const nothing: NewPlan = { description: '', branchName: '', createdAt: '', more: {}, stories: [], remarks: [] }

/** Its title, or its first line. */
function headlineOf(text: string): string {
  const line = text.split('\n').find((candidate) => /\p{L}/u.test(candidate)) ?? ''
  return oneLine(line.replace(/^[#>*\s-]+/, '')).slice(0, 200)
}
