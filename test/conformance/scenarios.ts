/** The worlds that the real hands and the simulated ones are compared in. */
import { type ConformanceWorld, finishes as good, type Turn } from './world.ts'

const gates = { tests: 'content' }
const content = { gates }
const one = [{ id: 'S1' }]
const two = [{ id: 'S1' }, { id: 'S2' }]
const three = [...two, { id: 'S3' }]

const bad = (story: string): Turn => ({ edits: ['bad', 'commit'], flips: [story] })
const lies = { edits: ['bad', 'commit', 'good'], flips: ['S1'] } satisfies Turn

export const worlds: Record<string, ConformanceWorld> = {
  'a skill that does not help is retired': {
    stories: Array.from({ length: 11 }, (_, i) => ({ id: `S${i + 1}` })),
    config: {
      learn: { enabled: true, aggregate_every: 10, skill_threshold: 2 },
      circuit_breaker: { no_progress_threshold: 0, output_decline_percent: 0 },
    },
    args: ['-n', '20'],
    lessons: { S10: [2] },
    skills: ['testing'],
    turns: { S11: [{}] },
  },
  'every story passes': { stories: two, config: content },
  'no gates': { stories: two },
  'without git': {
    stories: two,
    config: content,
    hasNoGit: true,
    turns: {
      S1: [
        { edits: ['bad'], flips: ['S1'] },
        { edits: ['good'], flips: ['S1'] },
      ],
      S2: [{ edits: ['good'], flips: ['S2'] }],
    },
  },
  'without a plan, until the agent says that it is done': {
    stories: null,
    config: content,
    turns: { '': [{ edits: ['good', 'commit'] }, { edits: ['good'], says: 'done' }] },
  },
  'what is left uncommitted is committed when its story passes': {
    stories: two,
    config: content,
    turns: { S1: [{ edits: ['good'], flips: ['S1'] }] },
  },
  'hooks: one refuses a commit, one fails, and the run goes on': {
    stories: two,
    config: {
      gates,
      hooks: {
        'run.started': 'true',
        'before.iteration': 'true',
        'before.commit': 'if mkdir "$HOME/../asked"; then echo no; exit 1; fi 2> /dev/null',
        'iteration.ended': 'exit 3',
        'story.passed': 'true',
      },
    },
    turns: { S1: [{ edits: ['good'], flips: ['S1'] }] },
    hooks: {
      'before.commit': [{ how: 'refused', reason: 'no' }],
      'iteration.ended': Array.from({ length: 3 }, () => ({ how: 'failed', reason: '' })),
    },
  },
  'a hook that refuses an iteration ends the run': {
    stories: one,
    config: { gates, hooks: { 'before.iteration': 'echo frozen; exit 1' } },
    hooks: { 'before.iteration': [{ how: 'refused', reason: 'frozen' }] },
  },
  'a hook is asked before work lands': {
    stories: two,
    config: { gates, parallel: { workers: 2 }, hooks: { 'before.landing': 'true' } },
    turns: { S2: [{ ...good('S2'), after: 'S1' }] },
  },
  'a red gate refuses a flip': { stories: two, config: content, turns: { S1: [bad('S1'), good('S1')] } },
  'a gate that fails by chance runs once more, and its test is known from then on': {
    stories: three,
    config: content,
    turns: { S1: [{ flips: ['S1'] }] },
    flaky: [2, 4, 6],
  },
  'a gate that fails twice on content on which it passed': {
    stories: one,
    config: content,
    turns: { S1: [{ flips: ['S1'] }, good('S1')] },
    flaky: [2, 3],
  },
  'a soft gate that is red warns': { stories: one, config: { gates, quality: { commands: { style: 'fail' } } } },
  'a gate of one story alone': {
    stories: [{ id: 'S1', gates: { own: 'content' } }, { id: 'S2' }],
    config: { gates: { tests: 'pass' } },
    turns: { S1: [bad('S1'), good('S1')] },
  },
  'a gate that was red before the run is tolerated': {
    stories: one,
    config: { gates: { tests: 'fail', baseline: 'tolerate' } },
  },
  'a gate whose program is missing ends the run before the first call': { stories: one, config: { gates: { tests: 'missing' } } },
  'what the gates saw uncommitted and is not committed is red': {
    stories: one,
    config: content,
    turns: { S1: [lies, good('S1')] },
  },
  'work without a flip, idling, and then a flip': {
    stories: one,
    config: content,
    turns: { S1: [{ edits: ['good', 'commit'] }, {}, { edits: ['bad'] }, good('S1')] },
  },
  'idling opens the breaker': { stories: one, config: content, turns: { S1: [{}] } },
  'the agent picks': {
    stories: two,
    config: { ...content, defaults: { pick: 'agent' } },
    turns: { '': [good('S2'), good('S1')] },
  },
  'the agent marks other stories, and adds one': {
    stories: two,
    config: content,
    turns: { S1: [{ edits: ['good', 'commit'], flips: ['S1', 'S2'], adds: 2 }] },
  },
  'a claim that is not true': { stories: two, config: content, turns: { S1: [{ says: 'done' }, good('S1')] } },
  'an agent that fails': { stories: one, config: content, turns: { S1: [{ edits: ['bad'], ends: 'failed' }, good('S1')] } },
  'an agent that runs out of time': {
    notices: ['timeout-near'],
    stories: one,
    config: { ...content, defaults: { timeout_minutes: 0.05 } },
    args: ['-n', '1'],
    turns: { S1: [{ edits: ['good'], ends: 'timeout' }] },
  },
  'an agent that is blocked': { stories: two, config: content, turns: { S1: [{ edits: ['good', 'commit'], says: 'blocked' }] } },
  'an agent that has a question': { stories: two, config: content, turns: { S1: [{ says: 'question' }] } },
  'an agent that asks twice instead of working': {
    stories: two,
    config: content,
    turns: { S1: [{ says: 'asks' }, { says: 'asks' }] },
  },
  'a question that is parked': {
    stories: two,
    config: { ...content, defaults: { decide: 'park' } },
    turns: { S1: [{ edits: ['good', 'commit', 'good'], says: 'question' }] },
  },
  'a held-out check refuses a flip': {
    stories: two,
    config: { gates: { tests: 'pass' }, proof: { held_out_on: 'flip' } },
    hasHeldOut: true,
    turns: { S1: [bad('S1'), { edits: ['good'], flips: ['S1'] }] },
  },
  'a held-out check is red before the end, and fixed': {
    stories: one,
    config: { gates: { tests: 'pass' } },
    hasHeldOut: true,
    turns: { S1: [bad('S1')], '': [{}, { edits: ['good', 'commit'] }] },
  },
  'a held-out check of stories side by side, again after the merge': {
    stories: two,
    config: { gates: { tests: 'pass' }, proof: { held_out_on: 'flip' } },
    args: ['--parallel', '2'],
    hasHeldOut: true,
    turns: { S2: [{ ...good('S2'), after: 'S1' }] },
  },
  'mutants are tried before a reviewer is asked': {
    stories: one,
    config: { gates: { tests: 'content' }, proof: { mutants: 2 }, review: { enabled: true } },
  },
  'weakened checks are refused': {
    stories: one,
    config: { gates: { tests: 'content', tamper: 'refuse' }, proof: { cross_examine: 'off' } },
    turns: { S1: [{ edits: ['good', 'weak', 'commit'], flips: ['S1'] }, good('S1')] },
  },
  'weakened checks that a person must decide on': {
    stories: two,
    config: { gates: { tests: 'content' }, proof: { suspicion: 'ask', cross_examine: 'off' } },
    turns: { S1: [{ edits: ['good', 'weak', 'commit'], flips: ['S1'] }] },
  },
  'weakened checks that hide nothing pass': {
    stories: one,
    config: { gates: { tests: 'content' }, proof: { suspicion: 'refuse' } },
    turns: { S1: [{ edits: ['good', 'weak', 'commit'], flips: ['S1'] }] },
  },
  'evidence against a story is refused by default': {
    stories: one,
    config: content,
    turns: { S1: [{ edits: ['good', 'cheat', 'commit'], flips: ['S1'] }, good('S1')] },
  },
  'an agent that deletes Ralph’s files': {
    notices: ['config-restored', 'log-restored'],
    stories: two,
    config: content,
    turns: { S1: [{ ...good('S1'), deletes: true }] },
  },
  'an agent that commits elsewhere': {
    notices: ['branch-changed', 'work-astray'],
    stories: one,
    config: content,
    turns: { S1: [{ ...good('S1'), strays: 'apart' }, good('S1')] },
  },
  'an agent that commits on a branch of its own, ahead of ours': {
    notices: ['branch-changed'],
    stories: one,
    config: content,
    turns: { S1: [{ ...good('S1'), strays: 'ahead' }] },
  },
  'the user’s file stays uncommitted': { stories: two, config: content, hasUsersFile: true },
  'an agent that commits the user’s file': {
    notices: ['users-committed'],
    stories: two,
    config: content,
    hasUsersFile: true,
    turns: { S1: [{ edits: ['good', 'take'], flips: ['S1'] }] },
  },
  'an agent that throws the user’s file away': {
    notices: ['users-restored'],
    stories: two,
    config: content,
    hasUsersFile: true,
    turns: { S1: [{ edits: ['discard', 'good', 'commit'], flips: ['S1'] }] },
  },
  'a story that fails for good is put aside': {
    stories: two,
    config: { ...content, defaults: { max_attempts: 2 } },
    turns: { S1: [bad('S1')] },
  },
  'a story that fails for good beside the user’s file': {
    stories: two,
    config: { ...content, defaults: { max_attempts: 1 } },
    hasUsersFile: true,
    turns: { S1: [{ edits: ['bad', 'commit', 'bad'], flips: ['S1'] }] },
  },
  'a story that fails after another one has passed is put aside': {
    stories: two,
    config: { ...content, defaults: { max_attempts: 1 } },
    turns: { S2: [bad('S2')] },
  },
  'the budget of iterations is used up': { stories: two, config: content, args: ['-n', '1'] },
  reviewers: {
    stories: two,
    config: { ...content, review: { enabled: true } },
    reviews: { S1: ['refuse', 'pass'], S2: ['unreadable', 'pass'] },
  },
  'a reviewer that calls a person': {
    stories: one,
    config: { ...content, review: { enabled: true } },
    reviews: { S1: ['question'] },
  },
  'a reviewer that cannot be read': {
    stories: one,
    config: { ...content, review: { enabled: true } },
    reviews: { S1: ['unreadable', 'unreadable', 'pass'] },
  },
  'a final review': {
    stories: one,
    config: { ...content, review: { enabled: false, final: ['scripted'] } },
    reviews: { final: ['refuse', 'pass'] },
  },
  learning: {
    stories: three,
    config: { ...content, learn: { enabled: true, aggregate_every: 2, skill_threshold: 2 } },
    lessons: { S1: [2], S2: [null, 1], S3: [null, null] },
    skills: ['testing'],
  },
  'two at once': {
    stories: two,
    config: { ...content, parallel: { workers: 2 } },
    turns: { S2: [{ ...good('S2'), after: 'S1' }] },
  },
  'a third story has its worktree before a worker is free': {
    stories: three,
    config: { ...content, parallel: { workers: 2 } },
    turns: {
      S1: [{ ...good('S1'), until: 'worktree.ready' }],
      S2: [{ ...good('S2'), after: 'S3' }],
      S3: [{ ...good('S3'), until: 'landing.ended' }],
    },
  },
  'a stop while an agent is at work': { stories: one, config: content, turns: { S1: [{ edits: ['good'], sends: 'INT' }] } },
  'a stop while a reviewer is at work': {
    stories: one,
    config: { ...content, review: { enabled: true } },
    reviews: { S1: ['INT'] },
  },
  'a usage limit that ends soon': { stories: one, config: content, turns: { '': [{ ends: 'limit' }, good('S1')] } },
  'a usage limit that nobody waits for': {
    stories: one,
    config: { ...content, defaults: { on_limit: 'exit' } },
    turns: { S1: [{ ends: 'limit' }] },
  },
  'a usage limit, and nobody answers': {
    stories: one,
    config: { ...content, defaults: { on_limit: 'ask' } },
    turns: { S1: [{ ends: 'limit' }] },
  },
  'a provider that is overloaded': {
    stories: one,
    config: { ...content, defaults: { max_retries: 0 } },
    turns: { S1: [{ ends: 'overload' }] },
  },
  'an agent that cannot be read, twice': { stories: one, config: content, turns: { S1: [{ ends: 'unreadable' }] } },
  'an agent that cannot be read once': {
    stories: one,
    config: content,
    turns: { '': [{ ends: 'unreadable' }, good('S1')] },
  },
  'an option that the agent does not know': { stories: two, config: content, turns: { S1: [{ ends: 'unknown-option' }] } },
  'a login that is refused': { stories: one, config: content, turns: { S1: [{ ends: 'login' }] } },
  'killed while an agent is at work': {
    stories: one,
    config: content,
    turns: { '': [{ edits: ['good', 'commit', 'bad'], flips: ['S1'], sends: 'KILL' }, good('S1')] },
  },
  'killed while gates run': { stories: one, config: content, kills: { in: 'gates', after: 'gates.started', nth: 2, points: 3 } },
  'killed while the work of a story is committed': {
    stories: two,
    config: content,
    turns: { S1: [{ edits: ['good'], flips: ['S1'] }] },
    kills: { in: 'commit', after: 'iteration.judged', nth: 1, points: 4 },
  },
  'a hook that refuses the commit': {
    stories: one,
    config: content,
    hook: 'refuses',
    turns: { S1: [{ edits: ['good'], flips: ['S1'] }] },
  },
  'the hourly limit of calls, and what the user makes meanwhile': {
    stories: one,
    config: { ...content, defaults: { rate_limit_per_hour: 1 } },
    hasOtherCalls: true,
    userWritesAt: 'wait.started',
  },
  'work that conflicts with what has landed': {
    stories: two,
    config: { ...content, parallel: { workers: 2 } },
    turns: {
      S1: [{ ...good('S1'), clashes: true }],
      S2: [
        { ...good('S2'), clashes: true, after: 'S1' },
        { ...good('S2'), merges: true },
      ],
    },
    landings: { S2: ['conflict'] },
  },
  'several attempts at once: one fails, one is larger, the smaller one lands': {
    stories: two,
    config: { ...content, defaults: { max_attempts: 1, best_of: 3 } },
    turns: { S1: [{ edits: ['good', 'good', 'commit'], flips: ['S1'] }, bad('S1'), good('S1')] },
  },
  'several attempts after an ordinary one, whose work moves away first; all of them fail': {
    stories: one,
    config: { ...content, defaults: { max_attempts: 2, best_of: 2 } },
    turns: { S1: [bad('S1')] },
  },
  'a story of two that fails is put aside': {
    stories: two,
    config: { ...content, parallel: { workers: 2 }, defaults: { max_attempts: 1 } },
    turns: { S1: [{ ...bad('S1'), after: 'S2' }] },
  },
  'a time limit of a story': {
    notices: ['timeout-near'],
    stories: one,
    config: { gates: { tests: 'content', story_minutes: [0.0001, 0.05] } },
    turns: { S1: [{ edits: ['good'], ends: 'timeout' }] },
  },
  'a reviewer at the usage limit': {
    stories: one,
    config: { ...content, review: { enabled: true }, defaults: { on_limit: 'exit' } },
    reviews: { S1: ['limit'] },
  },
  'a budget': { stories: two, config: { ...content, budget: { cost_usd: 0.012 } } },
  'a story that takes longer than expected': {
    stories: one,
    config: { gates: { tests: 'content', story_minutes: [0.001, 60] } },
    turns: { S1: [bad('S1'), good('S1')] },
  },
}
