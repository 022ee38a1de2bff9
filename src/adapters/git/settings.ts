/** Settings for any git that a process starts, given by its environment: no file of the user's is touched. */

type Env = Record<string, string | undefined>
export type GitSettings = Record<string, string>

/** Git packs its objects after some commits; ours stand between two iterations and do not wait for that. */
export const withoutUpkeep: GitSettings = { 'maintenance.auto': 'false', 'gc.auto': '0' }

/** What a git of an agent's left working in the background would be ended with the iteration, and never get done. */
export const upkeepInFront: GitSettings = { 'gc.autoDetach': 'false', 'maintenance.autoDetach': 'false' }

/**
 * They say which repository, index or objects a git works on, whatever folder it is in: `git rev-parse --local-env-vars` without settings.
 * Git sets them for its hooks and aliases; with several worktrees none of them can be right.
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
/** An agent that merges the working branch there keeps `.ralph/` as the run gave it: it is written by the run alone, and must not be in the way. */
export const mergesOwn: GitSettings = {
  [`merge.${ownDriver}.name`]: "keep Ralph's own files",
  [`merge.${ownDriver}.driver`]: 'true',
}

/** Besides the settings that the environment has already. */
export function withSettings<E extends Env>(env: E, settings: GitSettings): E {
  const given = Number(env['GIT_CONFIG_COUNT'] ?? 0)
  return { ...env, ...numbered(Object.entries(settings), given) }
}

/** Of the settings in the environment those that are there with key and value, numbered anew: git refuses all where one is missing. */
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
