// `npm run test:power`: cuts the power of whole runs at random moments, in every mode. `-- 500` says how often, words after it select modes.
import { keepProof } from '../../tools/proof.ts'
import { cutPower } from './cut.ts'
import { scenes } from './scenes.ts'

const [most = '100', ...words] = process.argv.slice(2)
const modes = Object.keys(scenes).filter((mode) => words.every((word) => mode.includes(word)))
const perRun = 10
const began = performance.now()
const tried: Record<string, number> = Object.fromEntries(modes.map((mode) => [mode, 0]))
const sum = (): number => Object.values(tried).reduce((all, each) => all + each, 0)
let lost = 0
for (let turn = 0; sum() < Number(most); turn++) {
  const mode = modes[turn % modes.length] as string
  // Runs take longer on a busy machine: later moments than the end are left out.
  const found = await cutPower(
    mode,
    Array.from({ length: perRun }, () => 200 + Math.random() * 6000),
  )
  if (found === null) throw new Error('This machine cannot mount a file system in a file: that needs root and loop devices.')
  tried[mode] = (tried[mode] ?? 0) + found.length
  for (const { cut, problems, printed } of found.filter(({ problems }) => problems.length > 0)) {
    lost += 1
    process.stdout.write(`✗ ${mode}, ${cut}: ${problems.join('; ')}\n${words.length > 0 ? `${printed}\n` : ''}`)
  }
  process.stdout.write(`${sum()} power cuts, ${lost} with a loss\n`)
}
process.exitCode = lost > 0 ? 1 : 0
if (words.length === 0)
  keepProof(
    {
      name: 'power',
      what: 'The power of whole runs on a real ext4 file system is cut at random moments: nothing that was said to be done is lost, HEAD can be read, and the next run reaches the end of the undisturbed one',
      tried: sum(),
      failures: lost,
      details: tried,
    },
    began,
  )
