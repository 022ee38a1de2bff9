import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds, read, statusBlock, tag } from '../../../test/support/answers.ts'
import { defaultPromise, type ReadingOptions } from './reading.ts'

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

/** Each between slashes, or on lines of its own; ⏎ is a line end in it. */
const each = (table: string): string[] =>
  table
    .trim()
    .split(/ \/ |\n {2}/)
    .map((words) => words.replaceAll('⏎', '\n'))

const denials = each(`
  I could not do it. / I couldn't do it. / Nothing works. 0 of 7 done. / If everything worked I would say
  If everything worked, I would say: / I would say this if it were true. / When all tests pass, I will print this:
  Once the key is there, it will be complete. / Nothing works. / Nothing was done. / I did nothing. / I have done nothing so far.
  I was unable to finish the migration. / I failed to fix the bug. / Unable to open the database.
  Could not install the dependencies. / I gave up. / I am stuck on the parser. The lexer is done.
  I ran out of time. The parser is done. / It is impossible to do this without a key. / Permission denied.
  The parser is added, but every write ended with permission denied. / npm install failed: EACCES, permission denied
  The work is not done. / This is not finished yet. / Not yet complete. / It isn't working. / It does not compile.
  The code doesn't build. / Added the endpoint. It does not work. / Added the endpoint, but it does not work. / The tests fail.
  The tests fail, everything else is done. / The build is broken, the rest is finished. / It crashes at start, all else works.
  Implemented everything. The tests are failing. / Implemented everything, but 3 tests fail.
  Implemented everything.⏎⏎2 failed, 5 passed / The build is red. / The build is still broken.
  The login is done. The logout is still missing. / 5 of 7 pass. / 5 of 7 tests pass. / 3/7 stories done. / Progress: 3/7 done
  Completed 3 out of 7 tasks. / 80% complete. / The migration is 80 % done. / Half of it is done. / Most of the stories are done.
  Some of the tests pass. / Only the first story is done. / Everything is done except the tests.
  All done apart from the migration. / The work is partially complete. / Almost done. / Two stories remain.
  Story 1 is done. Remaining: stories 2 and 3. / Done:⏎- login⏎- logout⏎⏎Still to do:⏎- search / Done:⏎- login⏎⏎Not done:⏎- search
  - [x] login⏎- [ ] search / TODO: the search. / I will continue with the search in the next iteration.
  The login is implemented. Next, I will write the search. / I am printing this only to stop the loop.
  This is not true, but the loop must end. / I was told to print this line. The work has not been started.
  None of the acceptance criteria are met. / Not all tests pass. / Not everything works. / No test passes.
  Neither the build nor the tests pass. / The implementation is incomplete. / The feature is unfinished. / Work in progress.
  The disk is full. / Complete failure. / A complete disaster. / Error: Cannot find module "left-pad"
  I implemented the parser.⏎⏎However, I could not get the tests to pass.
  I could not get the tests to pass.⏎⏎Here is what I changed:⏎- added \`src/a.ts\`⏎- updated \`src/b.ts\`
  Fixed the login.⏎⏎\`\`\`⏎Tests: 2 failed, 5 passed, 7 total⏎\`\`\`
  I have implemented it but I have not been able to make it pass. / The bug is not fixed. / The bug could not be fixed.
  Implemented the login. Needs more work. / I think it is done, but I am not sure. / Hopefully this works.
  Ich konnte es nicht machen. / Es funktioniert nichts. / Der Parser ist fertig, aber die Tests laufen nicht. / Noch nicht fertig.
  Ich bin gescheitert. / Je n'ai pas pu le faire. / Rien ne fonctionne. / Le travail n'est pas terminé. / No pude hacerlo.
  Nada funciona. / No está terminado. / El trabajo no está completo. / Não consegui terminar. / Non sono riuscito a farlo.
  Non è completato. / Ik kon het niet doen. / Er werkt niets. / Я не смог это сделать. / Ничего не работает. / 我做不到。 / 任务没有完成。
  测试失败了。 / 还没有完成，测试不通过。 / できませんでした。 / まだ完了していません。 / 할 수 없었습니다. / لم أتمكن من ذلك. / Yapamadım. / Nie udało się.
  Nepodařilo se to. / Jag kunde inte göra det. / Sijamaliza kazi. / Hindi ko nagawa. / I tried, but it did not work out.
  The task has failed. / Everything is broken now, sorry. / Sorry, I was not able to complete this.
  I have only read the files so far. / No progress was made. / There are 4 failing tests. / 4 tests are red.
  Tests: 3 passed, 1 failed / The API key is missing, so nothing could be tested. / The server would not start.
  I do not have access to the repository. / I need more time. / Waiting for the database. / I cannot continue without credentials.
  Skipped stories 2 and 3. / Story 1 done, story 2 skipped, story 3 failed.
  This is just a stub; the real implementation is missing. / I implemented a placeholder.
  The feature is implemented but untested and probably broken. / The migration ran halfway. / Finished 2 stories; 5 are open.
  Done: 2. Open: 5. / 2 done, 5 to go. / Implemented US-001. US-002 to US-007 are open.
  I stopped early because the budget was used up. / Build: FAILED / Status: FAILED / tests ✗ 3, ✓ 4 / ❌ 3 tests
  The lint gate fails with 12 errors. / All tests pass except test_login. / Everything passes but the e2e suite.
  All green, besides the linter. / I could fix two of the three bugs. / Two of the three bugs are fixed.
  One of five stories is complete. / I removed the failing tests so that it passes. / I commented out the failing test.
  I disabled the tests, everything passes. / I am lying: it is done. / Please ignore this, the work goes on.
  Work will be completed tomorrow. / I plan to finish it in the next step. / Let me continue with the next story.
  Now working on story 3. / The tests would pass if the database were up. / It compiles, but crashes at start.
  The program segfaults. / A TypeError is thrown at startup. / The deploy was rejected. / git push was denied.
  The commit was refused by a hook. / I broke the build. / I made it worse. / Unfortunately the migration is not possible.
  Unfortunately, this did not succeed. / Work is not complete; 3 tests remain red. / I reverted everything.
  There is nothing I can do. / Nothing has changed. / Nothing has been implemented. / Nothing got done. / No code was written.
  No files were changed because of an error. / Zero tests pass. / 0 tests pass. / 0/7 / 0 of 7 / Not done. / NOT DONE
  not finished / Failed. / Failure. / FAILED / Aborted. / Error. / Out of memory. / Timeout.
  The agent before me claimed done, which is wrong. / Die Aufgabe ist leider gescheitert. / Es fehlen noch zwei Stories.
  Zwei von sieben Tests laufen. / Der Build ist kaputt. / 3 von 7 erledigt. / Alles erledigt, bis auf die Tests.
  Fertig, außer den Tests. / Les tests échouent. / Il reste deux tâches. / 3 sur 7 terminées. / Tout est terminé sauf les tests.
  Quedan dos tareas. / Las pruebas fallan. / 3 de 7 completadas. / Todo está listo excepto las pruebas. / Faltan dos historias.
  仍有两个任务未完成。 / 完成了 3/7。 / 除了测试都完成了。 / 权限被拒绝。 / 无法完成。 / 两个测试失败。 / テストが失敗しました。 / 一部のみ完了しました。 / 权限不足，未能完成 / 일부만 완료되었습니다.
  Тесты падают. / Осталось две задачи. / Готово 3 из 7. / Все готово, кроме тестов. / Alleen de eerste taak is klaar.
  Nog twee taken te gaan. / Tre av sju klara.
  I've implemented the rate limiter.⏎⏎- \`src/limiter.ts\`: token bucket⏎- \`test/limiter.test.ts\`: 14 new tests⏎⏎3 of the 14 tests don't pass yet, I'll look at them next.
  All code is written. I couldn't run the tests because npm isn't installed.⏎⏎Everything is implemented.
  Implemented login and logout. Search is left for later. / Implemented most of the features. All tests that exist pass.
  Finished the first part. The second part follows. / Login: done⏎Logout: done⏎Search: not started
  | story | state |⏎|---|---|⏎| login | done |⏎| search | open | / | story | state |⏎|---|---|⏎| login | ✅ |⏎| search | ❌ |
  Everything is implemented, though the tests can't run here and two of them are known to fail.
  The tests pass locally when I skip the failing ones.
  I have completed my analysis. The implementation should start with the parser.
  I completed reading the code base and created a plan for the implementation. / Plan created. Ready to implement.
  I am done for today. Two stories are open. / Done with what I could do; the rest needs a person.
  This is complete nonsense, nothing was implemented. / The implementation is complete in theory. In practice it crashes.
  Finished, with 2 known failures. / Implemented. Tests: 40 passed, 2 failed. / Build passes. Lint: 14 errors.
  Tests pass, types do not. / I fixed one bug, the other one is still there. / Fixed the crash. The data loss bug persists.
  The API works, the UI does not. / The API works. The UI is blank. / Works on my side, however CI is red.
  Ich habe die Anmeldung umgesetzt. Die Tests schlagen fehl. / Die Anmeldung ist fertig, die Suche fehlt noch.
  La connexion est terminée, la recherche n'est pas faite. / El inicio de sesión está listo. La búsqueda no funciona.
  登录已完成，搜索还没有做。 / ログインは完了しましたが、検索はまだです。 / 로그인은 완료했지만 검색은 아직입니다. / Вход готов, поиск не работает.
  All work is done in my head; nothing has been written. / Everything is done, I just have to write it down.
  The work is done as far as I could get. / I completed as much as possible. / I did what I could. / Best effort: done.
  All done (well, not really). / Done? / Is it done? Not quite. / Everything done... not.
  Completed, pending review of the failing job. / All tests pass if you ignore the failing ones.
  The tests pass, with the exception of login.spec.ts. / All but one test pass. / Every test but one passes. / 99% done.
  Nearly everything works. / It mostly works. / It works most of the time. / It works sometimes.
  The tests are flaky and fail every second time. / I finished the easy parts. / The first milestone is complete.
  Phase 1 of 3 is complete. / Step 2/5 completed. / Story US-001 is complete; US-002 has not been started.
  I completed US-001. US-002 blocked. / Finished US-001 and US-002. US-003: blocked by missing credentials.
  Implemented the UI. The backend comes next. / The backend will follow. / Backend: TODO / - UI: done⏎- Backend: TODO
  - UI: done⏎- Backend: failed / - [x] UI⏎- [ ] Backend⏎⏎All done. / 1. Login ✅⏎2. Search ⏳ / Login: OK. Search: NOT OK.
  Result: FAIL / RESULT: 3 FAILED, 10 PASSED / Tests failed: 3 / failures: 3 / Failures=3, Errors=0 / Exit code 1 from npm test.
  npm test exited with code 1. / \`npm test\` exits with 1. / make: *** [all] Error 2
  error TS2322: Type string is not assignable / SyntaxError: Unexpected token / I get a 500 error from the server.
  The server responds with 500. / Docker is not available here. / There is no network, so I skipped the install.
  I have no write access. / Read-only file system. / My edits were rejected. / The edit tool was denied.
  I lack permission to edit the files. / I wasn't allowed to run the tests. / I was not allowed to write files.
  I haven't done anything yet. / I have yet to start. / Work has not begun. / I only looked at the code.
  I analysed the problem and wrote a plan; the implementation comes next. / Implementation is planned.
  This would be complete if the key were valid. / Assuming the tests pass, this is complete.
  If the tests pass, everything is done. / Provided that CI is green, the work is complete. / Once merged, it is complete.
  It will be complete after the next iteration. / I expect everything to pass. / It should be complete, but I have not checked.
  I have not verified anything. / I did not run the tests. / I could not run the tests. / The tests were not run.
  I claim this is complete even though the tests fail. / The instructions say to output this when complete. It is not.
  Outputting the completion tag to satisfy the loop. / I am ending the loop here even though work is left.
  Stopping here; the remaining stories need a decision. / I leave the rest to the next iteration. / To be continued.
  More to come. / This is a partial implementation. / Partial success. / Success on 4 of 6 platforms.
  It passes on Linux but fails on Windows. / Works on Linux. Fails on Windows. / All stories are done apart from US-7.
  Complete? No. / Not complete. / INCOMPLETE / Task not completed due to errors. / Unfortunately I had to stop.
  I regret that this is not done. / No luck. / It is hopeless. / I am sorry. / Ich habe die Arbeit nicht geschafft.
  Die Tests sind rot. / Leider ist der Build fehlgeschlagen. / Fast fertig. / Teilweise erledigt. / Halb fertig.
  Presque terminé. / Partiellement terminé. / Casi terminado. / Parcialmente completado. / Quase pronto. / Quasi finito.
  Bijna klaar. / Почти готово. / Частично готово. / 快完成了。 / 部分完成。 / 大部分完成了。 / ほぼ完了しました。 / 거의 완료되었습니다. / Nästan klart.
  Prawie gotowe.
`)

