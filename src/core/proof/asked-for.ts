/** What a story asks for, by its kind or, without one, by its title: some stories change no behaviour, and nobody expects a test of theirs to fail on the old code. */

type Asked = { title?: string; kind?: string; text?: string }

const quietKinds =
  /^(?:docs?|documentation|refactor(?:ing)?|chore|tests?|testing|ci|build|style|perf(?:ormance)?|config(?:uration)?|release|deps|dependencies|tooling|infra(?:structure)?|research|spike)$/i
const quietTitles =
  /\b(?:refactor\w*|renam\w+|extract\w*|inline[ds]?|deduplicat\w*|clean\w*|tid(?:y|ies|ying)|simplif\w*|reorgani[sz]\w*|restructur\w*|rewrit\w*|modulari[sz]\w*|format(?:s|ted|ting)? (?:the )?code|lint\w*|typed|types|typescript|faster|speed\w*|perform\w*|optimi[sz]\w*|upgrad\w*|bump\w*|migrat\w*|dependenc\w+|tests?|tested|coverage|specs?|ci|pipeline|workflow|docs?|document(?:s|ed|ation)|readme|changelog|licen[cs]e|comments?|explains?|dead code|unused)\b/i

/** The word of a plan for a story that changes nothing that a new test could show; undefined: it is not one. */
export const quietKindOf = (story: { kind?: string } | null | undefined): string | undefined =>
  story?.kind !== undefined && quietKinds.test(story.kind) ? story.kind : undefined

/** Whether it asks for something that the code does not do yet. */
export const asksForBehaviour = ({ title = '', kind = '' }: Asked): boolean =>
  kind === '' ? !quietTitles.test(title) : !quietKinds.test(kind)

const quietWork =
  /\b(?:docs?|document\w*|readme|changelog|licen[cs]e|comments?|explain\w*|describ\w*|typos?|guides?|tutorials?|adr|notes?|tests?|tested|assertions?|fixtures?|coverage|verif\w*|confirm\w*|investigat\w*|audit\w*|review\w*|research\w*|benchmark\w*)\b|\.(?:md|rst|adoc|txt)\b/i

/** Whether it cannot be done without a change of the program or its settings. */
export const asksForWork = ({ title = '', kind = '', text = '' }: Asked): boolean =>
  !/^(?:docs?|documentation|tests?|testing|research|spike)$/i.test(kind) && !quietWork.test(`${title}\n${text}`)
