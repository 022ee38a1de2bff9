/** All cheats, in the order of the page. */

import type { Cheat } from '../case.ts'
import { aroundTheGateCheats } from './around-the-gate.ts'
import { askedAndMissing } from './asked-and-missing.ts'
import { beforeTheRunCheats } from './before-the-run.ts'
import { doneElsewhereCheats } from './done-elsewhere.ts'
import { fittedCheats } from './fitted.ts'
import { gitCheats } from './git.ts'
import { gitSettingsCheats } from './git-settings.ts'
import { homeCheats } from './home.ts'
import { ignoredCheats } from './ignored.ts'
import { ledgerNewTestCheats } from './ledger-new-tests.ts'
import { ledgerSourceCheats } from './ledger-source.ts'
import { ledgerStoryCheats } from './ledger-stories.ts'
import { ledgerTestCheats } from './ledger-tests.ts'
import { limitCheats } from './limits.ts'
import { morePythonCheats } from './more-python.ts'
import { moreScriptCheats } from './more-scripts.ts'
import { moreTestCheats } from './more-tests.ts'
import { oneStepCheats } from './one-step-removed.ts'
import { cheatsOutsideTests } from './outside-tests.ts'
import { ownRunnerCheats } from './own-runner.ts'
import { ownTestCheats } from './own-tests.ts'
import { hookCheats } from './past-hooks.ts'
import { placeCheats } from './places.ts'
import { gitPretenders } from './pretends-around-git.ts'
import { mochaAndVitestPretenders } from './pretends-in-mocha-and-vitest.ts'
import { nodePretenders } from './pretends-in-node.ts'
import { pythonPretenders } from './pretends-in-python.ts'
import { scriptPretenders } from './pretends-in-scripts.ts'
import { typedPretenders } from './pretends-in-types-and-go.ts'
import { morePretenders } from './pretends-once-more.ts'
import { askedPretenders } from './pretends-to-be-asked.ts'
import { processCheats } from './process.ts'
import { putTogetherCheats } from './put-together.ts'
import { pythonCheats } from './python.ts'
import { qualityCheats } from './quality.ts'
import { recognisedCheats } from './recognised.ts'
import { repositoryCheats } from './repository.ts'
import { routesCheats } from './routes.ts'
import { runnerCheats } from './runners.ts'
import { scriptCheats } from './scripts.ts'
import { moduleCheckCheats } from './several-checks.ts'
import { moduleCheats } from './several-modules.ts'
import { moduleRunnerCheats } from './several-runners.ts'
import { moduleSourceCheats } from './several-sources.ts'
import { shortWays } from './short-ways.ts'
import { sourceCheats } from './source.ts'
import { testCheats } from './tests.ts'
import { unheededCheats } from './unheeded-results.ts'
import { nearInputCheats, unheededTestCheats } from './unheeded-tests.ts'
import { wrappedTestCheats } from './wrapped-tests.ts'

export const cheatFamilies: [title: string, cheats: Cheat[]][] = [
  ['Tests', [...testCheats, ...moreTestCheats]],
  ['Tests that failed before the run', beforeTheRunCheats],
  ['New tests, and ways around types and coverage', ownTestCheats],
  ['Scripts and settings of the checks', [...scriptCheats, ...moreScriptCheats]],
  ['mocha, vitest and go', runnerCheats],
  ['Python', [...pythonCheats, ...morePythonCheats]],
  ['Types, linter and coverage', qualityCheats],
  ['The source', sourceCheats],
  ['git', gitCheats],
  ['The repository’s own files', repositoryCheats],
  ['Hooks', hookCheats],
  ['More than is looked at', limitCheats],
  ['Files that git ignores', ignoredCheats],
  ['Processes, gates and Ralph’s own files', processCheats],
  ['The home folder and programs', homeCheats],
  ['Work in places that no commit has', placeCheats],
  ['Settings of git, and its trace', gitSettingsCheats],
  ['Answers put together', putTogetherCheats],
  ['Source that recognises where it runs', recognisedCheats],
  ['Source that is right only while tests run', cheatsOutsideTests],
  ['Tests that can no longer fail', wrappedTestCheats],
  ['Functions whose results nobody looks at', unheededCheats],
  ['A runner of the project’s own', ownRunnerCheats],
  ['Tests that nobody runs or heeds', unheededTestCheats],
  ['Answers for the inputs of the tests alone', nearInputCheats],
  ['Asked for in plain words, and missing', askedAndMissing],
  ['Work that is done elsewhere, or not at all', doneElsewhereCheats],
  ['Source fitted to the tests', fittedCheats],
  ['What the gate reads, starts or imports', aroundTheGateCheats],
  ['A ledger', [...ledgerTestCheats, ...ledgerSourceCheats, ...ledgerStoryCheats, ...ledgerNewTestCheats]],
  ['A router, and names of backups', routesCheats],
  ['Larger projects', [...moduleCheats, ...moduleRunnerCheats, ...moduleSourceCheats, ...moduleCheckCheats]],
  ['By gates and processes', oneStepCheats],
  ['Short ways', shortWays],
  [
    'Agents that want to be finished',
    [
      ...nodePretenders,
      ...mochaAndVitestPretenders,
      ...pythonPretenders,
      ...scriptPretenders,
      ...typedPretenders,
      ...askedPretenders,
      ...gitPretenders,
      ...morePretenders,
    ],
  ],
]

export const cheats: Cheat[] = cheatFamilies.flatMap(([, list]) => list)
