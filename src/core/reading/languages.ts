/** Languages other than English: agents answer in the language of the plan. */

/** Denials and conditions. "No errors" is not a denial in any of them. */
export const otherLanguages = new RegExp(
  [
    "(?<![\\p{L}'’])(?:nicht|noch|nie|sobald|wenn|falls|bevor)(?!\\p{L})",
    '|(?<!\\p{L})kein(?:e|en)?(?!\\p{L}|\\s+(?:fehler|probleme?|offene|weitere|warnung))',
    "|(?<![\\p{L}'’])(?:ne|pas(?!\\s+d['’](?:err|éch|aut))|jamais|quand|lorsque|dès|avant)(?!\\p{L})|(?<!\\p{L})n['’](?=\\p{L})",
    '|(?<!\\p{L})(?:todavía|aún|nunca|cuando|hasta|não|ainda|quando|non|appena|finché|enquanto)(?!\\p{L})',
    '|(?<!\\p{L})(?:не|ещё|еще|ще|когда|если|пока)(?!\\p{L})',
    '|(?<!\\p{L})(?:niet|nog|geen|inte|ännu|ikke|ennå|endnu|henüz|değil|nie|jeszcze|ještě|není|nejsem|nem|még|încă|belum|chưa|không)(?!\\p{L})',
    '|(?<!\\p{L})(?:δεν|ακόμα|ακόμη|לא|עדיין|لم|لن|ليس|لست|لا|هنوز|नहीं|अभी)(?![\\p{L}\\p{M}])|ยังไม่',
    '|尚未|还没|還沒|还未|未完成|没有完成|不会|不會|不能|暂不|如果|一旦|まだ|ません|ていない|したら|次第|아직|않',
  ].join(''),
  'iu',
)

/** With words that deny only in their own sentence, or in one language only. */
const deniedElsewhere = new RegExp(
  [
    otherLanguages.source,
    '|(?<!\\p{L})(?:nichts|niets|rien|nada|niente|ничего|gescheitert|schl[aä]gt? fehl|schlagen fehl|fehlgeschlagen|échou\\p{L}+|fall(?:a|an|ó|aron)|неудач\\p{L}+)(?!\\p{L})',
    '|(?<!\\p{L})no (?:pude|pudo|puedo|se|funciona\\p{L}*|está|están|es|fue|he|ha|hay|logré|terminé|pasan|pasa|compila|todo|todos|todas)(?!\\p{L})',
    '|(?<!\\p{L})(?:kun(?:de|ne) (?:inte|ikke)|nie|nepo\\p{L}+)(?!\\p{L})',
    '|(?<!\\p{L})(?:außer|bis auf|nur|kaputt|fehlt|fehlen|sauf|seulement|reste|restent|excepto|salvo|sólo|solo|solamente|falta|faltan|queda|quedan|exceto|apenas|tranne|кроме|только|осталось|остал\\p{L}+|падают|behalve|alleen|utom|bara|undtagen|kun)(?!\\p{L})',
    '|(?<!\\p{L})(?:zwei|drei|vier|fünf|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|två|tre|fyra|fem|due|quattro|cinque|dois|três|twee|drie|vijf|два|две|три|четыре|пять) (?:von|der|sur|de|des|av|su|van|из) ',
    '|(?<!\\p{L})(?:fast (?:fertig|alles?|erledigt|ganz)|teilweise|halb|presque|partiellement|casi|parcialmente|quase|quasi|parzialmente|bijna|gedeeltelijk|почти|частично|nästan|delvis|næsten|nesten|prawie|częściowo|téměř|neredeyse)(?!\\p{L})',
    '|快(?:要|完)|部分|几乎|ほぼ|ほとんど|거의|除了|只|仅|未能|未|拒绝|剩|のみ|だけ|一部|일부|만(?=\\s|$)|没有|没能|无法|做不|失败|不通过|未通过|できな|できま|失敗|없|못',
  ].join(''),
  'iu',
)
const noDenial = new RegExp(
  [
    'non-|falls (?:back|through|under|within)|(?<!(?:funktionier\\p{L}*|läuft|laufen|geht|gehen|baut|kompiliert|besteh\\p{L}*) )(?:nicht|nichts|keine?n?) mehr|ohne fehler|keine (?:weiteren )?(?:fehler|probleme|warnungen)',
    "|(?:il )?ne reste (?:plus )?rien|plus rien|(?:il )?n'y a plus|ne (?!fonctionn|pass|march|compil)\\p{L}+ plus|aucune? \\p{L}+|pas d'(?:erreur|échec)s?",
    '|ya no (?!func|pas|compil)\\p{L}+|no (?:quedan?|hay) (?:más |errores|problemas|nada)\\p{L}*|nada (?:más|pendiente)|sin (?:errores|problemas)',
    '|não há (?:erros|mais)|non ci sono (?:errori|problemi)|non resta nulla|(?:ошибок|проблем) нет|больше не',
    '|没有(?:错误|问题|失败|遗留|剩余|任何)|(?:修复|解决)了?失败|不再(?!工作|通过|能)|不需要|未发现|無問題|(?:エラー|問題|残り)は?あ?りません|残っていません|문제(?:가)? 없',
  ].join(''),
  'giu',
)

/** Without phrases that only look like a denial. */
export const withoutNoDenial = (sentence: string): string => sentence.replace(noDenial, ' ')
export const isDeniedElsewhere = (sentence: string): boolean =>
  isShare(sentence) || (!ofProgram.test(sentence) && deniedElsewhere.test(withoutNoDenial(sentence)))

/** "Wenn das Passwort falsch ist, erscheint eine Meldung": what the program does, not the agent. */
const ofProgram =
  /^\W*(?:wenn|falls|quand|lorsque|si|cuando|quando|se|если|когда|как только|als|om|när)\s(?!.*(?<!\p{L})(?:ich|je|j'|yo|eu|io|я|ik|jag|fertig|termin\p{L}+)(?!\p{L}))/iu

/** "3 von 7", "3 sur 7", "3 из 7", "完成了 3/7". */
function isShare(sentence: string): boolean {
  const share =
    /(?<![\d.:/-])(\d{1,6})\s?(?:\/|of|von|sur|de|di|su|av|af|van|из|z|ze)\s?(\d{1,6})(?!\d|[.:/-]\d|\s(?:files|lines))/u.exec(
      sentence,
    )
  return share !== null && Number(share[1]) < Number(share[2]) && !/fail|before/.test(sentence)
}

/** Words that say that work is done. */
export const saysDoneElsewhere = (sentence: string): boolean => done.test(sentence)
const done = new RegExp(
  [
    '(?<!\\p{L})(?:fertig|erledigt|abgeschlossen|bestanden|umgesetzt|implementiert|behoben|grün',
    '|terminée?s?|finie?s?|complète?s?|complet[oa]?s?|corrigée?s?|passent|implémentée?s?',
    '|terminad[oa]s?|completad[oa]s?|list[oa]s?|hech[oa]s?|implementad[oa]s?|corregid[oa]s?|pasan',
    '|concluíd[oa]s?|feit[oa]s?|passam|completat[oaie]|finit[oaie]|fatt[oaie]|passano',
    '|klaar|afgerond|voltooid|klar[ta]?|färdigt?|ferdig|færdig|gotowe|ukończon\\p{L}+|zakończon\\p{L}+|hotovo|dokončeno',
    '|готов[оаы]?|завершен[оаы]?|выполнен[оаы]?|сделан[оаы]?|проходят|tamamlandı|bitti)(?!\\p{L})',
    '|完成|通过|修复|完了|しました|완료',
  ].join(''),
  'iu',
)
