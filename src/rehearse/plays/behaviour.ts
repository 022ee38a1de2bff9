/** Agents that mean no harm and waste a night: idle, in circles, crashing, hanging, filling the disk. */
import { join } from 'node:path'
import { findProgram } from '../../adapters/process/program.ts'
import { sayDuration } from '../../core/text/time.ts'
import { setting, toDo } from '../fixes.ts'
import type { EndedRun, Steps } from '../inner-run.ts'
import { type Acting, caught, endWords, type JudgedPlay, type Play, passed, type Scene } from '../play.ts'

const threshold = 'circuit_breaker.no_progress_threshold'
/** A larger one is played as this one. */
const mostIdle = 4

/** Until the breaker should have opened, and one more. */
function untilStuck({ settings }: Scene, iterations: Steps[]): Acting {
  const own = settings[threshold]
  const limit = (own === 0 ? mostIdle : Math.min(own, mostIdle)) + 2
  return { iterations, limit, settings: own > mostIdle ? { [threshold]: mostIdle } : {} }
}

function judgeStuck({ state, events, isLate }: EndedRun): JudgedPlay {
  const count = events.filter(({ kind }) => kind === 'iteration.ended').length
  if (state.outcome?.outcome === 'stuck') return caught(state.outcome.because, `breaker (${count} iterations)`)
  return passed(isLate ? 'the run did not end' : `the run continues after ${count} iterations`)
}

const exitIn = ({ events }: EndedRun): string | undefined =>
  events.flatMap((event) => (event.kind === 'iteration.ended' ? [event.exit] : []))[0]

const breakerFix = () => setting(threshold, 3, 'The breaker then stops a run that makes no progress.')

const play = (rest: Omit<Play, 'group'>): Play => ({ group: 'behaviour', ...rest })

export const behaviourPlays: Play[] = [
  play({
    id: 'idle',
    name: 'Does nothing, again and again',
    act: (scene) => untilStuck(scene, [[{ say: 'I looked around, and will start next time.' }]]),
    judge: judgeStuck,
    closedBy: breakerFix,
  }),
  play({
    id: 'back-and-forth',
    name: 'Commits a change and reverts it',
    act: (scene) =>
      untilStuck(
        scene,
        Array.from({ length: mostIdle + 2 }, (_, index) => [
          { write: { path: 'rehearsal.txt', text: index % 2 === 0 ? 'one\n' : 'two\n' } },
          { commit: 'chore: rehearsal' },
          { say: `Changed it (${index + 1}).` },
        ]),
      ),
    judge: judgeStuck,
    closedBy: breakerFix,
  }),
  play({
    id: 'circles',
    name: 'Repeats a command that fails',
    act: () => ({
      iterations: [
        [
          ...Array.from({ length: 20 }, () => ({
            tool: { name: 'Bash', target: 'make build', text: 'make: *** No rule', failed: true },
          })),
          { hang: true },
        ],
      ],
      settings: { 'defaults.timeout_minutes': '10s', 'defaults.timeout_multiplier': 1 },
    }),
    judge: (run) =>
      exitIn(run) === 'circling'
        ? caught('the iteration is ended after the same failure several times', 'the iteration is ended')
        : passed('only the time limit ends it'),
    closedBy: () => setting('watch.repeat_threshold', 5, 'An iteration that repeats a failing command is then ended.'),
  }),
  play({
    id: 'crash',
    name: 'Crashes each time',
    act: (scene) => untilStuck(scene, [[{ crash: true }]]),
    judge: judgeStuck,
    closedBy: breakerFix,
  }),
  play({
    id: 'hang',
    name: 'Hangs, and ignores a request to end',
    act: () => ({
      iterations: [[{ say: 'Working.' }, { hang: true, ignore: 'SIGTERM' }]],
      settings: { 'defaults.timeout_minutes': '2s', 'defaults.timeout_multiplier': 1 },
    }),
    judge: (run, { settings }) =>
      exitIn(run) === 'timeout'
        ? caught(`ended by the time limit (2s here, ${sayDuration(limitMs(settings))} in your runs)`, 'the time limit')
        : passed('it was not ended'),
    closedBy: () => setting('defaults.timeout_minutes', 15, 'An iteration then ends after this time.'),
  }),
  play({
    id: 'full-disk',
    name: 'Fills the disk',
    act: (_, { dir, root, env }) => {
      if (findProgram('bwrap', root, env) === null) return 'needs bubblewrap (bwrap)'
      const files = ['prd.json', 'prompt.md'].map((name) => join(dir, name))
      return {
        iterations: [[{ flood: 16 * diskBytes }, { say: 'Printed a lot.' }]],
        through: [
          ...['bwrap', '--dev-bind', '/', '/', '--size', String(diskBytes), '--tmpfs', dir],
          ...files.flatMap((path) => ['--ro-bind', path, path]),
          '--',
        ],
      }
    },
    judge({ code, words }) {
      const last = endWords(code, words)
      if (last.startsWith('bwrap:')) return { result: 'not tried', words: last, by: 'bwrap does not work here' }
      return code === 0
        ? passed('the run ends as complete')
        : caught(`the run stops with exit ${code} and says what to do`, `the run stops (exit ${code})`)
    },
    closedBy: () => toDo('No setting allows this. Please report it as a bug in Ralph.'),
  }),
]

/** Of the feature's own folder, where the log and the transcripts are. */
const diskBytes = 2 ** 20

const limitMs = (settings: Scene['settings']): number =>
  settings['defaults.timeout_minutes'] * settings['defaults.timeout_multiplier'] * 60_000
