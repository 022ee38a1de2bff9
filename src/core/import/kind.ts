/** Which tool a plan is from: by name, or by its content. */
import { EXIT, Failure } from '../failure.ts'
import { isRecord } from '../text/json.ts'
import { didYouMean } from '../text/nearest.ts'
import { isTaskMaster } from './task-master.ts'

export type PlanTool = 'snarktank' | 'ralph-tui' | 'task-master' | 'fix-plan'

export const tools: readonly PlanTool[] = ['snarktank', 'ralph-tui', 'task-master', 'fix-plan']

export function toolNamed(name: string): PlanTool {
  const tool = tools.find((known) => known === name)
  if (tool) return tool
  const advice = didYouMean(name, tools)
  throw new Failure(
    EXIT.usage,
    `--from is ${JSON.stringify(name)}; expected one of ${tools.join(', ')}, or a tracker: github, gitlab, linear, jira, beads.${advice}`,
  )
}

/** null: unknown. `value`: the file's JSON, undefined if it is not JSON. */
export function toolOf(fileName: string, value: unknown): PlanTool | null {
  if (/^@?fix_plan\.md$/i.test(fileName)) return 'fix-plan'
  if (!isRecord(value)) return null
  if (Array.isArray(value['userStories'])) return isRalphTui(value) ? 'ralph-tui' : 'snarktank'
  return isTaskMaster(value) ? 'task-master' : null
}

const isRalphTui = (value: Record<string, unknown>): boolean =>
  (typeof value['name'] === 'string' && typeof value['feature'] !== 'string') || isRecord(value['metadata'])
