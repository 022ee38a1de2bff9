/** Settings of judging: gates, proof, quality checks and reviews. */
import type { Setting } from '../setting.ts'

export const judgingSettings = {
  'gates.tests': { type: 'text', default: '', doc: 'The test command, a hard gate; empty: none.' },
  'gates.baseline': {
    type: 'choice',
    default: 'strict',
    values: ['strict', 'tolerate'],
    flag: '--baseline <how>',
    doc: 'Gates that fail exactly as before the first iteration: reject the work (strict) or only warn (tolerate). With strict, a gate whose program is missing ends the run before the first call.',
  },
  'gates.tamper': {
    type: 'choice',
    default: 'warn',
    values: ['warn', 'refuse'],
    doc: 'When checks may have been weakened (deleted or skipped tests): warn, or reject the story. Evidence of a cheat always rejects it.',
  },
  'gates.protected': {
    type: 'list',
    default: [],
    doc: 'Files that nobody may change in a story, such as acceptance tests: patterns as in .gitignore. Claude Code refuses the edit at once.',
  },
  'gates.in_session': {
    type: 'bool',
    default: false,
    doc: 'Run the fast gates before Claude Code stops, and send it back to work on a failure, up to three times.',
  },
  'gates.story_minutes': {
    type: 'limits',
    default: [45, 60],
    doc: 'Soft and hard time limit per story.',
  },
  'gates.tests_minutes': { type: 'limits', default: [5, 10], doc: 'Soft and hard time limit per command gate.' },
  'gates.review_minutes': {
    type: 'limits',
    default: [3, 5],
    doc: 'Soft and hard time limit per review.',
  },
  'gates.quality_minutes': {
    type: 'limits',
    default: [2, 3],
    doc: 'Soft and hard time limit per quality gate.',
  },
  'proof.suspicion': {
    type: 'choice',
    default: 'reserve',
    values: ['reserve', 'ask', 'refuse'],
    doc: 'A story passes, but its checks changed in a doubtful way: pass with a named reservation, ask a person first (ralph answer yes or no), or refuse it.',
  },
  'proof.minimum': {
    type: 'choice',
    default: 'gated',
    values: ['unproven', 'gated', 'reviewed', 'demonstrated'],
    doc: 'The least proof that a pass needs. With gated, a project without any gate still passes, as unproven.',
  },
  'proof.cross_examine': {
    type: 'choice',
    default: 'auto',
    values: ['auto', 'always', 'off'],
    doc: 'Run the old checks on the new code and the new tests on the old code: when checks changed, for every story, or never.',
  },
  'proof.held_out': {
    type: 'text',
    default: '',
    isHidden: true,
    doc: 'Checks that no agent sees: a command, or a folder of tests, outside the project. Not in the project file; {project}: the name of its folder.',
  },
  'proof.held_out_on': {
    type: 'choice',
    default: 'complete',
    values: ['flip', 'complete'],
    doc: 'When held-out checks run: for each story that is marked done, or once before the run is complete.',
  },
  'proof.mutants': {
    type: 'whole',
    default: 0,
    min: 0,
    max: 100,
    doc: 'How many small bugs to try in the lines that a story changed, to see whether its tests notice them; 0: off.',
  },
  quality_checks: { type: 'commands', default: {}, doc: 'More hard gates: name to command.' },
  'quality.commands': {
    type: 'commands',
    default: {},
    doc: 'Soft gates, which only warn: name to command.',
  },
  'quality.review': {
    type: 'bool',
    default: false,
    doc: 'Whether a reviewer checks the quality of each story.',
  },
  'review.enabled': {
    type: 'bool',
    default: true,
    doc: 'Whether a reviewer checks each story against its criteria. Default: on for agents that support structured answers.',
  },
  'review.final': {
    type: 'list',
    default: [],
    doc: 'Agents that review all changes before a run is complete.',
  },
} as const satisfies Record<string, Setting>
