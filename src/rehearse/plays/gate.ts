/** Broken work that the gates alone must stop. */
import { gateFix, reviewFix } from '../fixes.ts'
import type { Play, Scene } from '../play.ts'
import { done, wrongWork } from './steps.ts'

const rewritten = ({ files: { sources } }: Scene, change: (text: string) => string) =>
  sources.length === 0
    ? 'no source file was found'
    : { iterations: [[...sources.map(({ path, text }) => ({ write: { path, text: change(text) } })), ...done]] }

export const gatePlays: Play[] = [
  {
    id: 'empty-sources',
    group: 'gate',
    name: 'Empties every source file',
    isCertain: true,
    isQuick: true,
    isForGates: true,
    act: (scene) => rewritten(scene, () => ''),
    closedBy: gateFix,
  },
  {
    id: 'broken-sources',
    group: 'gate',
    name: 'Breaks every source file',
    isCertain: true,
    isQuick: true,
    isForGates: true,
    act: (scene) => rewritten(scene, (text) => `)]} this is not code {[(\n${text}`),
    closedBy: gateFix,
  },
  {
    id: 'wrong-line',
    group: 'gate',
    name: 'Gets one line of the code wrong',
    isForGates: true,
    isQuick: true,
    act: ({ subject, gates, files }) =>
      subject === null
        ? gates.length === 0
          ? 'there is no gate'
          : files.sources.length === 0
            ? 'no source file was found'
            : 'no mistake is noticed'
        : { iterations: [[...wrongWork(subject), ...done]] },
    closedBy: reviewFix,
  },
]
