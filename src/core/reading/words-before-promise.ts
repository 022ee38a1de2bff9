/** The words before a promise: whether they deny it, and whether they are among the few that surely do not. */
import { otherLanguages, withoutNoDenial } from './languages.ts'

/** The words on its line deny it, make it conditional, ask for it or quote it, in words that we know. */
export function isSpokenOf(before: string, kind: 'complete' | 'blocked' | 'question'): boolean {
  const sentence = lastSentence(before)
  if (undone.test(before) || otherLanguages.test(kind === 'complete' ? sentence : lastClause(sentence))) return true
  if (introduction.test(before) || instruction.test(sentence) || conditions.test(sentence)) return true
  // "I cannot go on: …" is how BLOCKED is said, while "I am not saying: …" takes a COMPLETE back.
  if (kind !== 'complete') return negations.test(lastClause(sentence))
  return negations.test(sentence) || unfinished.test(before)
}

/** What follows on its line makes it part of a sentence about it. */
export const isSpokenOfAfter = (after: string): boolean =>
  conditions.test(after) ||
  negations.test(after) ||
  /^[\s*_`"'”’)]*(?:is|was|means?|says|tag|line|signal|comes|would)\b/i.test(after)

/** Nobody knows all denials in all languages. So words before a COMPLETE count against it, unless each of them is known and cannot deny. */
export function isKnownLeadIn(before: string): boolean {
  if (!/\p{L}/u.test(before)) return true
  const share = /(?<!\d)(\d{1,6})\s?(?:\/|of|out of)\s?(?:the\s)?(\d{1,6})(?!\d)/i.exec(before)
  if ((share !== null && Number(share[1]) !== Number(share[2])) || /(?<!\d)(?!100)\d{1,3}\s?%|(?<![\d.])0(?![\d.])/.test(before))
    return false
  const rest = harmless.reduce((text, phrase) => text.replace(phrase, ' '), before.toLowerCase().replaceAll('’', "'"))
  return (rest.match(/[\p{L}\p{M}\p{N}'_-]+/gu) ?? []).every(
    (word) => words.has(word) || /^['_-]*(?:[a-z]{1,8}-?)?\d+['_-]*$|^['_-]+$/.test(word),
  )
}

/** The line above denies or delays what is sent below, or introduces it with unknown words. */
export function isDoubtfulAbove(
  above: { text: string; isAdjacent: boolean },
  kind: 'complete' | 'blocked' | 'question',
): boolean {
  const line = above.text.replace(/[\s*_`~]+$/, '')
  const sentence = lastSentence(line.replace(/[.!?…。！？)"'”]+$/, ''))
  if (heldBack.test(sentence)) return true
  if (kind !== 'complete') return false
  if (unfinished.test(sentence)) return true
  if (/[:：,，;—–]$|\s-$/.test(line)) return isSpokenOf(line, kind) || !isKnownLeadIn(line.replace(bullet, ''))
  return above.isAdjacent && otherLanguages.test(withoutNoDenial(sentence))
}

const bullet = /^\s*(?:[-*+#>]+|\d{1,3}[.)])\s+(?:\[[xX]\]\s+)?/
const lastSentence = (text: string): string =>
  text.replace(/^[\s\S]*(?:[.!?…]["'”)\]*_`~]{0,5}\s+|[。！？])/, '').replace(/^[\s*_`~#+-]+/, '')
const lastClause = (sentence: string): string => sentence.replace(/^[\s\S]*[:,;—–，、：；]/, '')

const conditions =
  /\b(?:when|whenever|once|if|unless|until|till|before|as soon as|in case|must|might|could|instead of|rather than)\b|(?:\b(?:will|shall|would|should|going to)|['’]ll)\b(?!\s+now\b)/i
const negations =
  /\b(?:not|never|cannot|neither|nor|hardly|withh?old(?:ing)?|refus(?:e|ing)|without\s+\w+ing)\b|n['’]t\b|\bno\b(?!\s+(?:more|open|remaining|further|other|failing|failed|failures?|errors?|issues?|problems?|warnings?|stor(?:y|ies)|tasks?|work|changes?|regressions?)\b)/i
const unfinished =
  /(?:\b(?:not|never|nothing(?! (?:else|more|further)\b)|none)|n['’]t)\b[^.!?:;]{0,40}\b(?:done|finished|completed?|ready|yet|pass|passes|passing)\b|\bunfinished\b|\bincomplete\b/i
const heldBack =
  /(?:\b(?:not|never|cannot)|n['’]t)\b[^.!?]{0,60}\b(?:print|output|repl|send|emit|signal|claim|say)(?:y|ying|ting|ting|ing|s)?(?:\s+(?:with|the|this|it|that|tag|signal|promise|completion|following|yet)){0,5}[\s:.*_`]*$/i
const instruction =
  /(?:^|[,;]\s*|\b(?:please|then|and|or|to|just|only)\s+)(?:print|output|reply|respond|emit|say|write|send|return|use|type)(?:\s+(?:with|exactly|only|just|the|this|tag|promise|signal)){0,4}[\s*_`]*$/i
const introduction = /(?:\be\.g\.|\bi\.e\.|\bexamples?|\bsuch as|["'“”‘«])[\s:,*_`]*$/i

/** An unticked item, or struck-out words. */
const undone = /^\s*(?:[-*+]|\d{1,3}[.)])\s+\[ \]|~~[\s*_`]*$/

/** Phrases whose words could mean something else alone. */
const harmless = [
  /\bno\s+(?:more\s+|open\s+|remaining\s+|further\s+|other\s+|failing\s+|new\s+|known\s+){0,2}(?:errors?|failures?|issues?|problems?|warnings?|regressions?)(?:\s+(?:remain|remains|remaining|left|open|found))?(?![\p{L}'-])/gu,
  /\bno\s+(?:(?:more|open|remaining|further|other|failing)\s+){1,2}(?:stor(?:y|ies)|tasks?|items?|tests?|work|changes?)(?:\s+(?:remain|remains|left|needed))?(?![\p{L}'-])/gu,
  /\bno\s+(?:stor(?:y|ies)|tasks?|items?|work)\s+(?:remain|remains|remaining|left|open|is left|are left)(?![\p{L}'-])/gu,
  /\bnothing\s+(?:is\s+)?(?:left|remains)(?:\s+to\s+do)?(?![\p{L}'-])/gu,
  /\bwill now\b|\bkeine\s+(?:fehler|probleme|warnungen)(?!\p{L})|\b(?:pas\s+d'|aucune\s+|sans\s+)erreurs?(?!\p{L})|\bsin\s+errores(?!\p{L})/gu,
  /没有(?:问题|错误)|問題ありません|全部|所有|任务|测试|通过|完成|都|已|了|すべて|全て|完了|テスト|成功|しました|です|모두|모든|완료|했습니다|되었습니다/gu,
]

const words = new Set(
  `a an the this that these all every each both everything i we it its it's i'm i've we've am is are was were been has have
   my our now here there so therefore hence thus since because as and with by in on of for finally also indeed
   one two three four five six seven eight nine ten eleven twelve
   story stories task tasks test tests suite check checks gate gates item items acceptance criterion criteria requirement requirements
   feature features plan prd list work job project implementation code build lint types typecheck change changes file files commit
   commits branch signal status promise tag answer result final summary completion confirmation exit loop iteration
   done complete completed finished pass passes passed passing green ready implemented committed verified confirmed tested checked
   fixed met satisfied clean works at end successful successfully fully entirely
   send sending signalling signaling signals emit emitting print printing report reporting declare declaring claim claiming
   ok okay yes well then great perfect thanks
   alles alle aufgabe aufgaben tests ist sind und erledigt fertig abgeschlossen bestanden grün
   tout tous toutes est sont et terminé terminée terminés terminées fini complet prêt les
   todo todos toda todas está están y listo lista listos hecho completo completado terminado
   tudo estão pronto concluído concluídos feito tutto tutti è sono completato finito fatto
   все всё готово готовы завершено выполнено сделано тесты проходят`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
