/** The projects for the samples in the documentation: small, with a scripted agent and real gates. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProjectSketch, ralphProgram, type Steps } from '../../test/support/project.ts'

/** The first block of a language on a page. */
const blockOf = (page: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(
    readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8'),
  )![1]!
const makes = (file: string, text: string, story: string, words: string): Steps => [
  { tool: { name: 'Read', target: 'README.md', text: '' } },
  { write: { path: file, text: `${text}\n` } },
  { tool: { name: 'Bash', target: 'sh test.sh', text: 'ok' } },
  { commit: `feat: ${story}` },
  { flip: story },
  { say: words },
]

const stories = [
  { id: 'US-1', title: 'Totals with tax' },
  { id: 'US-2', title: 'Discount codes', dependsOn: ['US-1'] },
]
const independent = stories.map(({ id, title }) => ({ id, title }))
const files = {
  'README.md': '# Web shop\n',
  'test.sh': `if grep -rq FIXME src; then echo "not ok 2 - discount: expected 90.00, got 89.99"; exit 1; fi\necho "ok"\n`,
  'src/cart.js': 'export const cart = []\n',
}
const shop: ProjectSketch = {
  feature: 'checkout',
  branch: 'feature/checkout',
  stories,
  files,
  config: { gates: { tests: 'sh test.sh' } },
  script: {
    stories: {
      'US-1': [makes('src/totals.js', 'export const total = 1', 'US-1', 'Totals are rounded once, at the end.')],
      'US-2': [
        makes('src/discounts.js', '// FIXME rounds each line', 'US-2', 'Discount codes work.\n\n<promise>COMPLETE</promise>'),
        makes('src/discounts.js', 'export const discount = 1', 'US-2', 'The sum is rounded, not each line.'),
      ],
    },
  },
}
/** A program by that name that plays a script. */
const playing = (name: string, script: ProjectSketch['script']): Record<string, string> => ({
  [`.ralph/bin/${name}.json`]: JSON.stringify(script),
  [`.ralph/bin/${name}`]: `#!/bin/sh\nexec '${process.execPath}' '${join(ralphProgram, '../../dist/player.js')}' "\${0}.json"\n`,
})
const broken = { ...files, 'src/old.js': '// FIXME rounds each line\n' }
const works = { otherwise: makes('src/totals.js', 'export const total = 1', 'US-1', 'Totals work.') }
const asking = {
  stories: {
    'US-1': [[{ say: '<promise>DECIDE:SQLite or PostgreSQL?</promise>' }]] as Steps[],
    'US-2': [makes('src/totals.js', 'export const total = 1', 'US-2', 'Totals work.')],
  },
}
const lesson = (category: string, pattern: string): string =>
  JSON.stringify({ successes: [{ pattern, category, reusable: true }], failures: [], discoveries: [] })
const storiesOfAccounts = JSON.stringify({
  stories: [
    {
      id: 'S-1',
      title: 'Sign up',
      description: 'Readers make an account with their address.',
      acceptanceCriteria: ['POST /accounts with an address and a password gives 201', 'The same address again gives 409'],
      priority: 1,
      dependsOn: [],
    },
    {
      id: 'S-2',
      title: 'Log in',
      description: 'Readers come back to their account.',
      acceptanceCriteria: ['POST /login with the right password gives 204 and a cookie'],
      priority: 2,
      dependsOn: ['S-1'],
    },
  ],
})
const failedCall = { tool: { name: 'Bash', target: 'npm test', text: 'Error: connect ECONNREFUSED', failed: true } }

/** The same error in every attempt, and another story that can continue. */
const stubborn: ProjectSketch = {
  ...shop,
  stories: independent,
  script: {
    stories: {
      'US-1': [1, 2, 3, 4, 5].map((way) => makes('src/totals.js', `// FIXME way ${way}`, 'US-1', `I went way ${way}.`)),
      'US-2': [makes('src/discounts.js', 'export const discount = 1', 'US-2', 'Discounts work.')],
    },
  },
}

/** A shop with real tests of prices. */
const guarded: ProjectSketch = {
  feature: 'checkout',
  stories,
  files: {
    'package.json': '{\n  "type": "module",\n  "scripts": { "test": "node --test --test-isolation=none" }\n}\n',
    'src/price.js': 'export const discount = (price, percent) => price - (price * percent) / 100\n',
    'test/price.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { discount } from '../src/price.js'

test('takes a discount off', () => {
  assert.equal(discount(1000, 10), 900)
})
`,
    'test/shop.test.js':
      "import assert from 'node:assert/strict'\nimport test from 'node:test'\n\ntest('is open', () => assert.equal(1, 1))\n",
  },
  config: { agent: 'claude', gates: { tests: 'node --run test' } },
}

const costly: ProjectSketch = {
  ...shop,
  script: {
    otherwise: [
      { write: { path: 'src/part.js', text: '// part $RALPH_ATTEMPT\n' } },
      { commit: 'wip: US-1' },
      { usage: { input: 4000, output: 400, cost: 0.045 } },
      { say: 'A part of it is there.' },
    ],
  },
}

export const projects: Record<string, ProjectSketch> = {
  guarded,
  /** Its gate looks at the form of the code alone. */
  'syntax-only': { ...guarded, config: { agent: 'claude', gates: { tests: 'node --check src/price.js' } } },
  shop,
  /** Set up for Claude Code, which is not installed. */
  claude: { ...shop, config: { agent: 'claude', gates: { tests: 'npm test' } } },
  /** A setting with a typo. */
  typo: { ...shop, config: { max_iteratons: 30 } },
  /** A package without Ralph in it. */
  new: { files: { 'package.json': '{ "scripts": { "test": "node --test" } }\n' } },
  /** A story that never passes, and one that depends on it. */
  failing: {
    ...shop,
    config: { gates: { tests: 'sh test.sh' }, defaults: { max_attempts: 2 } },
    script: { otherwise: makes('src/totals.js', '// FIXME attempt $RALPH_ATTEMPT', 'US-1', 'Totals work.') },
  },
  /** Stories that an agent would stumble over. */
  vague: {
    ...shop,
    stories: [
      { id: 'US-1', title: 'Totals with tax', acceptanceCriteria: ['The total is correct to the cent', 'Checkout is fast'] },
      {
        ...{ id: 'US-2', title: 'Discount codes', description: 'Reduces the total of US-1.', dependOn: ['US-1'] },
        acceptanceCriteria: ['SAVE10 takes 10 % off', 'Typecheck passes'],
      },
    ],
  },
  'bad-plan': { ...shop, stories: [{ id: 'US-1', priority: 'high' as unknown as number }] },
  /** An agent that changes more of the plan than its own story. */
  meddler: {
    ...shop,
    script: {
      otherwise: [
        { run: 'sed -i "s/US-1 works/anything goes/" "$RALPH_PLAN"' },
        ...makes('src/totals.js', 'export const total = 1', 'US-1', 'Totals work.'),
        { flip: 'US-2' },
      ],
    },
  },
  /** The tests fail before the run, and the agent does not fix them. */
  'red-before': { ...shop, files: broken, script: works },
  tolerant: { ...shop, files: broken, script: works, config: { gates: { tests: 'sh test.sh', baseline: 'tolerate' } } },
  /** An agent that deletes the test that it should pass. */
  tamper: {
    ...shop,
    files: { ...files, 'test/sum.test.js': "test('adds', () => {})\n" },
    script: { otherwise: [{ delete: 'test/sum.test.js' }, ...makes('src/totals.js', '// total', 'US-1', 'Totals work.')] },
    config: { gates: { tests: 'sh test.sh', tamper: 'refuse' } },
  },
  /** An agent that deletes a test; a person is asked. */
  suspicious: {
    ...shop,
    stories: [{ id: 'US-1', title: 'Totals with tax' }],
    files: { ...files, 'test/sum.test.js': "test('adds', () => {})\n" },
    script: { otherwise: [{ delete: 'test/sum.test.js' }, ...makes('src/totals.js', '// total', 'US-1', 'Totals work.')] },
    config: { gates: { tests: 'sh test.sh' }, proof: { suspicion: 'ask', cross_examine: 'off' } },
  },
  /** A test that fails in the second of its runs, by chance. */
  flaky: {
    ...shop,
    files: {
      ...files,
      'test.sh':
        'echo run >> "$HOME/runs"\nif [ "$(grep -c run "$HOME/runs")" = 2 ]; then echo "not ok 2 - pays in time"; exit 1; fi\necho "ok 1 - totals"\necho "ok 2 - pays in time"\n',
    },
    stories: [{ id: 'US-1', title: 'Totals with tax' }],
    script: { otherwise: [{ flip: 'US-1' }, { say: 'Totals have tax already.' }] },
  },
  /** No gate. */
  unproven: { ...shop, config: {} },
  stubborn,
  shifting: stubborn,
  /** Three attempts: a large one, one that fails, a small one. */
  candidates: {
    ...shop,
    stories: [{ id: 'US-1', title: 'Totals with tax' }],
    script: {
      stories: {
        'US-1': [
          makes('src/totals.js', 'export const totals = [\n  1,\n  2,\n  3,\n]', 'US-1', 'Totals work.'),
          makes('src/totals.js', '// FIXME', 'US-1', 'Totals work.'),
          makes('src/totals.js', 'export const total = 1', 'US-1', 'Totals work.'),
        ],
      },
    },
  },
  /** An agent that only talks, and one that may not use its tools. */
  idle: { ...shop, script: { iterations: [1, 2, 3].map((n) => [{ say: `I looked around, ${n} times by now.` }]) } },
  denied: { ...shop, script: { otherwise: [{ deny: 'Bash' }, { say: 'I may not run the tests.' }] } },
  /** Each call reports a part of the budget. */
  costly,
  /** Five of six stories are done. */
  estimated: {
    ...shop,
    stories: Array.from({ length: 6 }, (_, index) => ({ id: `US-${index + 1}`, title: `Totals in currency ${index + 1}` })),
    script: {
      otherwise: [
        { usage: { input: 4000, output: 400, cost: 0.38 } },
        ...makes('src/$RALPH_STORY.js', '// total', '$RALPH_STORY', 'Totals work.'),
      ],
    },
  },
  'spent-day': { ...costly, config: { ...costly.config, budget: { day_usd: 0.1 } } },
  /** The account's usage limit; a provider that is overloaded. */
  limited: { ...shop, script: { otherwise: [{ limit: { until: 'in 2h' } }] } },
  /** Two agents, the first of them at its limit. */
  relayed: {
    ...shop,
    files: {
      ...files,
      ...playing('claude', { otherwise: [{ limit: { until: 'in 2h' } }] }),
      ...playing('qwen', { otherwise: [...makes('src/totals.js', 'export const total = 1', '$RALPH_STORY', 'It works.')] }),
    },
    config: { ...shop.config, agent: undefined, agents: ['claude', 'qwen'], review: { enabled: false } },
  },
  overloaded: { ...shop, script: { otherwise: [{ overload: true }] } },
  /** The same failing call again and again; an agent that never ends. */
  circling: { ...shop, script: { otherwise: [...Array.from({ length: 8 }, () => failedCall), { sleep: '60s' }] } },
  hanging: { ...shop, script: { otherwise: [{ hang: true }] } },
  blocked: { ...shop, script: { otherwise: [{ say: '<promise>BLOCKED:no database password</promise>' }] } },
  asks: { ...shop, script: asking },
  /** A question of one story, and another that does not depend on it. */
  parks: {
    ...shop,
    stories: [
      { id: 'US-1', title: 'Store orders' },
      { id: 'US-2', title: 'Totals with tax' },
    ],
    script: asking,
  },
  /** A reviewer finds what no test does. */
  reviewed: {
    ...shop,
    stories: [{ id: 'US-1', title: 'Totals with tax' }],
    script: {
      stories: {
        'US-1': [
          makes('src/totals.js', '// 1', 'US-1', 'Totals work.'),
          makes('src/totals.js', '// 2', 'US-1', 'So do negative ones.'),
        ],
      },
      reviews: {
        'US-1': [
          [
            {
              say: '{"missing": ["negative totals: src/totals.js has no case for them"], "extra": [], "reason": "", "verdict": "fail"}',
            },
          ],
          [{ say: '{"missing": [], "extra": [], "reason": "", "verdict": "pass"}' }],
        ],
      },
    },
  },
  /** A reviewer that a person overrules. */
  overruled: {
    ...shop,
    stories: [{ id: 'US-1', title: 'Totals with tax' }],
    script: {
      stories: { 'US-1': [makes('src/totals.js', '// 1', 'US-1', 'Totals work.')] },
      reviews: {
        'US-1': [
          [
            {
              say: '{"missing": ["negative totals: src/totals.js:1 has no case for them"], "extra": [], "reason": "", "verdict": "fail"}',
            },
          ],
          [{ say: '{"missing": [], "extra": [], "reason": "", "verdict": "pass"}' }],
        ],
      },
    },
  },
  /** A run with two idle iterations. */
  slow: {
    ...shop,
    script: {
      stories: {
        'US-1': [makes('src/totals.js', '// 1', 'US-1', 'Totals work.')],
        'US-2': [
          [{ say: 'I read the code first.' }],
          [{ say: 'I made a plan of what to do.' }],
          makes('src/discounts.js', '// 1', 'US-2', 'Discounts work.'),
        ],
      },
    },
  },
  /** A learner with lessons. */
  learned: {
    ...shop,
    script: {
      ...shop.script,
      lessons: {
        'US-1': [[{ say: lesson('testing', 'Run sh test.sh before each commit') }]],
        'US-2': [[{ say: lesson('money', 'Round the sum, not each line') }]],
      },
    },
  },
  /** A document, and an agent that turns it into stories. */
  /** Two features, one of them not run yet. */
  several: {
    ...shop,
    files: { ...files, '.ralph/search/prd.json': '{"userStories": [{"id": "SE-1", "title": "Find a product by its name"}]}\n' },
  },
  planning: {
    files: { 'idea.md': 'Readers have accounts.\n' },
    script: {
      iterations: [
        [{ say: storiesOfAccounts }],
        [
          {
            say: '{"findings": [{"kind": "not-checkable", "story": "S-2", "text": "nothing says what a wrong password gives."}]}',
          },
        ],
        [{ say: storiesOfAccounts.replace('204 and a cookie', '204 and a cookie; a wrong one gives 401') }],
      ],
    },
  },
  importing: {
    files: { 'spec.md': '# Accounts\n\nReaders sign up and log in.\n' },
    script: { iterations: [[{ say: storiesOfAccounts }]] },
  },
  /** The plugin of docs/plugins.md in a project that it does not fit. */
  plugin: {
    ...shop,
    files: { ...files, 'plugins/translations.mjs': blockOf('plugins.md', 'js') },
    config: { plugins: ['plugins/translations.mjs'] },
  },
  /** Its log gets the version of a newer Ralph. */
  newer: shop,
  /** A rebase is open. */
  rebasing: shop,
  /** Two stories at once. */
  parallel: {
    ...shop,
    stories: independent,
    script: {
      stories: {
        // One waits for the other, so that they end in the same order each time.
        'US-1': [
          [
            { run: 'until test -e "$HOME/started"; do sleep 0.02; done' },
            ...makes('src/totals.js', '// 1', 'US-1', 'Totals work.'),
          ],
        ],
        'US-2': [
          [
            { run: 'touch "$HOME/started"; until test -e "$HOME/../project/src/totals.js"; do sleep 0.02; done; sleep 0.5' },
            ...makes('src/discounts.js', '// 1', 'US-2', 'Discounts work.'),
          ],
        ],
      },
    },
  },
  /** A shell script as the agent: the one in docs/agents.md. */
  command: {
    ...shop,
    stories: [{ id: 'US-1', title: 'Totals with tax' }],
    config: { agent: { name: 'mine', command: ['sh', 'agent.sh'], format: 'text' } },
    files: { ...files, 'agent.sh': blockOf('agents.md', 'sh') },
  },
  /** Killed in its first iteration; the next ones work. */
  killed: {
    ...shop,
    script: {
      iterations: [
        [{ run: 'touch ../started' }, { hang: true }],
        ...shop.script!.stories!['US-1']!,
        ...shop.script!.stories!['US-2']!,
      ],
    },
  },
  /** An agent that works until somebody stops it. */
  busy: { ...shop, script: { otherwise: [{ run: 'touch ../started' }, { hang: true }] } },
}
