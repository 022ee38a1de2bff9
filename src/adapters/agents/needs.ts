/** What each agent has of its own outside the project: files in the home folder, and variables. A sandbox lets these in, and no others. */

export type Needs = {
  /** Files and folders under the home folder. */
  home: string[]
  /** Beginnings of the names of variables. */
  variables: string[]
  /** Variables that name a folder of the agent's. */
  folders: string[]
}

export const noNeeds: Needs = { home: [], variables: [], folders: [] }

/** A program of the user's own has none that we know of: sandbox.home and sandbox.env name them. */
export const needsOf = (agent: string): Needs => (Object.hasOwn(known, agent) ? known[agent]! : noNeeds)

const providers = ['ANTHROPIC_', 'OPENAI_', 'GEMINI_', 'OPENROUTER_']
const known: Record<string, Needs> = {
  claude: { home: ['.claude', '.claude.json'], variables: ['ANTHROPIC_', 'CLAUDE_'], folders: ['CLAUDE_CONFIG_DIR'] },
  codex: { home: ['.codex'], variables: ['OPENAI_', 'CODEX_'], folders: ['CODEX_HOME'] },
  gemini: { home: ['.gemini'], variables: ['GEMINI_', 'GOOGLE_'], folders: [] },
  qwen: { home: ['.qwen'], variables: ['OPENAI_', 'QWEN_', 'DASHSCOPE_'], folders: [] },
  opencode: {
    home: ['.config/opencode', '.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
    variables: ['OPENCODE_', ...providers],
    folders: [],
  },
  copilot: {
    home: ['.copilot', '.config/github-copilot', '.cache/copilot'],
    variables: ['COPILOT_', 'GH_TOKEN', 'GITHUB_TOKEN'],
    folders: ['COPILOT_HOME'],
  },
  pi: { home: ['.pi'], variables: ['PI_', ...providers], folders: ['PI_CODING_AGENT_DIR'] },
}
