/** What the pictures show: a web shop whose checkout is being built, an earlier feature, and an app that waits for a person. */
import type { ProjectSketch, Steps } from '../../test/support/project.ts'

export const shop: ProjectSketch = {
  feature: 'checkout',
  branch: 'feature/checkout',
  stories: [
    {
      id: 'C-1',
      title: 'Totals with tax, to the cent',
      description: 'The cart shows what a customer pays, tax included.',
      acceptanceCriteria: ['19.99 + 5.01 with 20 % tax gives 30.00', 'Totals are rounded once, at the end'],
    },
    {
      id: 'C-2',
      title: 'Discount codes',
      description: 'A code takes a percentage off the whole order.',
      acceptanceCriteria: ['SAVE10 on 100.00 gives 90.00', 'An unknown code is answered with 404'],
    },
    {
      id: 'C-3',
      title: 'Check out as a guest',
      description: 'Nobody needs an account to buy.',
      acceptanceCriteria: ['POST /orders without a session answers 201', 'The cart is kept over a login'],
    },
    {
      id: 'C-4',
      title: 'Retry a declined payment',
      description: 'A declined card can be tried again.',
      acceptanceCriteria: ['A second try with a good card answers 200', 'No order is paid twice'],
    },
    {
      id: 'C-5',
      title: 'Confirmation by mail',
      description: 'The customer gets the order as text and HTML.',
      acceptanceCriteria: ['Both parts show the same total', 'Mail goes out once per order'],
    },
    {
      id: 'C-6',
      title: 'Invoice as PDF',
      description: 'An invoice with the numbers of the confirmation.',
      acceptanceCriteria: ['GET /orders/1/invoice answers with application/pdf'],
      dependsOn: ['C-5'],
    },
    { id: 'C-7', title: 'Gift wrapping', skip: true },
  ],
  config: {
    defaults: { decide: 'park', max_iterations: 30 },
    gates: { tests: 'sh test.sh' },
    budget: { cost_usd: 10 },
  },
  files: {
    'README.md': '# Web shop\n',
    // Watching continues until the pictures are made.
    'test.sh': `while [ "$1" = --watch ] && [ ! -e ../go ]; do sleep 0.2; done\n n=$(ls src | wc -l)\nif grep -rl FIXME src; then echo "not ok $n - discount codes: expected 90.00, got 89.99"; exit 1; fi\necho "1..$n, all ok"\n`,
    'src/cart.js': 'export const cart = []\n',
  },
  script: {
    stories: {
      'C-1': [
        [
          ...looks('src/cart.js'),
          ...writes('totals', 24),
          ...commits('feat: C-1 - Totals with tax'),
          ...ends('C-1', 'Totals are counted in cents and rounded once, at the end.', 0.42, 1.4, 21_400, 1900),
        ],
      ],
      'C-2': [
        [
          ...looks('src/totals.js'),
          ...writes('discounts', 31, '// FIXME rounds each line'),
          ...commits('feat: C-2 - Discount codes'),
          ...ends('C-2', 'Discount codes work. All done!\n\n<promise>COMPLETE</promise>', 0.61, 2.2, 30_800, 2700),
        ],
        [
          ...looks('src/discounts.js'),
          ...writes('discounts', 36),
          ...commits('fix: C-2 - Round the sum, not each line'),
          ...ends('C-2', 'The sum is rounded, not each line: 90.00 as the test wants.', 0.38, 1.1, 19_200, 1500),
        ],
      ],
      'C-3': [
        [
          ...looks('src/cart.js'),
          ...writes('guest', 52),
          ...commits('wip: C-3 - Address form for guests'),
          { usage: { input: 41_000, output: 4100, cost: 0.88 } },
          { sleep: '2600ms' },
          { say: 'The form is there. Keeping the cart over the login is next.' },
        ],
        [
          ...looks('src/guest.js'),
          ...writes('session', 28),
          ...commits('feat: C-3 - The cart survives'),
          ...ends('C-3', 'Guests keep their cart, and can make an account at the end.', 0.57, 1.7, 28_300, 2300),
        ],
      ],
      'C-4': [
        [
          ...looks('src/payment.js'),
          { usage: { input: 12_600, output: 700, cost: 0.19 } },
          { sleep: '700ms' },
          {
            say: '<promise>DECIDE:Retry a declined card by itself after an hour, or ask the customer first? Retrying is simpler; asking avoids double bookings.</promise>',
          },
        ],
        [
          ...writes('payment', 44),
          ...commits('feat: C-4 - Ask before a second try'),
          ...ends('C-4', 'A declined payment is tried again only when the customer says so.', 0.52, 1.5, 26_000, 2100),
        ],
      ],
      'C-5': [
        [
          { say: 'I look at what the order knows, and at how totals are written.' },
          ...looks('src/totals.js'),
          ...writes('mail', 38),
          { tool: { name: 'Bash', target: 'sh test.sh', text: '1..6, all ok' } },
          { say: 'The text version has all that a customer needs. Now the same in HTML.' },
          { tool: { name: 'Read', target: 'templates/order.html', text: '' } },
          { tool: { name: 'Edit', target: 'src/mail.js', text: 'done' } },
          { run: 'sh test.sh --watch' },
          ...writes('mail', 57),
          ...commits('feat: C-5 - Confirmation by mail'),
          ...ends('C-5', 'The mail has a text and an HTML version, with the same totals as the page.', 0.66, 2.0, 33_500, 2900),
        ],
      ],
      'C-6': [
        [
          ...writes('invoice', 61),
          ...commits('feat: C-6 - Invoice as PDF'),
          ...ends('C-6', 'The invoice has the numbers of the confirmation.', 0.71, 2.4, 36_200, 3200),
        ],
      ],
    },
  },
}

