/** Kilo Code, headless: a fork of OpenCode, with its options and events, and variables and folders of its own. */
import { opencodeArgs, opencodeReader, withSettings } from './opencode.ts'
import { providerVariables } from './shared/choice.ts'
import { headless } from './shared/headless.ts'

export const kilo = headless('kilo', {
  needs: {
    home: ['.config/kilo', '.local/share/kilo', '.local/state/kilo', '.cache/kilo', '.kilo', '.kilocode'],
    variables: ['KILO_', ...providerVariables],
    folders: [],
  },
  homeSettings: ['.config/kilo', '.kilo', '.kilocode'].flatMap((folder) => [
    ...['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md'].map(
      (name) => `${folder}/${name}`,
    ),
    ...['agent', 'command', 'plugin', 'skill', 'tool', 'rule', 'mode'].flatMap((name) => [
      `${folder}/${name}/`,
      `${folder}/${name}s/`,
    ]),
  ]),
  ordersIn: ['AGENTS.md', 'kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc', '.kilo/', '.kilocode/', '.opencode/'],
  marksChildrenBy: ['KILO'],
  tells: 'cost',
  takesStatusTool: true,
  install: 'npm install -g @kilocode/cli',
  tested: '7.7.7',
  args: opencodeArgs,
  env: (env, task) => withSettings('KILO_CONFIG_CONTENT', env, task),
  reader: opencodeReader,
})
