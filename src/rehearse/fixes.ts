/** The setting that closes a hole, as a line for the project's config.yaml. */

import type { Key } from '../config/table.ts'
import { yamlValue } from '../config/text.ts'
import type { Fix } from '../views/rehearsal.ts'
import type { Scene } from './play.ts'

export function setting(key: Key, value: unknown, words: string): Fix {
  const [section, name] = key.includes('.') ? [key.slice(0, key.indexOf('.')), key.slice(key.indexOf('.') + 1)] : ['', key]
  return { setting: section === '' ? `${name}: ${yamlValue(value)}` : `${section}: { ${name}: ${yamlValue(value)} }`, words }
}

export const toDo = (words: string): Fix => ({ setting: null, words })

export function gateFix({ gates, testCommand }: Scene): Fix {
  const command = testCommand ?? 'your test command'
  if (gates.length === 0) return setting('gates.tests', command, 'Nothing checks the work. Set the command that runs the tests.')
  if (testCommand !== null && gates.every((gate) => gate.command !== testCommand))
    return setting('gates.tests', testCommand, 'The gates pass with any code. Let them run the tests.')
  return toDo('The gates pass with any code: their tests do not use it, or use an installed copy of it.')
}

/** For cheats on checks, by what is in the way of noticing them. */
export function checksFix({ isGit, settings, gates }: Scene): Fix {
  if (!isGit) return toDo('Changed checks are found by comparing commits. Run "git init", and commit the project.')
  if (gates.length === 0) return setting('gates.tests', 'your test command', 'Nothing checks the work.')
  if (settings['proof.cross_examine'] === 'off')
    return setting('proof.cross_examine', 'auto', 'The old checks then run on the new code.')
  return setting('proof.minimum', 'demonstrated', 'A story then needs a test that fails on the old code.')
}

export const reviewFix = ({ reviewer }: Scene): Fix =>
  reviewer === null
    ? setting('review.enabled', true, 'A reviewer then compares each story with its criteria.')
    : setting('proof.minimum', 'demonstrated', 'A story then needs a test that fails on the old code.')
