/** Folds a log and prints the milliseconds it took. A separate program, so that nothing is warm. */
import { foldLog } from '../src/adapters/project/event-log.ts'
import { evolve } from '../src/core/evolve/evolve.ts'
import { initialState } from '../src/core/evolve/initial.ts'

const before = performance.now()
foldLog(process.argv[2]!, initialState, evolve)
process.stdout.write(`${performance.now() - before}\n`)
