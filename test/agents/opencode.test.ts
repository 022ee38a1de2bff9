/** Whole runs with the real OpenCode: a scripted model behind it, and everything between the two as users have it. */
import { opencodeEnvironment, realOpencode } from '../support/real-opencode.ts'
import { wholeRuns } from '../support/whole-runs.ts'

wholeRuns(
  { name: 'opencode', program: realOpencode, environment: opencodeEnvironment },
  { usage: { inputTokens: 2400, outputTokens: 100, costUsd: 0.0075, cacheReadTokens: 400 }, toolSeconds: 20 },
)
