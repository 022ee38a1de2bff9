/** Criteria that a gate should check: whether there is one. */
import { isOpen, type LintedStory, type LintFinding, type LintInput, quotedPiece } from './finding.ts'

export function gateFindings(input: LintInput): LintFinding[] {
  const open = input.stories.filter(isOpen)
  return [...nothingChecks(open, input), ...open.flatMap((linted) => unchecked(linted, input))]
}

/** Said once: it is about the whole plan. */
function nothingChecks(open: LintedStory[], { gates, hasReviewer }: LintInput): LintFinding[] {
  const bare = open.filter(({ story }) => Object.keys(story.gates).length === 0)
  const [first] = bare
  if (gates.length > 0 || hasReviewer || first === undefined) return []
  const which = bare.length === open.length ? 'any story' : `${bare.length} of ${open.length} stories`
  const message = `no gate and no reviewer checks ${which}; set gates.tests to your test command`
  return [{ rule: 'no-gate', severity: 'warning', offset: first.offset, story: null, message }]
}

/** Checks of the whole project, not of a story. */
const kinds: { name: string; says: RegExp; gate: RegExp; example: string }[] = [
  {
    name: 'tests',
    says: /^(?:all |the |existing |unit |integration |automated )*(?:tests?|test suite) (?:still )?(?:pass(?:es)?|succeeds?|runs?|are green|is green)\W*$/i,
    gate: /test|spec|check/i,
    example: 'gates: { tests: npm test }',
  },
  {
    name: 'types',
    says: /^(?:the )?(?:type ?-?check(?:s|ing)?|tsc|mypy|pyright)(?: still)? (?:pass(?:es)?|succeeds?|is green|has no errors)\W*$|^no type errors\W*$/i,
    gate: /type|tsc|mypy|pyright|check/i,
    example: 'quality_checks: { types: npx tsc --noEmit }',
  },
  {
    name: 'lint',
    says: /^(?:the )?(?:lint(?:er|ing)?|eslint|biome|ruff|clippy)(?: still)? (?:pass(?:es)?|succeeds?|is green|is clean)\W*$|^no (?:lint|linter|linting) (?:errors|warnings)\W*$/i,
    gate: /lint|biome|ruff|clippy|check/i,
    example: 'quality_checks: { lint: npm run lint }',
  },
  {
    name: 'build',
    says: /^(?:the )?(?:project |code |app )?(?:build|it|compilation|compiles|builds)(?: still)? ?(?:pass(?:es)?|succeeds?|is green|compiles|without errors)?\W*$/i,
    gate: /build|compile|tsc|cargo|go |make/i,
    example: 'quality_checks: { build: npm run build }',
  },
  {
    name: 'browser',
    says: /\b(?:verif(?:y|ied)|check(?:ed)?|tested?) (?:it |this |changes )?in (?:a |the )?browser\b/i,
    gate: /e2e|playwright|cypress|browser|puppeteer|selenium/i,
    example: 'quality_checks: { browser: npx playwright test }',
  },
]

function unchecked({ story, criteria }: LintedStory, { gates }: LintInput): LintFinding[] {
  const own = Object.entries(story.gates).map(([name, command]) => ({ name, command }))
  const all = [...gates, ...own]
  return criteria.flatMap(({ text, offset }): LintFinding[] => {
    const short = text.slice(0, 300)
    const kind = kinds.find(({ says }) => says.test(short))
    if (kind !== undefined) {
      const gate = all.find(({ name, command }) => kind.gate.test(`${name} ${command}`))
      if (gate === undefined)
        return [noGate(story.id, offset, `no gate checks ${quotedPiece(text)}; add one, such as ${kind.example}`)]
      const message = `${story.id}: the gate ${gate.name} already checks ${quotedPiece(text)} after each iteration; remove it`
      return [{ rule: 'boilerplate', severity: 'note', offset, story: story.id, message }]
    }
    const command = /`([^`\n]{2,100})`(?: still)? (?:pass(?:es)?|succeeds?|is green|exits? (?:with )?0)\b/i.exec(short)?.[1]
    if (command === undefined || !isProjectCommand(command) || all.some((gate) => gate.command.includes(command))) return []
    return [noGate(story.id, offset, `no gate runs ${quotedPiece(command)}; add it to quality_checks, or to the story's gates`)]
  })
}

const isProjectCommand = (command: string): boolean =>
  /^(?:npm|pnpm|yarn|bun|npx|make|cargo|go|mvn|gradle|\.\/gradlew|pytest|tox|nox|rake|composer|dotnet|just)\b/.test(command)

const noGate = (story: string, offset: number, message: string): LintFinding => ({
  ...{ rule: 'no-gate', severity: 'warning', offset, story },
  message: `${story}: ${message}`,
})
