/** What many honest changes have in common; the last argument says what is different. */
import type { Files, Honest } from '../case.ts'

type Sketch = Partial<Honest>

/** The story of the project is done as it should be, and other files change too. */
export const done = (name: string, words: string, project: Honest['project'], write: Files, more: Sketch = {}): Honest => ({
  name,
  words,
  project,
  work: { write: { ...project.right, ...write } },
  isPlain: true,
  ...more,
})

/** A story of its own: everything stays as it is, in another form. */
export const refactoring = (
  name: string,
  words: string,
  project: Honest['project'],
  work: Honest['work'] & object,
  more: Sketch = {},
): Honest => ({
  name,
  words,
  project,
  story: { title: words, criteria: [words], kind: 'refactor' },
  work,
  isPlain: true,
  ...more,
})
