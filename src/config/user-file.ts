/** The user's own config.yaml, written at first use: every key, explained and commented out. */
import { writeFileSync } from 'node:fs'
import { errorCode, makeFolder } from '../adapters/files/files.ts'
import { userConfig } from '../adapters/project/layout.ts'
import { keys } from './names.ts'
import { configText } from './text.ts'

/** Returns a warning if it cannot be written: that must not stop anyone. */
export function ensureUserConfig(home: string): string | undefined {
  const path = userConfig(home)
  try {
    makeFolder(home, 0o700)
    writeFileSync(path, configText(heading, keys), { flag: 'wx' })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return `Cannot write ${path} (${errorCode(error)}): continuing without it.`
  }
  return undefined
}

const heading = `Your settings for all projects. A project's .ralph/config.yaml overrides them,
RALPH_* variables override that, and flags override everything.
Uncomment a line to change it. "ralph config show" prints each setting and its source.`
