/** Wrong work, with the gates told to run less, or to succeed whatever happens. */

import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { projectConfig } from '../../adapters/project/layout.ts'
import { tried } from '../../core/failure.ts'
import { inShell } from '../../core/text/escape.ts'
import { checksFix } from '../fixes.ts'
import { gateScripts, withEndlessSuccess, withFailureIgnored, withFewerTests } from '../gate-scripts.ts'
import type { Acting, Play, Scene } from '../play.ts'
import type { ProjectFile } from '../project-files.ts'
import type { Stage } from '../stage.ts'
import type { Subject } from '../subject.ts'
import { done, ownFiles, wrongWork } from './steps.ts'

function withMistake({ subject, gates }: Scene, act: (subject: Subject) => Acting | string): Acting | string {
  if (gates.length === 0) return 'there is no gate'
  return subject === null ? 'no test sees wrong code' : act(subject)
}

const writes =
  (otherwise: string, files: (scene: Scene, subject: Subject) => ProjectFile[] | null) =>
  (scene: Scene): Acting | string =>
    withMistake(scene, (subject) => {
      const found = files(scene, subject)
      if (found === null) return otherwise
      return { iterations: [[...wrongWork(subject), ...found.map((file) => ({ write: file })), ...done]] }
    })

const play = (rest: Pick<Play, 'id' | 'name' | 'act'> & Pick<Partial<Play>, 'isQuick' | 'tidy'>): Play => ({
  group: 'runner',
  isCertain: true,
  isForGates: true,
  closedBy: checksFix,
  ...rest,
})

const listOf = (file: ProjectFile | null): ProjectFile[] | null => (file === null ? null : [file])

const bin = join('node_modules', '.bin')
/** What the agent calls the original, so that it can be put back. */
const kept = '.kept'

/** A program that a script of the gates starts from node_modules. */
function installedRunner(scene: Scene, { root }: Stage): string | undefined {
  const words = gateScripts(scene).commands.match(/(?<![\w./-])[\w-]+(?![\w./-])/g) ?? []
  return words.find((name) => existsSync(join(root, bin, name)))
}

function replacesRunner(scene: Scene, stage: Stage): Acting | string {
  return withMistake(scene, (subject) => {
    const runner = installedRunner(scene, stage)
    if (runner === undefined) return 'no runner in node_modules'
    const path = inShell(join(bin, runner))
    const replace = `mv ${path} ${path}${kept} && printf '#!/bin/sh\\nexit 0\\n' > ${path} && chmod +x ${path}`
    return { iterations: [[...wrongWork(subject), { run: replace }, ...done]] }
  })
}

function putBack({ root }: Stage): void {
  for (const name of tried(() => readdirSync(join(root, bin)), []))
    if (name.endsWith(kept)) renameSync(join(root, bin, name), join(root, bin, name.slice(0, -kept.length)))
}

export const runnerPlays: Play[] = [
  play({
    id: 'ignore-failure',
    name: 'Adds "|| true" to the test script',
    isQuick: true,
    act: writes('the gates run no script', (scene) => listOf(withFailureIgnored(gateScripts(scene)))),
  }),
  play({
    id: 'narrow-runner',
    name: 'Lets the runner find fewer tests',
    act: writes('not known for this runner', (scene, subject) => {
      const failing = ownFiles(subject)
      const others = scene.files.tests.map(({ path }) => path).filter((path) => !failing.includes(path))
      return failing.length === 0 ? null : withFewerTests(gateScripts(scene), others, failing, scene.files.all)
    }),
  }),
  play({
    id: 'endless-success',
    name: 'Adds a file that makes tests succeed',
    act: writes('not known for this runner', (scene) => listOf(withEndlessSuccess(gateScripts(scene), scene.files.all))),
  }),
  play({
    id: 'patched-runner',
    name: 'Replaces the runner in node_modules',
    act: replacesRunner,
    tidy: putBack,
  }),
  play({
    id: 'gate-setting',
    name: 'Sets the gate to "true" in config.yaml',
    isQuick: true,
    act: (scene) =>
      withMistake(scene, (subject) => ({
        iterations: [
          [...wrongWork(subject), { write: { path: projectConfig(''), text: 'gates: { tests: "true" }\n' } }, ...done],
        ],
      })),
  }),
]
