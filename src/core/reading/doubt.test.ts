import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultPromise, type ReadingOptions } from '../reading.ts'
import { kinds, read, statusBlock, tag } from './fixture.ts'

const unchecked: ReadingOptions = { promise: defaultPromise, isUnchecked: true }
const done = tag('COMPLETE')
const claimed = statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true')
/** The words in the places where agents put them, and the claim in its forms. */
const around = (words: string): string[] => [
  `${words}\n${done}`,
  `${words}\n\n${done}`,
  `${words}\n\n\`\`\`\n${done}\n\`\`\``,
  `${words}\n\n${claimed}`,
  `I implemented the login and committed it.\n\n${words}\n\n${done}`,
]

const honest = [
  '',
  'Done.',
  'All done!',
  'All of it.',
  'Everything is in.',
  'Now it is.',
  'Well then.',
  'Everything is done.',
  'All tests pass.',
  'All 7 of 7 stories are done.',
  '7/7 tasks completed.',
  'All acceptance criteria are met.',
  'The work is complete and committed.',
  'I implemented the login form and all tests pass.',
  'Nothing is left to do.',
  'There is nothing left to do.',
  'Nothing else needs to be done: everything is implemented.',
  'No further action is needed.',
  'No changes needed: everything was already implemented.',
  'The cache is not needed any more, so I removed it.',
  'Tests: 12 passed, 0 failed.',
  'The linter reports no errors, and the build passes.',
  'No errors, no warnings. Finished.',
  '0 errors, 0 warnings; the build is green.',
  'Fixed the failing tests.',
  'Fixed 3 failing tests; all 12 pass now.',
  'The test failed because of a race. I fixed it, and it passes now.',
  'The build was broken by a missing import; that is fixed.',
  'The login no longer fails for users without a name.',
  'Added a test for failed logins. All tests pass.',
  'Added error handling: a missing file is reported instead of a crash.',
  'Users who are not logged in are now sent to the login page. All tests pass.',
  'The function returns null if the user does not exist. I added tests for it, and they pass.',
  'I did not touch the API. The login is finished.',
  'I did not write new tests, since the existing ones cover it. Everything passes.',
  'I could not find any remaining issues. All tests pass.',
  'Remaining work: none. Everything is done.',
  'Remaining: nothing.\nAll stories are complete.',
  'None of the tests fail.',
  'Not a single test fails. Done.',
  'Coverage went from 72% to 91%. All tests pass.',
  'Reduced the size of the bundle by 40%. The work is finished.',
  'I changed 3 of the 12 files; all 40 tests pass.',
  'When a request times out, the client now retries. Tests added, all green.',
  'Summary:\n- Added `src/login.ts`\n- Fixed the crash when the list is empty\n- Removed the broken flag\n- All 31 tests pass',
  '## Done\n\n- [x] login\n- [x] logout\n\nAll tests pass.',
  'At first the migration failed with "permission denied". I corrected the grants and it runs now.\n\nAll 5 stories are done.',
  'I could reproduce the bug: the parser did not handle empty lines. I added a check, and a test that failed before and passes now.\n\nEverything is committed.',
  'Implemented the export.\n\n```\nTests: 31 passed, 31 total\n```',
  'Before:\n\n```\n2 failed, 5 passed\n```\n\nI fixed both. After:\n\n```\n7 passed, 0 failed\n```\n\nAll is done.',
  'The task was to remove the retry if a call fails. It is removed, and the tests pass.',
  'You can start it with `npm start`. If you want another port, set PORT. Everything is implemented and tested.',
  // Other languages.
  'Alles erledigt.',
  'Alle Tests laufen durch, keine Fehler. Fertig.',
  'Die Anmeldung ist umgesetzt, alle Tests sind grün.',
  'Der Fehler tritt nicht mehr auf, alle Tests sind bestanden.',
  'Es ist nichts mehr zu tun, alles ist abgeschlossen.',
  'Tout est terminé.',
  'Toutes les tâches sont terminées, aucune erreur.',
  "J'ai corrigé le bogue et tous les tests passent.",
  'Il ne reste plus rien à faire, tout est terminé.',
  'Todo está terminado.',
  'He implementado el inicio de sesión y todas las pruebas pasan.',
  'Todas las tareas están completadas, sin errores.',
  'Ya no hay errores: todo está completado.',
  'Tudo concluído.',
  'Tutti i test passano, lavoro completato.',
  'Alle taken zijn klaar.',
  'Всё готово, тесты проходят.',
  '所有任务已完成，测试全部通过。',
  '全部完成，没有错误。',
  '已修复失败的测试，现在全部通过。',
  'すべて完了しました。エラーはありません。',
  '모든 작업이 완료되었습니다.',
  'Implemented OAuth login.',
  'I have refactored the parser and updated its documentation.',
  'The refactoring is complete; behaviour is unchanged.',
  'All gates are green.',
  'Finished. See CHANGELOG.md for details.',
  'The bug was that errors were not caught. They are caught now, and a test proves it.',
  'Both bugs are fixed.',
  'Added retries: when the network fails, the request is sent again (3 times). Tests cover it.',
  'Removed dead code that nobody used. The build passes.',
  'The config file is now optional; without it, defaults apply. Done.',
  'Replaced the deprecated API. No behaviour change. All 120 tests pass.',
  'I verified it by hand too: login, logout, and wrong password all behave as specified.',
  'No open questions. The work is complete.',
  'Everything in the task description is implemented and tested, and nothing is missing.',
  'The failing CI job is green again.',
  '`npm test`: 45 passing, 0 failing. Complete.',
  'Tests: 45 passed, 45 total',
  'ok 45 tests',
  'The error message now says which file is missing. Done.',
  'It took three attempts, but all tests pass now.',
  'The first approach failed, so I took another one, which works. All tests pass.',
  'I fixed the test that was failing on Windows.',
  'Was failing: 3. Now failing: 0. All done.',
  'The task is completed as requested. You will need to restart the server to see it.',
  'Done. If you want, I can also add a dark mode.',
  'Done. Let me know if you need anything else.',
  'Note: the old endpoint still exists for compatibility, as requested. Everything is implemented.',
  'I did not need to change the database. All criteria are met.',
  'Added validation so that users cannot submit an empty form. Tests pass.',
  'The cache never returns stale entries now. Tests added and passing.',
  'Nothing broke: the whole suite passes.',
  'I only had to change one line; all tests pass.',
  'Only two files changed. The fix is verified.',
  'Changed 2 files, 1 test added. Finished.',
  'Die Funktion ist implementiert und getestet.',
  'Alle Aufgaben sind erledigt, alle Tests bestanden.',
  'Der Fehler wurde behoben.',
  'Es gibt keine offenen Punkte mehr, alles ist fertig.',
  'Le bogue est corrigé, tous les tests sont verts.',
  'Le travail est terminé.',
  'Se corrigió el error y todas las pruebas pasan.',
  'El trabajo está completo.',
  'O trabalho está concluído.',
  'Il lavoro è completato.',
  'Het werk is klaar.',
  'Работа завершена.',
  '任务完成。',
  '已完成所有功能并通过测试。',
  '全てのテストが通りました。完了です。',
  '작업 완료.',
  'Arbetet är klart.',
  "I've implemented the rate limiter.\n\n**What changed**\n- `src/limiter.ts`: token bucket with a sliding window; when the bucket is empty, requests are rejected with 429\n- `src/server.ts`: wires it in; it is skipped for health checks\n- `test/limiter.test.ts`: 14 new tests, including the failure cases (no key, expired key, clock going back)\n\n**Verification**\n- `npm test`: 142 passed, 0 failed\n- `npm run lint`: no problems\n\nI did not change the public API, so no migration is needed.",
  '## Summary\n\nThe flaky test was caused by a race between the watcher and the writer: the watcher could not see the file before the rename. I now wait for the rename event instead of polling.\n\n1. Reproduced the failure (failed 7 of 100 runs before)\n2. Fixed the race in `watch.ts`\n3. Ran it 500 times: 0 failures\n\nAll tests pass and the work is committed.',
  'Everything was already in place: the endpoint exists, its tests pass, and the docs describe it. No changes were necessary.',
  "The bug is fixed. The cause: `parse()` didn't handle CRLF, so the last field was never trimmed. There's a regression test now.",
  "All tasks from fix_plan.md are complete:\n\n- [x] Add login\n- [x] Add logout\n- [x] Handle errors when the session can't be restored\n\nTest results: 58 passing, 0 failing, 2 skipped (they need a browser).",
  'Done! The migration script handles missing columns, broken rows are logged and skipped, and nothing is lost.\n\nTo run it:\n\n```\nnpm run migrate -- --dry-run\n```',
  'Implementation complete. Key decisions:\n\n- Retries: at most 3; after that the error is shown to the user\n- Timeouts: 30 s, no longer infinite\n- Logs: only errors are kept\n\nAll acceptance criteria are met.',
  'Ich habe die Anmeldung umgesetzt. Wenn das Passwort falsch ist, erscheint eine Meldung.\n\nAlle 24 Tests sind grün, die Arbeit ist abgeschlossen.',
  "J'ai ajouté la page de connexion et corrigé l'erreur qui empêchait la déconnexion. Tous les tests passent.",
  'He añadido la página de inicio de sesión. Todas las pruebas pasan y el trabajo está terminado.',
  '我已经实现了登录功能：\n- 添加了登录页面\n- 修复了会话过期时崩溃的问题\n\n所有测试都已通过，任务完成。',
  'ログイン機能を実装しました。テストはすべて成功しています。作業は完了です。',
  'The refactoring is finished. I kept the old names as aliases so that nothing breaks for existing users.',
  'Task complete. The old implementation is gone; `grep` finds no remaining references to it.',
  'All 3 bugs are fixed:\n1. Crash on empty input — fixed by checking for null\n2. Wrong total when a discount fails to load — now falls back to 0\n3. Missing translation — added\n\nTests added for each; the suite passes.',
  'Works as specified now. I tested it with Node 20 and 22.',
  'Added the CLI flag `--json`. Exit code is 1 if the check fails and 0 otherwise. Tests and docs updated.',
  'The PR feedback is addressed: renamed the helper, removed the unused import, and covered the error path with a test. CI is green.',
  'Completed the work on the parser. No known issues remain.',
]

