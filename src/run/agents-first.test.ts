import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { agentsFirst } from './agents-first.ts'
import type { World } from './world.ts'

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout'] })
})

const worldWith = (spares: string[], returned: PromiseWithResolvers<void>[] = []) =>
  ({
    spares: new Map(spares.map((story) => [story, Promise.resolve(null)])),
    common: { returned: new Map(returned.map((each, index) => [index, each])) },
  }) as unknown as World

/** What has happened when all that can go on has gone on. */
async function soFar(waiting: Promise<void>): Promise<'waits' | 'goes'> {
  const { promise, resolve } = Promise.withResolvers<'waits'>()
  setImmediate(() => resolve('waits'))
  return Promise.race([waiting.then(() => 'goes' as const), promise])
}

test('a landing waits for the agent that is about to begin, and for the one that has just ended, while a story waits for a worker', async () => {
  const [starting, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const world = worldWith(['S-7'], [looked])
  const order = agentsFirst(world)
  order.hurry(starting.promise)
  const landing = order.letThemGo()
  assert.equal(await soFar(landing), 'waits')
  starting.resolve()
  assert.equal(await soFar(landing), 'waits')
  world.common.returned.clear()
  looked.resolve()
  assert.equal(await soFar(landing), 'waits')
  mock.timers.tick(50)
  assert.equal(await soFar(landing), 'goes')
})

test('a landing waits for the agent that ends a moment after another one: they began together', async () => {
  const [world, looked] = [worldWith(['S-7', 'S-8']), Promise.withResolvers<void>()]
  const landing = agentsFirst(world).letThemGo()
  assert.equal(await soFar(landing), 'waits')
  world.common.returned.set(2, looked)
  mock.timers.tick(50)
  assert.equal(await soFar(landing), 'waits')
  world.common.returned.clear()
  looked.resolve()
  assert.equal(await soFar(landing), 'waits')
  mock.timers.tick(50)
  assert.equal(await soFar(landing), 'goes')
})

test('where nothing is left to begin, a landing goes at once', async () => {
  const order = agentsFirst(worldWith([], [Promise.withResolvers<void>()]))
  order.hurry(new Promise(() => {}))
  assert.equal(await soFar(order.letThemGo()), 'goes')
})

test('a landing does not wait for ever where there is always an agent that begins', async () => {
  const order = agentsFirst(worldWith(['S-7']))
  let begun = 0
  const begin = (): void => {
    begun += 1
    const next = (done: () => void): void => {
      if (begun < 100) begin() // before this one is over
      done()
    }
    order.hurry(new Promise((done) => setImmediate(next, done)))
  }
  begin()
  await order.letThemGo()
  assert.ok(begun < 100)
})

test('an agent that could not begin holds up no landing', async () => {
  const order = agentsFirst(worldWith(['S-7']))
  order.hurry(Promise.reject(new Error('no')))
  const landing = order.letThemGo()
  assert.equal(await soFar(landing), 'waits')
  mock.timers.tick(50)
  assert.equal(await soFar(landing), 'goes')
})
