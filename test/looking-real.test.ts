/** Read-only calls of the real Claude Code and the real Codex. */
import { claudeEnvironment, realClaude } from './support/real-claude.ts'
import { codexEnvironment, realCodex } from './support/real-codex.ts'
import { looksOnly } from './support/real-looks.ts'

const bash = (command: string) => ({ tool: { bash: command } })

looksOnly(
  { name: 'claude', program: realClaude, environment: claudeEnvironment },
  {
    look: bash('git show HEAD && cat a.txt'),
    changes: [
      bash('echo hi > b.txt'),
      bash('git diff --output=b.txt HEAD~0'),
      bash('git commit -q --allow-empty -m evil'),
      { tool: { name: 'Write', args: { file_path: 'b.txt', content: 'hi' } } },
    ],
    answer: { tool: { name: 'StructuredOutput', args: { verdict: 'pass' } } },
  },
)

looksOnly(
  { name: 'codex', program: realCodex, environment: codexEnvironment },
  {
    look: bash('git show HEAD && cat a.txt'),
    changes: [bash('echo hi > b.txt'), bash('git commit -q --allow-empty -m evil')],
  },
)
