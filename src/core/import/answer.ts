/** An agent's answer with stories: its required form, and how it is read. */
import { isListOf, isRecord } from '../text/json.ts'
import { broken, type FormReading, foreignField, listIn } from './form.ts'
import type { NewStory } from './story.ts'
import { isFilled, oneLine } from './values.ts'

/** Strict, as structured output requires. */
export const storiesSchema: object = {
  type: 'object',
  properties: {
    stories: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'A short unique name, such as S-1.' },
          title: { type: 'string', description: 'One line: what exists when the story is done.' },
          description: { type: 'string', description: 'What is wanted, for whom and why.' },
          acceptanceCriteria: {
            type: 'array',
            items: { type: 'string' },
            description: 'What must be true when it is done. Each one can be tested.',
          },
          priority: { type: 'integer', description: '1 is first.' },
          dependsOn: {
            type: 'array',
            items: { type: 'string' },
            description: 'Ids of stories that must be done first. May be empty.',
          },
        },
        required: ['id', 'title', 'description', 'acceptanceCriteria', 'priority', 'dependsOn'],
        additionalProperties: false,
      },
    },
  },
  required: ['stories'],
  additionalProperties: false,
}

/** Never throws. */
export function readStories(text: string): FormReading<NewStory[]> {
  const found = listIn(text, 'stories')
  if (!found.ok) return found
  if (found.value.length === 0) return broken('The list "stories" was empty.')
  const stories: NewStory[] = []
  for (const [place, item] of found.value.entries()) {
    const problem = problemIn(item)
    if (problem !== undefined) return broken(`stories[${place}]: ${problem}`)
    stories.push(storyOf(item as Item))
  }
  return { ok: true, value: stories }
}

type Item = Pick<NewStory, 'id' | 'title' | 'description' | 'acceptanceCriteria' | 'priority' | 'dependsOn'>

const fields = ['id', 'title', 'description', 'acceptanceCriteria', 'priority', 'dependsOn']

function problemIn(item: unknown): string | undefined {
  if (!isRecord(item)) return 'it must be an object.'
  const foreign = foreignField(item, fields)
  if (foreign !== undefined) return `"${foreign}" is an unknown field.`
  if (!isFilled(item['id'])) return '"id" must be a non-empty string.'
  if (!isFilled(item['title'])) return '"title" must be a non-empty string.'
  if (typeof item['description'] !== 'string') return '"description" must be a string.'
  if (!isListOf(item['acceptanceCriteria'], isFilled)) return '"acceptanceCriteria" must be a list of strings.'
  if ((item['acceptanceCriteria'] as string[]).length === 0) return '"acceptanceCriteria" must not be empty.'
  if (typeof item['priority'] !== 'number') return '"priority" must be a number.'
  if (!isListOf(item['dependsOn'], isFilled)) return '"dependsOn" must be a list of ids, which may be empty.'
  return undefined
}

const storyOf = (item: Item): NewStory => ({
  id: oneLine(item.id),
  title: oneLine(item.title),
  description: item.description.trim(),
  acceptanceCriteria: item.acceptanceCriteria.map((criterion) => criterion.trim()),
  priority: item.priority,
  passes: false,
  notes: '',
  dependsOn: item.dependsOn.map(oneLine),
  skip: false,
  more: {},
})
