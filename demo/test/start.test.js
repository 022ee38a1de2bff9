import assert from 'node:assert/strict'
import test from 'node:test'
import * as roman from '../src/roman.js'

test('the module can be loaded', () => assert.equal(typeof roman.toRoman, 'function'))