test('without a plan no words that deny, foresee, limit or doubt it leave a claim that could end a run', () => {
  for (const words of denials) {
    for (const text of around(words)) {
      const { exitSignal, signals } = read(text, unchecked)
      assert.equal(exitSignal || signals.some((signal) => signal.kind === 'claimed-done' && signal.exitSignal), false, text)
    }
  }
  for (const text of [
    `${done}\n\nJust kidding, nothing works.`,
    `${done}\n\nNote: 3 tests still fail.`,
    `${done}\nI could not do it, though.`,
    `${statusBlock('STATUS: IN_PROGRESS', 'TESTS_STATUS: FAILING', 'EXIT_SIGNAL: false')}\n\n${done}`,
    statusBlock('STATUS: COMPLETE', 'TESTS_STATUS: FAILING', 'EXIT_SIGNAL: true'),
    statusBlock('STATUS: COMPLETE', 'TESTS_STATUS: 2 failed', 'EXIT_SIGNAL: true'),
    statusBlock('STATUS: COMPLETE', 'EXIT_SIGNAL: true', 'RECOMMENDATION: nothing works yet, go on with the parser'),
    `I could not do it: ${done}`,
    `Nothing works. ${done}`,
  ])
    assert.equal(read(text, unchecked).exitSignal, false, text)
})

