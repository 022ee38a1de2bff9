/** Criteria that nobody can check, and text that says nothing about the story. */
import { isOpen, type LintedStory, type LintFinding, quotedPiece } from './finding.ts'

export function wordingFindings(stories: LintedStory[]): LintFinding[] {
  const open = stories.filter(isOpen)
  return [...open.flatMap(storyFindings), ...repeated(open)]
}

function storyFindings(linted: LintedStory): LintFinding[] {
  const { story, criteria, offset, description } = linted
  const { id, title } = story
  const placeholders = [{ text: title, offset }, ...criteria].filter(({ text }) => isPlaceholder(text))
  const isOnlyTitle = criteria.length === 0 && description.trim() === ''
  const vagueTitle = isOnlyTitle ? vaguePart(title, [...vague, ...openEnded]) : undefined
  return [
    ...placeholders.map(
      (piece): LintFinding => ({
        ...{ rule: 'placeholder', severity: 'warning', offset: piece.offset, story: id },
        message: `${id}: ${quotedPiece(piece.text)} is a placeholder; say what is wanted, or remove it`,
      }),
    ),
    ...(vagueTitle === undefined
      ? []
      : [unclear(id, offset, `nothing says when ${quotedPiece(title)} is done; add criteria, or name the values`)]),
    ...criteria.flatMap((criterion) => {
      const part = isPlaceholder(criterion.text) ? undefined : vaguePart(criterion.text, vague)
      return part === undefined
        ? []
        : [
            unclear(
              id,
              criterion.offset,
              `nothing can check ${quotedPiece(part)}; say what to run or read, and what it must show`,
            ),
          ]
    }),
  ]
}

const unclear = (story: string, offset: number, message: string): LintFinding => ({
  ...{ rule: 'unclear', severity: 'warning', offset, story },
  message: `${story}: ${message}`,
})

/** The words that cannot be checked; a criterion with a value, a name in quotes or a comparison has something else to check. */
function vaguePart(text: string, patterns: RegExp[]): string | undefined {
  if (/[0-9`"“”«»]|\bthan\b/.test(text)) return undefined
  for (const pattern of patterns) {
    const found = pattern.exec(text.slice(0, longestCriterion))?.[0]
    if (found !== undefined) return found
  }
  return undefined
}

/** Nobody reads further, and patterns stay quick. */
const longestCriterion = 1000

const vague: RegExp[] = [
  /\bworks? (?:well|properly|correctly|fine|nicely|smoothly|reliably|perfectly|great|as (?:expected|intended|designed|it should))\b/i,
  /^(?:[^\s.,;:]+ ){1,4}works?\W*$/i,
  /\b(?:user[- ]friendly|intuitive(?:ly)?|easy to (?:use|understand|read|maintain|extend)|seamless(?:ly)?|production[- ]ready)\b/i,
  /\b(?:well[- ](?:designed|structured|written|tested|documented|organi[sz]ed)|high[- ]quality|best practices|clean code)\b/i,
  /\b(?:looks?|feels?) (?:good|nice|modern|clean|great|right|professional|polished)\b/i,
  /\bgood (?:ux|ui|quality|performance|design|experience|coverage)\b/i,
  /\b(?:is|are|stays?|be|remains?) (?:\w+ )?(?:fast|quick|responsive|efficient|snappy|performant|robust|scalable|maintainable|reliable|stable|secure|flexible|modern|clean|elegant|nice|simple)\b/i,
  /\b(?:loads?|responds?|runs?|renders?|starts?|answers?) (?:\w+ )?(?:fast|quickly|efficiently|smoothly)\b/i,
  /\b(?:is|are) (?:better|faster|improved|enhanced|optimi[sz]ed|handled (?:gracefully|properly|appropriately|correctly|well))\b/i,
  /\bhandles? (?:all |any )?(?:errors?|edge cases?|failures?)(?: (?:gracefully|properly|appropriately|correctly|well))?\W*$/i,
  /\b(?:as needed|if (?:needed|possible|necessary)|where (?:appropriate|possible|needed)|etc\b\.?|and so on)/i,
]

/** A title without anything else. */
const openEnded: RegExp[] = [
  /^(?:improve|optimi[sz]e|enhance|polish|clean up|refactor|modernize|fix (?:bugs|issues|everything))\b/i,
]

const isPlaceholder = (text: string): boolean =>
  /^\W*$|^\W*(?:todo|tbd|fixme|xxx|n\/?a|none|placeholder|lorem ipsum\b.*|(?:story|criterion|acceptance criterion) ?(?:title|here)?|(?:your|add|insert|describe|write)(?: \S+){0,4} here)\W*$|^<[^>]*>$/i.test(
    text.trim().slice(0, longestCriterion),
  )

/** What most stories say, none of them says: it belongs into a gate. */
function repeated(open: LintedStory[]): LintFinding[] {
  const seen = new Map<string, { text: string; offset: number; stories: Set<string> }>()
  for (const { story, criteria } of open)
    for (const { text, offset } of criteria) {
      const plain = text.toLowerCase().replace(/\W+/g, ' ').trim()
      const known = seen.get(plain) ?? { text, offset, stories: new Set<string>() }
      known.stories.add(story.id)
      seen.set(plain, known)
    }
  return [...seen.values()]
    .filter(({ stories }) => stories.size >= 3 && stories.size * 2 >= open.length)
    .map(({ text, offset, stories }) => ({
      ...{ rule: 'boilerplate', severity: 'note', offset, story: null },
      message: `${stories.size} stories have the criterion ${quotedPiece(text)}; make it a gate, or say it once in prompt.md`,
    }))
}
