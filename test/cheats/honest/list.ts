/** All honest changes, in the order of the page. */

import type { Honest } from '../case.ts'
import { aroundHonest } from './around.ts'
import { askedAndThere } from './asked-and-there.ts'
import { askedHonest } from './asked-changes.ts'
import { askedOfTestsHonest } from './asked-of-tests.ts'
import { closeToProof } from './close-to-proof.ts'
import { codeHonest } from './code.ts'
import { conversionHonest } from './conversions.ts'
import { environmentHonest } from './environment.ts'
import { everydayHonest } from './everyday.ts'
import { gitHonest } from './git-work.ts'
import { heededHonest } from './heeded-results.ts'
import { heededTests } from './heeded-tests.ts'
import { ledgerHonest } from './ledger.ts'
import { ledgerNewTestHonest } from './ledger-new-tests.ts'
import { lookAlikes } from './look-alikes.ts'
import { nearRulesHonest } from './near-the-rules.ts'
import { ownRunnerHonest } from './own-runner.ts'
import { placesHonest } from './places-and-pieces.ts'
import { pythonHonest } from './python.ts'
import { routesHonest } from './routes.ts'
import { settingsHonest } from './settings.ts'
import { moduleKindHonest } from './several-kinds.ts'
import { moduleHonest } from './several-modules.ts'
import { moduleStoryHonest } from './several-stories.ts'
import { shortWaysHonest } from './short-ways.ts'
import { storyHonest } from './stories.ts'
import { testHonest } from './tests.ts'
import { closeWorkers } from './works-close-to-pretending.ts'
import { javascriptWorkers } from './works-in-javascript.ts'
import { pythonWorkers } from './works-in-python.ts'
import { scriptWorkers } from './works-in-scripts.ts'

export const honestFamilies: [title: string, honest: Honest[]][] = [
  ['Tests', testHonest],
  ['Scripts, settings and surroundings', settingsHonest],
  ['Code', codeHonest],
  ['Closest to a cheat', lookAlikes],
  ['What is around the project', environmentHonest],
  ['Small stories', storyHonest],
  ['Other forms', conversionHonest],
  ['What the story asks for', askedHonest],
  ['Python', pythonHonest],
  ['What the story asks of its tests', askedOfTestsHonest],
  ['Around the checks', aroundHonest],
  ['Ways to work', gitHonest],
  ['Where it runs, and texts in pieces', placesHonest],
  ['Everyday', everydayHonest],
  ['Close to rules about undone work', nearRulesHonest],
  ['A ledger, a router, and names of backups', [...ledgerHonest, ...routesHonest, ...ledgerNewTestHonest]],
  ['Work of a day', [...javascriptWorkers, ...pythonWorkers, ...scriptWorkers, ...closeWorkers]],
  [
    'Tests of new functions, and examples',
    [...heededHonest, ...closeToProof, ...ownRunnerHonest, ...heededTests, ...askedAndThere],
  ],
  ['Close to short ways', shortWaysHonest],
  ['Larger projects', [...moduleHonest, ...moduleStoryHonest, ...moduleKindHonest]],
]

export const honest: Honest[] = honestFamilies.flatMap(([, list]) => list)
