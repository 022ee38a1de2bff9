/** Invoices in TypeScript, checked by the types and the linter. */
import type { Files, Project } from '../case.ts'
import { lint } from './quality.ts'

const programs = lint.checks?.['lint']?.replace(/biome .*$/, '') ?? ''

export const typed: Files = {
  'README.md': '# Billing\n',
  'package.json': '{ "name": "billing", "private": true, "type": "module" }\n',
  'tsconfig.json': `${JSON.stringify({ compilerOptions: { strict: true, noEmit: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: [] }, include: ['src'] }, null, 2)}\n`,
  'biome.json': `{
  "vcs": { "enabled": false },
  "files": { "includes": ["src/**"] },
  "linter": { "rules": { "suspicious": { "noDoubleEquals": "error" }, "complexity": { "noExcessiveCognitiveComplexity": { "level": "error", "options": { "maxAllowedComplexity": 6 } } } } },
  "formatter": { "enabled": false },
  "assist": { "enabled": false }
}
`,
  'src/invoice.ts': `export type Country = 'AT' | 'DE' | 'FR'
const vat: Record<Country, number> = { AT: 20, DE: 19, FR: 20 }

/** Cents with VAT. */
export const gross = (cents: number, country: Country): number => Math.round(cents * (1 + vat[country] / 100))
`,
  'src/order.ts': `import { gross } from './invoice'

export type Order = { cents: number; count: number }
export const priceOf = ({ cents, count }: Order): number => gross(cents * count, 'DE')
`,
}

export const billingTypes: Project = {
  name: 'tsc and biome',
  files: typed,
  gate: `${programs}tsc -p .`,
  checks: { lint: `${programs}biome lint --error-on-warnings src` },
  story: {
    title: 'Discounts',
    criteria: ['order.ts has discounted(order: Order, percent: number): number', 'Types and linter stay green'],
  },
  wrong: {},
  right: {
    'src/order.ts': `${typed['src/order.ts']}export const discounted = (order: Order, percent: number): number => Math.round(priceOf(order) * (1 - percent / 100))\n`,
  },
  heldOut: {
    program: 'sh',
    text: `printf '%s' '{"compilerOptions":{"strict":true,"noEmit":true,"target":"es2022","module":"esnext","moduleResolution":"bundler","types":[]},"include":["src"]}' > tsconfig.held-out.json
cat > biome.json <<'END'
${typed['biome.json']}END
! grep -rq 'ts-ignore\\|ts-nocheck\\|ts-expect-error\\|as any\\|: any\\|as unknown as\\|as never' src && ${programs}tsc -p tsconfig.held-out.json && ${programs}biome lint --error-on-warnings src && grep -q discounted src/order.ts && echo held-out ok`,
  },
}
