/** The plan of a rehearsal: stories whose words name no test and no file. */
import { rehearsal } from './stage.ts'

export type RehearsedStory = { id: string; passes?: boolean; gates?: Record<string, string> }

export function planText(stories: RehearsedStory[]): string {
  const userStories = stories.map((story, index) => ({
    title: 'A rehearsal',
    description: 'What an agent would do here.',
    acceptanceCriteria: ['Everything works'],
    priority: index + 1,
    passes: false,
    notes: '',
    ...story,
  }))
  const plan = { feature: rehearsal, branchName: '', description: 'A rehearsal', createdAt: '2026-01-09T12:00:00Z', userStories }
  return `${JSON.stringify(plan, null, 2)}\n`
}
