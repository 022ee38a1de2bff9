/** The user's own settings of package managers, test runners and shells: with a line in one of them a gate runs something else. */
import { dirname, join } from 'node:path'
import { findProgram } from '../process/program.ts'
import { readIfThere } from './files.ts'
import { searchNames } from './search-names.ts'

/** Whole paths, also of files that are not there. What git reads is kept elsewhere, setting by setting. */
export function toolSettings(env: Record<string, string | undefined>): string[] {
  const home = env['HOME']
  if (!home) return []
  const at = (variable: string, otherwise: string): string => env[variable] || join(home, otherwise)
  const config = at('XDG_CONFIG_HOME', '.config')
  const [cargo, gradle] = [at('CARGO_HOME', '.cargo'), at('GRADLE_USER_HOME', '.gradle')]
  const npmrc = env['NPM_CONFIG_USERCONFIG'] || join(home, '.npmrc')
  return [
    npmrc,
    ...npmGlobals(env, npmrc),
    ...namedBy.flatMap((variable) => (env[variable]?.startsWith('/') ? [env[variable]] : [])),
    ...inHome.map((name) => join(home, name)),
    ...inConfig.map((name) => join(config, name)),
    ...['config.toml', 'config'].map((name) => join(cargo, name)),
    ...['init.gradle', 'init.gradle.kts', 'gradle.properties'].map((name) => join(gradle, name)),
    ...found(join(gradle, 'init.d'), gradleScripts),
    ...found(home, runnerSettings),
    ...pythonSites(home).flatMap((folder) => found(folder, startFiles)),
  ]
}

const inHome = [
  ...['.yarnrc', '.yarnrc.yml', '.bunfig.toml', '.pip/pip.conf', '.pypirc', '.pydistutils.cfg', '.rspec', '.irbrc', '.gemrc'],
  ...['.m2/settings.xml', '.m2/extensions.xml', '.m2/toolchains.xml', '.mavenrc', '.bundle/config', '.composer/config.json'],
  ...['.profile', '.bashrc', '.bash_profile', '.bash_login', '.zshenv', '.zshrc', '.zprofile', '.zlogin', '.bazelrc', '.asdfrc'],
  ...['.nuget/NuGet/NuGet.Config', '.pyenv/version', '.rbenv/version', '.nodenv/version', '.jenv/version'],
]
const inConfig = [
  ...['pip/pip.conf', 'go/env', 'git/attributes', 'git/ignore', 'pnpm/rc', 'pnpm/config.yaml', 'uv/uv.toml', 'mise/config.toml'],
  ...['pypoetry/config.toml', 'composer/config.json', 'rspec/options', 'ruff/ruff.toml', 'mypy/config', 'fish/config.fish'],
]
/** Variables of the user that name a file of this kind. */
const namedBy = [
  'BASH_ENV',
  'ENV',
  'PIP_CONFIG_FILE',
  'GOENV',
  'NPM_CONFIG_GLOBALCONFIG',
  'BUNDLE_CONFIG',
  'COVERAGE_PROCESS_START',
]

/** npm reads one more below its prefix, which the user may have in the home folder: as a setting, or because Node is there. */
function npmGlobals(env: Record<string, string | undefined>, npmrc: string): string[] {
  const [, set] = /^\s*prefix\s*=\s*"?(.+?)"?\s*$/m.exec(readIfThere(npmrc) ?? '') ?? []
  const named = env['NPM_CONFIG_PREFIX'] || set?.replace(/^(?:~|\$\{HOME\})(?=\/)/, env['HOME'] ?? '')
  const ofNode = ['npm', 'node'].flatMap((name) => findProgram(name, '/', env) ?? []).map((path) => dirname(dirname(path)))
  return [...new Set([...(named === undefined ? [] : [named]), ...ofNode])].map((prefix) => join(prefix, 'etc', 'npmrc'))
}

/** What programs write there by themselves: the address of the public registry, or folders that come after all others. */
export function isHarmlessSetting(path: string, text: string): boolean {
  if (path.endsWith('NuGet.Config'))
    return /^\s*(<\?xml[^>]*>\s*)?<configuration>\s*<packageSources>\s*(<add key="nuget\.org" value="https:\/\/api\.nuget\.org\/v3\/index\.json"[^>]*>\s*)?<\/packageSources>\s*<\/configuration>\s*$/.test(
      text.replace(/^\uFEFF/, ''),
    )
  return path.endsWith('.pth') && !/^import[ \t]/m.test(text)
}

/** As `python3 -m site --user-site` names them, for each version that is there. */
const pythonSites = (home: string): string[] => [
  ...found(join(home, '.local', 'lib'), pythons).map((folder) => join(folder, 'site-packages')),
  ...found(join(home, 'Library', 'Python'), versions).map((folder) => join(folder, 'lib', 'python', 'site-packages')),
]

const [gradleScripts, runnerSettings, startFiles, pythons, versions] = [
  searchNames((name) => /\.gradle(\.kts)?$/.test(name)),
  searchNames((name) => /^\.(mocharc|phpunit)/.test(name)),
  searchNames((name) => /^(usercustomize|sitecustomize)\.py$|\.pth$/.test(name)),
  searchNames((name) => /^python[\d.]+$/.test(name)),
  searchNames((name) => /^[\d.]+$/.test(name)),
]

const found = (folder: string, search: ReturnType<typeof searchNames>): string[] =>
  search(folder).map((name) => join(folder, name))
