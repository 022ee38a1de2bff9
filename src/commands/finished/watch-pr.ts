/** `ralph pr --watch`: waits for checks and reviewers, lets a run do what they want, and answers, until the pull request is merged or the rounds are spent. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { limitedExit } from '../../adapters/forges/api.ts'
import { openGit } from '../../adapters/git/git.ts'
import { lockPath } from '../../adapters/project/find.ts'
import { takeLock } from '../../adapters/project/lock.ts'
import { shippedPath } from '../../adapters/project/templates.ts'
import type { Settings } from '../../config/table.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { listed } from '../../core/plan/stories.ts'
import type { Io } from '../../io.ts'
import { type PullHands, type PullResult, type PullWanted, sendPullRequest } from '../../run/finish/pull-request.ts'
import { pullWords } from '../../run/finish/pull-request-line.ts'
import { answerReviewers, lookAtPull, type PullLook } from '../../run/finish/review-round.ts'
import type { Project } from '../../run/project.ts'

type PullWatch = { project: Project; settings: Settings; io: Io; isOnce: boolean }

export async function watchPullRequest(watch: PullWatch, wanted: PullWanted): Promise<number> {
  const { settings, io, isOnce } = watch
  let said = ''
  const say = (text: string): void => {
    if (text !== said) io.out(`${text}\n`)
    said = text
  }
  let rounds = 0
  for (let now = wanted; ; now = {}) {
    const looked = await oneLook(watch, now, !isOnce || rounds === 0).catch((error: unknown) => {
      // A night of waiting must not end because of a minute without a network, or because of another run here.
      const isPassing = error instanceof Failure && (error.exit === limitedExit || error.exit === EXIT.busy)
      if (isOnce || said === '' || !isPassing) throw error
      return error
    })
    if (looked instanceof Failure) {
      say(`! ${looked.message}`)
      await pause(settings['git.pr_poll_seconds'] * 1000)
      continue
    }
    const { sent, look, answered } = looked
    if (sent.how !== 'unchanged' || said === '') say(pullWords(sent))
    if (answered.length > 0) say(`Answered ${listed([...new Set(answered)])}.`)
    if (look === null) return 0
    say(words(look))
    if (look.kind === 'spent') return exitCode('incomplete')
    if (look.kind === 'stories') {
      rounds += 1
      const exit = await runAgain(watch)
      if (exit !== 0) {
        const last = await oneLook(watch, {}, false)
        if (last.answered.length > 0) say(`Answered ${listed([...new Set(last.answered)])}.`)
        return exit
      }
    } else if (isOnce) return 0
    else await pause(settings['git.pr_poll_seconds'] * 1000)
  }
}

type PullLooked = { sent: PullResult; look: PullLook | null; answered: string[] }

/** Under the lock, which a run needs too. `look` null: the pull request is over. */
async function oneLook({ project, settings, io }: PullWatch, wanted: PullWanted, isLooking = true): Promise<PullLooked> {
  const lock = takeLock(lockPath(project.root), { feature: project.feature, run: '', purpose: 'command' })
  const git = await openGit(project.root, io.env)
  const hands: PullHands = { settings, git, env: io.env }
  try {
    const sent = await sendPullRequest(project, hands, wanted)
    if (sent.how === 'merged') return { sent, look: null, answered: [] }
    const answered = await answerReviewers(project, hands, sent)
    return { sent, look: isLooking ? await lookAtPull(project, hands, sent) : null, answered }
  } finally {
    git?.close()
    lock.release()
  }
}

function words(look: PullLook): string {
  switch (look.kind) {
    case 'waiting':
      return `Waiting for ${listed(look.running)}.`
    case 'quiet':
      return `Nothing to do: ${look.checks === 0 ? 'no checks yet' : 'checks pass'}, and no reviewer requests changes${look.others === 0 ? '' : ` (${look.others} other comments, quoted only)`}.`
    case 'spent':
      return `Still to do: ${listed(look.wants)}. No rounds left; raise git.pr_rounds, or do it yourself.`
    case 'stories':
      return `Round ${look.round}: ${listed(look.wants)}. Added ${listed(look.ids)} to the plan.`
  }
}

/** A process of its own, as if it had been typed: Ctrl+C stops it, and then this one. */
async function runAgain({ project, io }: PullWatch): Promise<number> {
  const args = [shippedPath('bin/ralph.js'), 'run', '-f', project.feature, '--no-archive']
  const child = spawn(process.execPath, args, { cwd: project.main ?? project.root, env: io.env, stdio: 'inherit' })
  const leave = (): void => {}
  process.on('SIGINT', leave)
  try {
    const [code] = await once(child, 'close')
    return typeof code === 'number' ? code : exitCode('interrupted')
  } finally {
    process.off('SIGINT', leave)
  }
}
