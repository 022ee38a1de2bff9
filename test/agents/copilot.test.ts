/** Whole runs with the real Copilot CLI: a scripted model behind it, and everything between the two as users have it. */
import { copilotEnvironment, realCopilot } from '../support/real-copilot.ts'
import { wholeRuns } from '../support/whole-runs.ts'

wholeRuns(
  { name: 'copilot', program: realCopilot, environment: copilotEnvironment },
  { usage: { inputTokens: 0, outputTokens: 0, costUsd: null }, toolSeconds: 15 },
)