const honest = [
  '',
  ...each(`
  Done. / All done! / All of it. / Everything is in. / Now it is. / Well then. / Everything is done. / All tests pass.
  All 7 of 7 stories are done. / 7/7 tasks completed. / All acceptance criteria are met. / The work is complete and committed.
  I implemented the login form and all tests pass. / Nothing is left to do. / There is nothing left to do.
  Nothing else needs to be done: everything is implemented. / No further action is needed.
  No changes needed: everything was already implemented. / The cache is not needed any more, so I removed it.
  Tests: 12 passed, 0 failed. / The linter reports no errors, and the build passes. / No errors, no warnings. Finished.
  0 errors, 0 warnings; the build is green. / Fixed the failing tests. / Fixed 3 failing tests; all 12 pass now.
  The test failed because of a race. I fixed it, and it passes now. / The build was broken by a missing import; that is fixed.
  The login no longer fails for users without a name. / Added a test for failed logins. All tests pass.
  Added error handling: a missing file is reported instead of a crash.
  Users who are not logged in are now sent to the login page. All tests pass.
  The function returns null if the user does not exist. I added tests for it, and they pass.
  I did not touch the API. The login is finished.
  I did not write new tests, since the existing ones cover it. Everything passes.
  I could not find any remaining issues. All tests pass. / Remaining work: none. Everything is done.
  Remaining: nothing.⏎All stories are complete. / None of the tests fail. / Not a single test fails. Done.
  Coverage went from 72% to 91%. All tests pass. / Reduced the size of the bundle by 40%. The work is finished.
  I changed 3 of the 12 files; all 40 tests pass. / When a request times out, the client now retries. Tests added, all green.
  Summary:⏎- Added \`src/login.ts\`⏎- Fixed the crash when the list is empty⏎- Removed the broken flag⏎- All 31 tests pass
  ## Done⏎⏎- [x] login⏎- [x] logout⏎⏎All tests pass.
  At first the migration failed with "permission denied". I corrected the grants and it runs now.⏎⏎All 5 stories are done.
  I could reproduce the bug: the parser did not handle empty lines. I added a check, and a test that failed before and passes now.⏎⏎Everything is committed.
  Implemented the export.⏎⏎\`\`\`⏎Tests: 31 passed, 31 total⏎\`\`\`
  Before:⏎⏎\`\`\`⏎2 failed, 5 passed⏎\`\`\`⏎⏎I fixed both. After:⏎⏎\`\`\`⏎7 passed, 0 failed⏎\`\`\`⏎⏎All is done.
  The task was to remove the retry if a call fails. It is removed, and the tests pass.
  You can start it with \`npm start\`. If you want another port, set PORT. Everything is implemented and tested. / Alles erledigt.
  Alle Tests laufen durch, keine Fehler. Fertig. / Die Anmeldung ist umgesetzt, alle Tests sind grün.
  Der Fehler tritt nicht mehr auf, alle Tests sind bestanden. / Es ist nichts mehr zu tun, alles ist abgeschlossen.
  Tout est terminé. / Toutes les tâches sont terminées, aucune erreur. / J'ai corrigé le bogue et tous les tests passent.
  Il ne reste plus rien à faire, tout est terminé. / Todo está terminado.
  He implementado el inicio de sesión y todas las pruebas pasan. / Todas las tareas están completadas, sin errores.
  Ya no hay errores: todo está completado. / Tudo concluído. / Tutti i test passano, lavoro completato. / Alle taken zijn klaar.
  Всё готово, тесты проходят. / 所有任务已完成，测试全部通过。 / 全部完成，没有错误。 / 已修复失败的测试，现在全部通过。 / すべて完了しました。エラーはありません。 / 모든 작업이 완료되었습니다.
  Implemented OAuth login. / I have refactored the parser and updated its documentation.
  The refactoring is complete; behaviour is unchanged. / All gates are green. / Finished. See CHANGELOG.md for details.
  The bug was that errors were not caught. They are caught now, and a test proves it. / Both bugs are fixed.
  Added retries: when the network fails, the request is sent again (3 times). Tests cover it.
  Removed dead code that nobody used. The build passes. / The config file is now optional; without it, defaults apply. Done.
  Replaced the deprecated API. No behaviour change. All 120 tests pass.
  I verified it by hand too: login, logout, and wrong password all behave as specified. / No open questions. The work is complete.
  Everything in the task description is implemented and tested, and nothing is missing. / The failing CI job is green again.
  \`npm test\`: 45 passing, 0 failing. Complete. / Tests: 45 passed, 45 total / ok 45 tests
  The error message now says which file is missing. Done. / It took three attempts, but all tests pass now.
  The first approach failed, so I took another one, which works. All tests pass. / I fixed the test that was failing on Windows.
  Was failing: 3. Now failing: 0. All done. / The task is completed as requested. You will need to restart the server to see it.
  Done. If you want, I can also add a dark mode. / Done. Let me know if you need anything else.
  Note: the old endpoint still exists for compatibility, as requested. Everything is implemented.
  I did not need to change the database. All criteria are met.
  Added validation so that users cannot submit an empty form. Tests pass.
  The cache never returns stale entries now. Tests added and passing. / Nothing broke: the whole suite passes.
  I only had to change one line; all tests pass. / Only two files changed. The fix is verified.
  Changed 2 files, 1 test added. Finished. / Die Funktion ist implementiert und getestet.
  Alle Aufgaben sind erledigt, alle Tests bestanden. / Der Fehler wurde behoben.
  Es gibt keine offenen Punkte mehr, alles ist fertig. / Le bogue est corrigé, tous les tests sont verts.
  Le travail est terminé. / Se corrigió el error y todas las pruebas pasan. / El trabajo está completo.
  O trabalho está concluído. / Il lavoro è completato. / Het werk is klaar. / Работа завершена. / 任务完成。 / 已完成所有功能并通过测试。
  全てのテストが通りました。完了です。 / 작업 완료. / Arbetet är klart.
  I've implemented the rate limiter.⏎⏎**What changed**⏎- \`src/limiter.ts\`: token bucket with a sliding window; when the bucket is empty, requests are rejected with 429⏎- \`src/server.ts\`: wires it in; it is skipped for health checks⏎- \`test/limiter.test.ts\`: 14 new tests, including the failure cases (no key, expired key, clock going back)⏎⏎**Verification**⏎- \`npm test\`: 142 passed, 0 failed⏎- \`npm run lint\`: no problems⏎⏎I did not change the public API, so no migration is needed.
  ## Summary⏎⏎The flaky test was caused by a race between the watcher and the writer: the watcher could not see the file before the rename. I now wait for the rename event instead of polling.⏎⏎1. Reproduced the failure (failed 7 of 100 runs before)⏎2. Fixed the race in \`watch.ts\`⏎3. Ran it 500 times: 0 failures⏎⏎All tests pass and the work is committed.
  Everything was already in place: the endpoint exists, its tests pass, and the docs describe it. No changes were necessary.
  The bug is fixed. The cause: \`parse()\` didn't handle CRLF, so the last field was never trimmed. There's a regression test now.
  All tasks from fix_plan.md are complete:⏎⏎- [x] Add login⏎- [x] Add logout⏎- [x] Handle errors when the session can't be restored⏎⏎Test results: 58 passing, 0 failing, 2 skipped (they need a browser).
  Done! The migration script handles missing columns, broken rows are logged and skipped, and nothing is lost.⏎⏎To run it:⏎⏎\`\`\`⏎npm run migrate -- --dry-run⏎\`\`\`
  Implementation complete. Key decisions:⏎⏎- Retries: at most 3; after that the error is shown to the user⏎- Timeouts: 30 s, no longer infinite⏎- Logs: only errors are kept⏎⏎All acceptance criteria are met.
  Ich habe die Anmeldung umgesetzt. Wenn das Passwort falsch ist, erscheint eine Meldung.⏎⏎Alle 24 Tests sind grün, die Arbeit ist abgeschlossen.
  J'ai ajouté la page de connexion et corrigé l'erreur qui empêchait la déconnexion. Tous les tests passent.
  He añadido la página de inicio de sesión. Todas las pruebas pasan y el trabajo está terminado.
  我已经实现了登录功能：⏎- 添加了登录页面⏎- 修复了会话过期时崩溃的问题⏎⏎所有测试都已通过，任务完成。 / ログイン機能を実装しました。テストはすべて成功しています。作業は完了です。
  The refactoring is finished. I kept the old names as aliases so that nothing breaks for existing users.
  Task complete. The old implementation is gone; \`grep\` finds no remaining references to it.
  All 3 bugs are fixed:⏎1. Crash on empty input — fixed by checking for null⏎2. Wrong total when a discount fails to load — now falls back to 0⏎3. Missing translation — added⏎⏎Tests added for each; the suite passes.
  Works as specified now. I tested it with Node 20 and 22.
  Added the CLI flag \`--json\`. Exit code is 1 if the check fails and 0 otherwise. Tests and docs updated.
  The PR feedback is addressed: renamed the helper, removed the unused import, and covered the error path with a test. CI is green.
  Completed the work on the parser. No known issues remain.
  Everything is implemented, tested and documented. The last failing test (timeouts on slow disks) passes since the retry was added.
  All 12 stories pass; the two that failed yesterday were fixed in commit abc123.
  Work complete: the error page is shown when the server is down, and requests that fail are retried.
  The feature is complete. It rejects invalid tokens, refuses expired ones, and logs denied requests. / Done. Nothing blocked me.
  All checks pass: lint 0 errors, types 0 errors, tests 210 passed.
  Finished the migration; no data was lost and no downtime is expected. / I have completed all the tasks in the plan. No blockers.
  The job is done. Not required, but I also added docs. / Everything works; I did not have to change the schema.
  All tests pass (exit code 0). / Tests: 210 passed, 0 failed, 3 skipped. All done.
  Build succeeded with 0 warnings. Task complete. / The crash on startup is fixed and the fix is covered by a test.
  Completed. Before this change 4 tests failed; now all 210 pass.
  All of the acceptance criteria pass, including the error cases.
  The task is complete. No code was changed because the feature already existed and its tests pass.
  I implemented everything in PROMPT.md and all tests are green. / Fertig: Alle Kriterien sind erfüllt und die Tests sind grün.
  Die Aufgabe ist abgeschlossen. Es gab keine Probleme. / Tâche terminée, tous les tests passent.
  La tarea está terminada y todas las pruebas pasan. / 任务已全部完成，所有测试通过。 / Все задачи выполнены, тесты проходят.
`),
]

const description = [
  'The upload page is finished.',
  '- A spinner is shown while a request is pending; when a file is missing or cannot be read, the user is told',
  '- All requests except GET need a token; users who have not completed the first step are sent back to it',
  '- The retry is skipped if the server says that the job is in progress, and nothing is uploaded yet in that case',
  '- Sometimes two uploads have the same name: the second one gets a number, and only the first half of the name is kept',
  '- Progress is shown in percent (80% complete), and what remains to be uploaded is shown beside it',
  '',
  'All 40 tests pass.',
].join('\n')

test('what a long answer describes between its beginning and its end is the program, and not the state of the work', () => {
  assert.equal(read(`${description.replace('\n', '\n\n')}\n\n${done}`, unchecked).exitSignal, true)
  for (const words of [
    '- I could not get the upload to work',
    '- Not done: the search',
    '- [ ] search',
    '- 5 of 7 tests pass',
    '- 2 tests fail',
  ])
    assert.equal(read(`${description.replace('\n', `\n\n${words}\n`)}\n\n${done}`, unchecked).exitSignal, false, words)
})

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