test('without a plan honest words around a claim leave it one', () => {
  for (const words of honest) {
    for (const text of around(words)) {
      assert.deepEqual(
        read(text, unchecked).signals.map((signal) => signal.kind === 'claimed-done' && signal.exitSignal),
        [true],
        text,
      )
    }
  }
})

test('with a plan the stories refute a claim: words that leave it open do not count against it', () => {
  assert.deepEqual(kinds(`Now it is.\n\n${done}`), ['claimed-done'])
  assert.deepEqual(kinds(`Sijamaliza kazi.\n\n${done}`), ['claimed-done'])
})

test('without a plan a claim in words that nobody could read is one by words alone, which a person decides', () => {
  assert.deepEqual(read(`Sijamaliza kazi.\n\n${done}`, unchecked).signals, [
    {
      kind: 'claimed-done',
      by: 'promise',
      exitSignal: false,
      evidence: 'promise COMPLETE, in words that leave it open: Sijamaliza kazi.',
    },
  ])
  assert.deepEqual(kinds(`I could not do it.\n\n${done}`, unchecked), ['unclear'])
})

test('a report through the tool is borne by its summary in the same way', () => {
  const reported = (summary: string) =>
    read('', { ...unchecked, report: { status: 'complete', summary, exitSignal: true, blockedReason: '', question: '' } })
      .exitSignal
  assert.deepEqual([reported('All stories are done.'), reported('Nothing works yet.'), reported('')], [true, false, true])
})

test('of an agent whose words cannot be told from the output of its tools only the last words count', () => {
  const log = `${'Compiling the next file of the project.\n'.repeat(20)}\n2 tests failed\n\n${'Compiling once more.\n'.repeat(30)}`
  const coded = { ...unchecked, code: 'k7f3' }
  const signed = '<promise code="k7f3">COMPLETE</promise>'
  assert.equal(read(`${log}\n\nAll tests pass now.\n\n${signed}`, coded).exitSignal, true)
  assert.equal(read(`${log}\n\nI could not do it.\n\n${signed}`, coded).exitSignal, false)
})

test('hostile words around a claim are read in passing, however long', () => {
  for (const part of [
    'all but ',
    'when if ',
    'not ',
    '0 of 7 ',
    'nicht mehr ',
    'failed, ',
    '- [ ] x\n',
    'done.\n\n',
    'a',
    '未',
    '| open ',
  ])
    read(`${part.repeat(Math.ceil(300_000 / part.length))}\n${done}`, unchecked)
})
