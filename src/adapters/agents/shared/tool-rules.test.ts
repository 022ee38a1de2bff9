import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaveUncommitted, shellLimits, shellRules, withCommands } from './tool-rules.ts'

const added = (...commands: string[]): string => withCommands('', commands)

test('rules of the shell are told apart: with any arguments, exactly like this, or everything', () => {
  assert.deepEqual(shellRules('Read,Bash(git add *),Bash(npm test:*),Bash(make a, b)'), {
    isOpen: false,
    starts: ['git add', 'npm test'],
    whole: ['make a, b'],
  })
  assert.equal(shellRules('Read,Bash').isOpen, true)
  assert.equal(shellRules('Bash(*)').isOpen, true)
})

test('a command is allowed with other arguments: options at its end are not part of the rule', () => {
  assert.equal(added('npm test'), 'Bash(npm test *)')
  assert.equal(added('go test ./...'), 'Bash(go test *)')
  assert.equal(added('cargo test --workspace --quiet'), 'Bash(cargo test *)')
  assert.equal(added('pytest -q'), 'Bash(pytest *)')
  assert.equal(added('./gradlew test'), 'Bash(./gradlew test *)')
  assert.equal(added('sh scripts/test.sh'), 'Bash(sh scripts/test.sh *)')
})

test('an interpreter alone is never allowed: it would run anything', () => {
  assert.equal(added('node --test'), 'Bash(node --test *)')
  assert.equal(added('python3 -m unittest'), 'Bash(python3 -m unittest *)')
})

test('each part of a command line gets a rule of its own, and what cannot be quoted is left out', () => {
  assert.equal(added('cd web && npm test'), 'Bash(cd web *),Bash(npm test *)')
  assert.equal(
    added('test -d build || meson setup build; meson test -C build'),
    'Bash(test -d build *),Bash(meson setup build *),Bash(meson test -C build *)',
  )
  assert.equal(added("go list -f '{{.Dir}}/...' -m | xargs go test"), 'Bash(go list *),Bash(xargs go test *)')
  assert.equal(added("sh -c 'npm run lint && npm test'"), 'Bash(npm run lint *),Bash(npm test *)')
  assert.equal(added('CI=1 npm test'), 'Bash(npm test *),Bash(CI=1 npm test *)')
  assert.equal(added('"$RUNNER" test'), '')
})

test('what is allowed already is not added again', () => {
  assert.equal(
    withCommands('Read,Bash(npm test *)', ['npm test', 'npm run lint', 'npm run lint']),
    'Read,Bash(npm test *),Bash(npm run lint *)',
  )
  assert.equal(withCommands('Read,Bash', ['npm test']), 'Read,Bash')
})

test('an agent is told which commands it may run, and where it cannot commit', () => {
  assert.equal(
    shellLimits('Read,Bash(git add *),Bash(git commit *),Bash(npm test *)'),
    'Commands that you may run, alone or joined: git (add, commit), `npm test`. Others that change anything are refused.',
  )
  assert.equal(shellLimits('Read,Edit'), `You may not run commands. ${leaveUncommitted}`)
  assert.equal(
    shellLimits('Bash(make)'),
    `Commands that you may run, alone or joined: \`make\`. Others that change anything are refused. ${leaveUncommitted}`,
  )
  assert.equal(shellLimits('Bash'), '')
})
