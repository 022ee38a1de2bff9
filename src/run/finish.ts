/** After the loop: what a person must resolve, the closing words, the archive, the last commit. */
import { join, relative } from 'node:path'
import { appendLines, replaceFile } from '../adapters/files.ts'
import { unpassedStories } from '../core/stories.ts'
import type { Report, State } from '../core/types.ts'
import { blockedText, decideText } from '../views/people.ts'
import { closingEntry } from '../views/progress.ts'
import { reportJson, reportMarkdown } from '../views/report.ts'
import { statusOf } from '../views/status.ts'
import { summaryLines } from '../views/summary.ts'
import { archiveFeature } from './archive.ts'
import { commitOwnFiles } from './settle.ts'
import type { World } from './world.ts'

/** Gives the lines of the summary. */
export async function finish(
  world: World,
  state: State,
  options: { archive: boolean },
  report: (report: Report) => void,
): Promise<string[]> {
  const { outcome, because } = state.outcome!
  const write = (name: string, text: string): void => replaceFile(join(world.dir, name), world.mask.text(text))
  if (outcome === 'blocked' && state.blocked) write('blocked.txt', blockedText(state.blocked, state.at))
  if (outcome === 'question' && state.answer) write('decide.txt', decideText(state.answer, state.at))
  appendLines(join(world.dir, 'progress.txt'), world.mask.text(closingEntry(state, outcome, because)))
  write('report.md', reportMarkdown(state))
  write('report.json', `${JSON.stringify(reportJson(state), null, 2)}\n`)
  write('status.json', `${JSON.stringify(statusOf(state, 'run.ended'), null, 2)}\n`)
  const isWhole = state.plan === null || unpassedStories(state.plan, { ...state.policy, only: undefined }).length === 0
  const isArchived = outcome === 'complete' && options.archive && isWhole
  const dir = isArchived ? archiveFeature(world, state.at, false) : world.dir
  await commitOwnFiles(world, `chore(ralph): ${world.feature} ${outcome}`, report)
  return summaryLines(state, pathsFor(world, state, dir, isArchived))
}

function pathsFor(world: World, state: State, dir: string, isArchived: boolean): { dir: string; csv: string; log: string } {
  const shown = relative(world.root, dir)
  const logs = isArchived ? join('.ralph', 'logs', shown.split('/').at(-1)!) : join(shown, 'logs')
  return {
    dir: shown,
    csv: join(logs, 'summary.csv'),
    log: join(logs, `iteration-${String(state.iteration).padStart(3, '0')}.log`),
  }
}
