/** All plays, in the order in which they are shown. */
import type { Play } from '../play.ts'
import { behaviourPlays } from './behaviour.ts'
import { claimPlays } from './claims.ts'
import { gatePlays } from './gate.ts'
import { gitPlays } from './git.ts'
import { leftoverPlays } from './leftovers.ts'
import { runnerPlays } from './runner.ts'
import { testPlays } from './tests.ts'

export const playList: Play[] = [
  ...gatePlays,
  ...testPlays,
  ...runnerPlays,
  ...gitPlays,
  ...claimPlays,
  ...behaviourPlays,
  ...leftoverPlays,
]
