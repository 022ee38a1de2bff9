/** A program in JavaScript that makes calls of tests in processes where no test runs, and writes down what was not as expected. */
import type { CallerInput } from './input.ts'

/** It must run on whatever Node the project has. */
export const javascriptCaller = (input: CallerInput): string => `
import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect, isDeepStrictEqual } from 'node:util'
import assert from 'node:assert'

const { blocks, near, said, home, callMs, isRepeated } = ${JSON.stringify(input)}
const which = process.argv[2]
const say = (line) => appendFileSync(said, JSON.stringify(line) + '\\n')
const valueOf = (text) => (0, eval)('(' + text + ')')
/** Timers that modules set when they are loaded, and that fire much later. */
const timers = []
const real = { setTimeout, setInterval, now: Date.now }
const builtin = createRequire(import.meta.url)('timers')
const patch = (fakes) => {
  Object.assign(globalThis, fakes)
  Object.assign(builtin, fakes)
  syncBuiltinESMExports()
}
const late = (name) => (act, ms = 0, ...rest) => {
  if (ms >= 1000 && typeof act === 'function') timers.push(() => act(...rest))
  return real[name](ms >= 1000 ? () => {} : act, ms, ...rest)
}

if (which === undefined) {
  const env = { ...process.env, HOME: home, USERPROFILE: home }
  for (const each of [...(blocks.length > 0 ? ['all'] : []), ...blocks.keys(), ...near.map((_, at) => 'near ' + at)])
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), String(each)], { env, timeout: callMs, stdio: 'ignore' })
} else if (which.startsWith('near ')) {
  const { name, calls, ...place } = near[Number(which.slice(5))]
  const run = await functionOf(place, name)
  const answers = []
  for (const { args, near } of calls) {
    const given = []
    for (const each of [args, ...near]) given.push(await answerOf(run, each))
    answers.push({ own: given[0], near: given.slice(1) })
  }
  say({ near: Number(which.slice(5)), answers })
  process.exit(0)
} else {
  const own = which === 'all' ? [...blocks.keys()] : [Number(which)]
  const ready = []
  if (isRepeated) patch({ setTimeout: late('setTimeout'), setInterval: late('setInterval') })
  for (const block of own) {
    try {
      for (const { name, args, expected, isError } of blocks[block].calls)
        ready.push({ block, call: ready.filter((other) => other.block === block).length, run: await functionOf(blocks[block], name), args, expected, isError })
    } catch {
      say({ which, block, unable: true })
    }
  }
  if (isRepeated) patch({ setTimeout: real.setTimeout, setInterval: real.setInterval })
  const began = performance.now()
  for (const each of ready) await made(each, 0)
  for (let after = ready.length; isRepeated && which === 'all' && after < 400 && performance.now() - began < 1000; )
    for (const each of ready) await made(each, after++)
  if (isRepeated && which === 'all') {
    for (const fire of timers) {
      try {
        fire()
      } catch {}
    }
    Date.now = () => real.now() + 400 * 86_400_000
    for (const each of ready) await made(each, 'aged')
  }
  process.exit(0)
}

async function functionOf({ file, imports }, name) {
  const [first, second] = name.split('.')
  const { module, member } = imports[first]
  const require = createRequire(resolve(file))
  let path
  try {
    path = require.resolve(module)
  } catch {
    path = resolve(dirname(file), module)
  }
  const all = await import(pathToFileURL(path).href)
  const whole = member === undefined ? all : (all[member] ?? all.default?.[member])
  const found = second === undefined ? (typeof whole === 'function' ? whole : whole.default) : (whole[second] ?? whole.default?.[second])
  if (typeof found !== 'function') throw new Error('it is not there')
  return found
}

async function made({ block, call, run, args, expected, isError }, after) {
  const wanted = isError ? undefined : valueOf(expected)
  let was
  try {
    was = await run(...valueOf('[' + args + ']'))
  } catch (error) {
    if (isError) return
    if (error instanceof ReferenceError || /MODULE_NOT_FOUND/.test(error?.code ?? '')) return say({ which, block, unable: true })
    return say({ which, block, call, after, was: 'the error ' + String(error?.message ?? error).slice(0, 100) })
  }
  if (isError || !isSame(was, wanted)) say({ which, block, call, after, was: inspect(was).slice(0, 100) })
}

async function answerOf(run, args) {
  try {
    const was = await run(...valueOf('[' + args + ']'))
    return { kind: was === undefined || was === null || Number.isNaN(was) ? 'nothing' : 'value', shown: inspect(was).slice(0, 200) }
  } catch (error) {
    return { kind: 'nothing', shown: 'the error ' + String(error?.message ?? error).slice(0, 100) }
  }
}

function isSame(was, wanted) {
  if (isDeepStrictEqual(was, wanted)) return true
  if (typeof wanted !== 'object' || wanted === null) return typeof was !== 'object' && typeof was !== 'function' && was == wanted
  try {
    assert.deepEqual(was, wanted)
    return true
  } catch {
    return false
  }
}
`
