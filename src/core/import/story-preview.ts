/** Shows stories to a person before they are accepted. */
import { plainText } from '../reading/message.ts'
import { isRecord } from '../text/json.ts'
import type { NewPlan, NewStory } from './story.ts'
import { oneLine } from './values.ts'

export function shownPlan(plan: NewPlan): string {
  const stories = plan.stories.map(shownStory)
  const remarks = plan.remarks.map((remark) => `! ${clean(remark)}`)
  return `${[...stories, ...(remarks.length > 0 ? [remarks.join('\n')] : [])].join('\n\n')}\n`
}

const longestDescription = 400

function shownStory(story: NewStory): string {
  const { id, title, description, acceptanceCriteria, dependsOn, priority } = story
  const marks = [
    ...(priority === null ? [] : [`priority ${priority}`]),
    ...(dependsOn.length === 0 ? [] : [`after ${dependsOn.join(', ')}`]),
    ...(story.passes ? ['done already'] : []),
    ...(story.skip ? ['left out'] : []),
  ]
  const words = clean(oneLine(description))
  const about = words.length > longestDescription ? `${words.slice(0, longestDescription)}…` : words
  // Commands that Ralph will run are never accepted unseen.
  const gates = isRecord(story.more['gates']) ? Object.entries(story.more['gates']) : []
  return [
    `  ${clean(id)}  ${clean(title)}${marks.length === 0 ? '' : `  (${clean(marks.join(', '))})`}`,
    ...(about === '' ? [] : [`      ${about}`]),
    ...acceptanceCriteria.map((criterion) => `      - ${clean(oneLine(criterion))}`),
    ...gates.map(
      ([name, command]) =>
        `      gate ${clean(name)}: ${clean(oneLine(typeof command === 'string' ? command : JSON.stringify(command)))}`,
    ),
  ].join('\n')
}

/** Foreign text must not move the cursor. */
const clean = (text: string): string => plainText(text).replace(/\p{Cc}/gu, '')
