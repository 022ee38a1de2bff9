/** Every family, in the order in which they are told. */
import { acp } from './families/acp.ts'
import { answers, decisions } from './families/answers.ts'
import { changedFiles } from './families/changes.ts'
import { dashboard } from './families/dashboard.ts'
import { callsFile, inbox, lockFile, reportFile, statusFile } from './families/files.ts'
import { imports } from './families/imports.ts'
import { learnings, roleAnswers, sections } from './families/learning.ts'
import { eventLog, histories } from './families/logs.ts'
import { masking } from './families/masking.ts'
import { mcp } from './families/mcp.ts'
import { planEdits, plans } from './families/plans.ts'
import { settings } from './families/settings.ts'
import { injected, streams } from './families/streams.ts'
import type { Family } from './family.ts'

export const families: Family[] = [
  ...[plans, planEdits, imports, settings, answers, decisions, streams, injected, acp, mcp],
  ...[
    eventLog,
    histories,
    inbox,
    callsFile,
    lockFile,
    reportFile,
    statusFile,
    learnings,
    roleAnswers,
    sections,
    masking,
    changedFiles,
    dashboard,
  ],
]
