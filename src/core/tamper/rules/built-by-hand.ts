/** Generated files that an agent edited: built files, which the next build overwrites, and caches of results. */
import type { Finding } from '../../proof/finding.ts'
import type { Change } from '../code/change.ts'
import { isSettings } from '../code/files.ts'
import { isWork } from '../missing-work/left-undone.ts'

const built = /(^|\/)(?:dist|build|out|lib|generated|__generated__)\/(?:.*\/)?([\w-]+)\.[cm]?[jt]sx?$/
const named =
  /\b(?:built|generated|compiled|bundled|transpiled|created|made)\b(?:\s+(?:automatically|by\s+\S+))?\s+from\s+[`'"]?([\w./-]*\w\.\w+)/i
/** Of many sources. */
const isBundle = /^(?:index|main|bundle|app|vendor|chunk|common|polyfills?|types?)$|[.-](?:min|bundle|umd|esm|cjs|[0-9a-f]{6,})$/i
/** What changes what is built, though no source changes. */
const ofBuilds =
  /(^|\/)(?:tools?|scripts?|build|templates?|codegen)\/|(?:lock(?:\.json|\.ya?ml|b)?|\.tmpl|\.hbs|\.ejs|\.proto|\.graphql|\.ya?ml)$/

/** Only a file that says what it is built from, or has a folder of built files for its own. */
export function builtByHand({ path, kind, beforeText, afterText }: Change, all: Change[]): Finding[] {
  const [, , stem = ''] = built.exec(path) ?? []
  if (stem === '' || kind === 'deleted' || beforeText === afterText) return []
  const from = named.exec(afterText.slice(0, longestHead))?.[1]
  if (from === undefined && (kind === 'added' || isBundle.test(stem) || !/(^|\/)dist\//.test(path))) return []
  const isMade = all.some(
    ({ path: other }) =>
      !built.test(other) &&
      (stemOf(other) === (from === undefined ? stem : stemOf(from)) || isSettings(other) || ofBuilds.test(other)),
  )
  if (isMade) return []
  const words = `changed the built file ${path}, but not ${from ?? 'its source'}`
  return [{ rule: 'left-undone', file: path, words, isBeyondChecks: true }]
}

const longestHead = 400
const stemOf = (path: string): string => path.replace(/^.*\//, '').replace(/\..*$/, '')

/** A file of data in a folder of caches, or with such a name, that a source reads: what it holds was worked out elsewhere. */
export function committedCache({ path, kind }: Change, all: Change[]): Finding[] {
  if (kind !== 'added' || !cache.test(path) || ofManagers.test(path)) return []
  const name = path.replace(/^.*\//, '')
  const reader = all.find(({ path: other, added }) => isWork(other) && added.some(({ bare }) => bare.includes(name)))
  if (reader === undefined) return []
  const words = `commits ${path}, a cache of results that ${reader.path} reads`
  return [{ rule: 'special-case', file: path, words, isBeyondChecks: true }]
}

const cache =
  /(^|\/)\.(?:cache|memo)\/(?:.*\/)?[\w.-]+\.(?:json|ndjson|csv|txt|dat|bin|db)$|(^|\/)\.?(?:[\w-]+[.-])?cache\.(?:json|ndjson|csv|txt|dat|bin|db)$/i
const ofManagers = /(^|\/)(?:\.yarn|\.npm|\.pnpm|\.pnp|node_modules|tests?|specs?|fixtures?|__\w+__)\/|^cache\.(?:config|ya?ml)/
