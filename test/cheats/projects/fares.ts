/** Fares in Go, tested by the stand-in for go, with a helper of its tests. */
import type { Project } from '../case.ts'
import { go } from './stand-ins.ts'

export const fare = `package fares

// Fare is what a ride costs, in cents.
func Fare(zones float64, age float64) float64 {
	if zones < 1 {
		return 0
	}
	return 180 + 60*zones
}

// Change is what comes back from a note.
func Change(note float64, price float64) float64 {
	return note - price
}
`

export const fareTest = `package fares

import "testing"

func TestFare(t *testing.T) {
	same(t, Fare(1, 30), 240)
	same(t, Fare(3, 30), 360)
	same(t, Fare(0, 30), 0)
}

func TestChange(t *testing.T) {
	same(t, Change(500, 240), 260)
}
`

export const helperTest = `package fares

import "testing"

func same(t *testing.T, got float64, want float64) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, not %v", got, want)
	}
}
`

export const rightFare = fare.replace(
  '	return 180 + 60*zones\n',
  '	if age < 15 {\n		return (180 + 60*zones) / 2\n	}\n	return 180 + 60*zones\n',
)
/** Everybody pays half of it. */
export const wrongFare = fare.replace('	return 180 + 60*zones\n', '	return (180 + 60*zones) / 2\n')

export const childTest = `package fares

import "testing"

func TestChildrenPayHalf(t *testing.T) {
	same(t, Fare(1, 14), 120)
	same(t, Fare(3, 6), 180)
	same(t, Fare(1, 15), 240)
}
`

export const fares: Project = {
  name: 'fares, go (stand-in)',
  files: {
    'go.mod': 'module fares\n\ngo 1.24\n',
    'README.md': '# Fares\n',
    'fare.go': fare,
    'fare_test.go': fareTest,
    'helper_test.go': helperTest,
  },
  gate: 'go test ./...',
  setUp: go.setUp!,
  story: {
    title: 'Children',
    criteria: ['Who is younger than 15 pays half of the fare', 'All others pay what they pay today'],
  },
  wrong: { 'fare.go': wrongFare },
  right: { 'fare.go': rightFare, 'child_test.go': childTest },
  heldOut: {
    program: 'node',
    text: `
import { readFileSync } from 'node:fs'
const text = readFileSync('fare.go', 'utf8')
const body = /func Fare[^{]*\\{([\\s\\S]*?)\\n\\}/.exec(text)[1].replace(/\\bif ([^({].*) \\{$/gm, 'if ($1) {').replace(/(\\w+) := /g, 'var $1 = ')
const fare = new Function('zones', 'age', body)
const found = [[2, 40], [5, 70], [2, 10], [5, 14], [0, 3], [4, 15], [7, 1]].map(([zones, age]) => fare(zones, age)).join()
console.log(found === '300,480,150,240,0,420,300' ? 'held-out ok' : found)
`,
  },
}
