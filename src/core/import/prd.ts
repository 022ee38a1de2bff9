/** Plans of the `prd.json` family, which are almost like Ralph's: snarktank's, ralph-tui's, and our own. */
import { EXIT, Failure } from '../failure.ts'
import { isRecord, type Json } from '../text/json.ts'
import type { StoryId } from '../types.ts'
import { type NewPlan, type NewStory, soundPlan } from './story.ts'
import { firstLine, isDoneWord, joined, keptRemark, oneLine, priorityOf, textOf, textsOf, withoutFields } from './values.ts'

/** `known`: other ids that its stories may depend on. */
export function fromPrd(value: unknown, known: StoryId[] = []): NewPlan {
  const list = isRecord(value) ? value['userStories'] : undefined
  if (!isRecord(value) || !Array.isArray(list)) throw new Failure(EXIT.data, 'missing "userStories", the list of stories')
  const wrong = list.findIndex((story) => !isRecord(story))
  if (wrong >= 0) throw new Failure(EXIT.data, `userStories[${wrong}]: expected a story with "id" and "title"`)
  const stories = list.map((story, place) => storyOf(story, place))
  const metadata = isRecord(value['metadata']) ? value['metadata'] : {}
  const plan: NewPlan = {
    description: textOf(value['description']),
    branchName: oneLine(textOf(value['branchName'])),
    createdAt: textOf(value['createdAt']) || textOf(metadata['createdAt']),
    more: withoutFields(value, headNames),
    stories,
    remarks: keptRemark(
      stories.flatMap((story) => Object.keys(withoutFields(story.more, ourNames))),
      'the stories',
    ),
  }
  return soundPlan(plan, known)
}

const headNames = ['$schema', 'feature', 'description', 'branchName', 'createdAt', 'userStories']
const readNames = [
  ...['id', 'title', 'description', 'acceptanceCriteria', 'priority', 'passes', 'status', 'notes', 'completionNotes'],
  ...['dependsOn', 'skip', 'failed'],
]
/** They mean the same in our plans, and are copied. */
const ourNames = ['touches', 'changesTests', 'proof', 'kind', 'source', 'exitSignal', 'bestOf', 'gates', 'agent', 'model']

function storyOf(fields: Json, place: number): NewStory {
  const { passes, status } = fields
  const id = oneLine(textOf(fields['id'])) || `S-${place + 1}`
  const description = textOf(fields['description'])
  const notes = textOf(fields['notes'])
  const completion = textOf(fields['completionNotes'])
  const isDone = isDoneWord(textOf(status))
  return {
    id,
    title: oneLine(textOf(fields['title'])) || firstLine(description) || id,
    description,
    acceptanceCriteria: textsOf(fields['acceptanceCriteria']),
    priority: priorityOf(fields['priority']),
    passes: typeof passes === 'boolean' ? passes : isDone,
    notes: joined(notes, completion === notes ? '' : completion, statusNote(textOf(status), isDone)),
    dependsOn: textsOf(fields['dependsOn']).map(oneLine),
    skip: fields['skip'] === true,
    more: withoutFields(fields, readNames),
  }
}

const statusNote = (status: string, isDone: boolean): string =>
  status === '' || isDone || /^(open|pending|todo)$/i.test(status) ? '' : `Its status was "${status}".`
