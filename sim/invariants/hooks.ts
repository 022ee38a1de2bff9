/** Hooks: when one runs, that everything waits for it, and that what one refuses does not happen. */
import type { EventOf, HookName, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import type { Facts, Rules } from './facts.ts'

export function hookRules(facts: Facts): Rules {
  let running: EventOf<'hook.started'> | null = null
  /** What has happened and nobody was told of. */
  let due: string[] = []
  /** Which of them has let something pass. */
  const allowed = new Set<string>()
  const isSet = (hook: HookName): boolean => facts.policy.hooks?.includes(hook) === true
  const nameOf = (hook: HookName, iteration: unknown, story: StoryId | null): string => `${hook} ${iteration} ${story}`
  const happened = (hook: HookName, iteration: unknown, story: StoryId | null): void => {
    if (isSet(hook)) due.push(nameOf(hook, iteration, story))
  }

  const mayRun = (event: EventOf<'hook.started'>): void => {
    const { hook, iteration, story } = event
    const say = (): string => nameOf(hook, iteration, story)
    ensure(isSet(hook), 'only a hook that is set runs', say)
    ensure(!facts.life.isStoppingNow, 'no hook starts after a stop that cannot wait', say)
    running = event
    if (hook.startsWith('before.')) return
    const isAlone = [...facts.unsettled].every((other) => facts.started(other).worker !== undefined)
    ensure(isAlone && facts.failing === null, 'no hook runs while something else changes the same files', say)
    const place = due.indexOf(hook === 'story.passed' ? say() : (due.find((name) => name.startsWith(`${hook} `)) ?? ''))
    ensure(place >= 0, 'a hook runs once for each thing that happens', say)
    due.splice(place, 1)
  }

  const ended = ({ hook, iteration, story, how }: EventOf<'hook.ended'>): void => {
    ensure(running?.hook === hook && running.iteration === iteration, 'only the hook that runs ends', () => hook)
    running = null
    if (how !== 'refused' && how !== 'stopped') allowed.add(nameOf(hook, iteration, story))
  }

  const mayStart = ({ iteration, story, mode }: EventOf<'iteration.started'>): void => {
    const isAllowed = !isSet('before.iteration') || mode === 'check' || allowed.has(nameOf('before.iteration', iteration, story))
    ensure(isAllowed, 'an iteration starts only once its hook has let it', () => `iteration ${iteration} on ${story}`)
  }

  const mayPass = ({ iteration, passed, claim }: EventOf<'iteration.judged'>): void => {
    const { story, worker } = facts.started(iteration)
    const { uncommitted, repo } = facts.ended(iteration)
    if (passed.length === 0 && claim !== 'accepted') return
    const isCommitted = uncommitted.length > 0 && repo.head !== null && isSet('before.commit')
    const isAllowed = !isCommitted || allowed.has(nameOf('before.commit', iteration, story))
    ensure(isAllowed, 'what a story left is committed only once its hook has let it', () => `iteration ${iteration}`)
    const isLanded = worker !== undefined && passed.length > 0 && isSet('before.landing')
    const mayLand = !isLanded || allowed.has(nameOf('before.landing', iteration, story))
    ensure(mayLand, 'what a story did lands only once its hook has let it', () => `iteration ${iteration}`)
  }

  const passedNow = new Map<number, StoryId[]>()

  return {
    see(event, before, now) {
      const isStopping = event.kind === 'iteration.stopping' || event.kind === 'hook.started'
      if ('because' in event && running !== null)
        ensure(isStopping && event.kind !== 'hook.started', 'everything waits for a hook', () => event.kind)
      switch (event.kind) {
        case 'run.started':
          due = event.policy.hooks?.includes('run.started') ? [nameOf('run.started', 'whole', null)] : []
          running = null
          break
        case 'run.ended':
          ensure(due.length === 0 || facts.life.isStoppingNow, 'every hook has run before the end', () => due.join())
          break
        case 'hook.started':
          mayRun(event)
          break
        case 'hook.ended':
          ended(event)
          break
        case 'iteration.started':
          mayStart(event)
          break
        case 'iteration.judged':
          mayPass(event)
          passedNow.set(event.iteration, event.passed)
          break
        case 'iteration.settled':
          happened('iteration.ended', event.iteration, null)
          for (const id of event.problem === undefined ? (passedNow.get(event.iteration) ?? []) : [])
            happened('story.passed', event.iteration, id)
          break
        case 'story.put-aside':
          if (before.failing?.isShelved !== true) happened('story.failed', now.iteration, event.story)
          break
        case 'breaker.changed':
          if (event.to === 'open') happened('breaker.opened', now.iteration, null)
          break
      }
      const isNew = ({ story, iteration, text }: (typeof now.questions)[number]): boolean =>
        text === undefined && !before.questions.some((known) => known.story === story && known.iteration === iteration)
      for (const question of now.questions.filter(isNew)) happened('question.asked', question.iteration, question.story)
    },
    newLife() {
      running = null
    },
  }
}