/** Finished before, so that there is a history for a forecast. */
export const search: Pick<ProjectSketch, 'stories' | 'script'> = {
  stories: ['Index of products', 'Typos are forgiven', 'Filters', 'Sort by price', 'Suggestions', 'No result'].map(
    (title, index) => ({
      id: `S-${index + 1}`,
      title,
    }),
  ),
}
const costs = [0.44, 0.83, 0.36, 0.29, 0.58, 0.31]
export const searchScript = Object.fromEntries(
  costs.map((cost, index) => {
    const id = `S-${index + 1}`
    return [
      id,
      [[...writes(`search-${index + 1}`, 20), ...commits(`feat: ${id}`), ...ends(id, 'It is there.', cost, cost, 20_000, 1500)]],
    ]
  }),
)

export const app: ProjectSketch = {
  feature: 'login',
  stories: [
    { id: 'L-1', title: 'Log in with a link' },
    { id: 'L-2', title: 'Stay logged in' },
  ],
  config: { gates: { tests: 'true' } },
  script: {
    stories: {
      'L-1': [[...writes('link', 12), ...commits('feat: L-1'), ...ends('L-1', 'The link works once.', 0.35, 0.4, 15_000, 1200)]],
      'L-2': [
        [
          { usage: { input: 9000, output: 500, cost: 0.12 } },
          { say: '<promise>BLOCKED:No key for the mail service in .env</promise>' },
        ],
      ],
    },
  },
}

function looks(path: string): Steps {
  return [{ read: path }, { tool: { name: 'Grep', target: 'total', text: '4 matches' } }]
}

function writes(name: string, lines: number, more = ''): Steps {
  const text = Array.from({ length: lines }, (_, line) => `export const ${name.replace('-', '')}${line} = ${line}\n`).join('')
  return [{ write: { path: `src/${name}.js`, text: `${text}${more}\n` } }]
}

function commits(message: string): Steps {
  return [{ commit: message }]
}

function ends(story: string, words: string, cost: number, seconds: number, input: number, output: number): Steps {
  return [{ usage: { input, output, cost } }, { sleep: `${Math.round(seconds * 1000)}ms` }, { flip: story }, { say: words }]
}

/** A plan with the mistakes of a first one. */
export const vouchers = `{
  "feature": "vouchers",
  "branchNam": "feature/vouchers",
  "userStories": [
    { "id": "V-1", "titel": "Buy a voucher", "acceptanceCriteria": ["POST /vouchers answers 201"], "priority": 1 },
    { "id": "V-2", "title": "Redeem it", "acceptanceCriteria": ["works well"], "priority": "high" },
    { "id": "V-3", "title": "Send it by mail", "acceptanceCriteria": ["a mail arrives"], "dependsOn": ["V-9"], "priority": 3 }
  ]
}
`
