import assert from 'node:assert/strict'
import { test } from 'node:test'
import { innerEnv } from '../sandbox/environment.ts'
import { withSettings, withWholeSettings } from './settings.ts'

const users = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.extraHeader', GIT_CONFIG_VALUE_0: 'of the user' }

test('settings come after those that the environment has, or first where it has none', () => {
  assert.deepEqual(withSettings({ HOME: '/h', ...users }, { 'a.b': '1', 'c.d': '2' }), {
    HOME: '/h',
    ...users,
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_1: 'a.b',
    GIT_CONFIG_VALUE_1: '1',
    GIT_CONFIG_KEY_2: 'c.d',
    GIT_CONFIG_VALUE_2: '2',
  })
  assert.deepEqual(withSettings({}, { 'a.b': '1' }), { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: '1' })
})

test('an environment without settings stays as it is', () => {
  assert.deepEqual(withWholeSettings({ HOME: '/h', GIT_CONFIG_NOSYSTEM: '1' }), { HOME: '/h', GIT_CONFIG_NOSYSTEM: '1' })
  assert.deepEqual(withWholeSettings({ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b' }), {})
})

test('git in a sandbox is not refused for the number of a setting that stayed outside: those that pass are counted anew', () => {
  const outside = { PATH: '/bin', ...users }
  const inner = innerEnv(withSettings(outside, { 'core.fsmonitor': 'false' }), outside, [], [])
  assert.deepEqual(inner, {
    PATH: '/bin',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: 'false',
  })
  const named = innerEnv(withSettings(outside, { 'core.fsmonitor': 'false' }), outside, [], Object.keys(users))
  assert.deepEqual(named, withSettings(outside, { 'core.fsmonitor': 'false' }))
})
