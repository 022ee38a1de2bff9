/** Settings for every git that a process starts, passed in the environment, so that no file of the user changes. */

type Env = Record<string, string | undefined>
export type GitSettings = Record<string, string>

/**
 * Whoever flushes a file commits the file system's journal, and Ralph flushes its log often: then a branch on the disk can name a commit whose content is not
 * there yet. Git flushes content first only if told to. Before git 2.36 it does not know the setting.
 */
const flushed: GitSettings = { 'core.fsync': 'all', 'core.fsyncMethod': 'fsync' }

/** Git packs its objects after some commits; Ralph's commits come between two iterations and must not wait for that. */
export const withoutUpkeep: GitSettings = { ...flushed, 'maintenance.auto': 'false', 'gc.auto': '0' }

/**
 * A background gc started by an agent's git would be killed with the iteration, and never finish. A large pack that is written again could have any content:
 * to compare it with the ids takes long.
 */
export const upkeepInFront: GitSettings = {
  ...flushed,
  'gc.autoDetach': 'false',
  'maintenance.autoDetach': 'false',
  'gc.bigPackThreshold': '128m',
}

/**
 * They select the repository, index or objects regardless of the folder: `git rev-parse --local-env-vars` without the settings. Git sets them
 * for its hooks and aliases; with several worktrees none of them can be right.
 */
export const repositoryVariables = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_QUARANTINE_PATH',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_REPLACE_REF_BASE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_CONFIG',
  'GIT_REFLOG_ACTION',
]

/** Named in `.ralph/.gitattributes` of a story's worktree. */
export const ownDriver = 'ralph-own'
/** When an agent merges the run's branch there, `.ralph/` stays as the run wrote it: only the run writes it, and it must not conflict. */
export const mergesOwn: GitSettings = {
  [`merge.${ownDriver}.name`]: "keep Ralph's own files",
  [`merge.${ownDriver}.driver`]: 'true',
}

/** In addition to the settings that the environment already has. */
export function withSettings<E extends Env>(env: E, settings: GitSettings): E {
  const given = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  return { ...env, ...numbered(Object.entries(settings), given) }
}

/** The complete settings in the environment, renumbered: git rejects all of them if one is incomplete. */
export function withWholeSettings(env: Record<string, string>): Record<string, string> {
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  const whole = Array.from({ length: count }, (_, at) => [env[`GIT_CONFIG_KEY_${at}`], env[`GIT_CONFIG_VALUE_${at}`]]).filter(
    (pair): pair is [string, string] => pair[0] !== undefined && pair[1] !== undefined,
  )
  const others = Object.entries(env).filter(([name]) => !/^GIT_CONFIG_(COUNT|KEY_\d+|VALUE_\d+)$/.test(name))
  return { ...Object.fromEntries(others), ...(whole.length > 0 && numbered(whole, 0)) }
}

function numbered(pairs: [string, string][], from: number): Record<string, string> {
  const named = pairs.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${from + at}`, key],
    [`GIT_CONFIG_VALUE_${from + at}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(from + pairs.length), ...Object.fromEntries(named) }
}
