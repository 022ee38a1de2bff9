/** Where a story comes from: an issue, by its address. */

export type IssueSource = {
  tracker: 'github' | 'gitlab' | 'linear' | 'jira' | 'beads'
  host: string
  /** owner/name; empty: the tracker has none. */
  repository: string
  /** A number, or a key such as ENG-12. */
  id: string
}

/** null: not the address of an issue that is known. */
export function sourceIn(text: string | undefined): IssueSource | null {
  if (text === undefined) return null
  const bead = /^beads:([\w.-]+)$/.exec(text)?.[1]
  if (bead !== undefined) return { tracker: 'beads', host: '', repository: '', id: bead }
  const [, given, pathname = ''] = /^https:\/\/([\w.-]+(?::\d+)?)(\/[^\s?#]*)$/.exec(text) ?? []
  if (given === undefined) return null
  const host = given.toLowerCase()
  const github = /^\/([\w.-]+\/[\w.-]+)\/issues\/([1-9]\d*)\/?$/.exec(pathname)
  if (github?.[1] && github[2]) return { tracker: 'github', host, repository: github[1], id: github[2] }
  const gitlab = /^\/([\w.-]+(?:\/[\w.-]+)+)\/-\/(?:issues|work_items)\/([1-9]\d*)\/?$/.exec(pathname)
  if (gitlab?.[1] && gitlab[2]) return { tracker: 'gitlab', host, repository: gitlab[1], id: gitlab[2] }
  const linear = host === 'linear.app' ? /^\/[\w-]+\/issue\/([A-Z][A-Z0-9]*-\d+)(?:\/|$)/.exec(pathname)?.[1] : undefined
  if (linear !== undefined) return { tracker: 'linear', host, repository: '', id: linear }
  const jira = /^\/browse\/([A-Z][A-Z0-9_]*-\d+)\/?$/.exec(pathname)?.[1]
  return jira === undefined ? null : { tracker: 'jira', host, repository: '', id: jira }
}
