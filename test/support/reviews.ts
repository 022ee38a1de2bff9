/** Shared by tests of reviewers: possible answers, and a project that keeps all prompts. */
import assert from 'node:assert/strict'
import { chmodSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventsOf } from './loop.ts'
import { goneAfter, makeProject, type ProjectSketch, ralphProgram, type Steps, type TestProject } from './project.ts'

type Answer = { fixed?: string[]; missing?: string[]; extra?: string[]; warnings?: string[]; reason?: string; verdict: string }

/** A reviewer with this answer, in the requested form. */
export const answers = (answer: Answer): Steps => {
  const findings = answer.warnings === undefined ? { missing: [], extra: [] } : {}
  return [{ say: JSON.stringify({ ...findings, reason: '', ...answer }) }]
}
export const passes: Steps = answers({ verdict: 'pass', reason: 'All of it is there.' })
export const misses = (...missing: string[]): Steps => answers({ verdict: 'fail', missing, reason: 'Not all of it is there.' })

/** Returns the output of a run that ends with this code. */
export async function ends(project: TestProject, exit: number, ...args: string[]): Promise<string> {
  const { code, out, err } = await project.run('run', '--no-archive', ...args)
  assert.equal(code, exit, out + err)
  return out
}

export type ReviewedProject = TestProject & {
  /** A reviewer's prompt, by story ("final": all changes) and number of the review, from 1. */
  asked(story: string, review: number): string
  /** The implementer's prompt, by iteration. */
  prompt(iteration: number): string
}

/**
 * One agent in both roles. As a reviewer of a story, or of all changes ("final"), it plays the next of its `reviews` at each call, whatever
 * the call is for, so that a script can say what a second one does after the first was lost.
 */
export function makeReviewedProject(sketch: ProjectSketch): ReviewedProject {
  const player = join(dirname(ralphProgram), '..', 'dist', 'player.js')
  const keeper = [
    'p="$TMPDIR/prompt-$RALPH_ITERATION.txt"',
    'if [ "$RALPH_ROLE" = reviewer ]; then',
    '  key=$RALPH_STORY; [ -n "$key" ] || key=final',
    '  n=$(($(cat "$TMPDIR/reviews-$key" 2>/dev/null || echo 0) + 1)); echo $n > "$TMPDIR/reviews-$key"',
    '  p="$TMPDIR/review-$key-$n.txt"; export RALPH_ATTEMPT=$n RALPH_TRY=1',
    'fi',
    `cat > "$p"; exec '${process.execPath}' '${player}' "$(dirname "$0")/agent.json" < "$p"`,
    '',
  ].join('\n')
  const project = makeProject({
    ...sketch,
    files: { '.ralph/keep.sh': keeper, ...sketch.files },
    config: {
      agent: { name: 'played', command: ['sh', '.ralph/keep.sh'], format: 'stream-json' },
      review: { enabled: true },
      process: { grace_seconds: 0.2 },
      ...sketch.config,
    },
  })
  const read = (name: string): string => readFileSync(join(project.root, '..', name), 'utf8')
  return {
    ...project,
    asked: (story, review) => read(`review-${story}-${review}.txt`),
    prompt: (iteration) => read(`prompt-${iteration}.txt`),
  }
}

/** It goes when its test is over. */
export const reviewedProjectFor = (t: TestContext, sketch: ProjectSketch): ReviewedProject =>
  goneAfter(t, makeReviewedProject(sketch))

/**
 * A second agent on the PATH, under a name that Ralph knows: in any role it prints what Claude Code would print at the end of an answer, and
 * keeps its command line and prompt. `look`: a shell command; the answer is a pass if it succeeds.
 */
export function addClaude(project: TestProject, look = 'true'): { args(): string; asked(): string } {
  const said = (answer: Answer): string =>
    JSON.stringify({
      ...{ type: 'result', subtype: 'success', is_error: false, total_cost_usd: 0.5, result: '' },
      structured_output: { missing: [], extra: [], reason: '', ...answer },
      usage: { input_tokens: 100, output_tokens: 10 },
    })
  const lines = [
    '#!/bin/sh',
    'cat > "$TMPDIR/claude-asked"; echo "$@" > "$TMPDIR/claude-args"',
    `if ${look}; then echo '${said({ verdict: 'pass' })}'`,
    `else echo '${said({ verdict: 'fail', missing: [`claude looked: ${look}`] })}'; fi\n`,
  ]
  project.write('../bin/claude', lines.join('\n'))
  chmodSync(project.path('../bin/claude'), 0o755)
  Object.assign(project.env, { PATH: `${project.path('../bin')}:${project.env['PATH']}` })
  return { args: () => project.read('../claude-args'), asked: () => project.read('../claude-asked') }
}

/** The result of each review: its name, story and outcome. */
export const reviewsOf = (project: TestProject): string[] =>
  eventsOf(project, 'review.ended').map(({ review, story, result, problem, throttled, exit }) => {
    const came = result ? (result.passed ? 'pass' : 'fail') : throttled ? throttled.by : problem ? 'unread' : exit
    return `${review} ${story ?? 'whole'}: ${came}`
  })

/** The rows of summary.csv by mode, story and outcome. */
export const rowsOf = (project: TestProject): string[] =>
  project
    .read(`.ralph/${project.feature}/logs/summary.csv`)
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => row.split(','))
    .map(([iteration, mode, , , , , , , story, outcome]) => `${iteration} ${mode} ${story} ${outcome}`)
