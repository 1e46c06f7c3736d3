// Every row of the leak rules finds the shortest key of its format under its own name, and leaves a shorter one alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leakRules } from '#safety/leak-rules.ts'
import { createLeakScan } from '#safety/leaks.ts'
import { leakSamples } from './leak-samples.ts'

const scan = createLeakScan()
const samples = leakSamples()

test('every beginning of every format is found as its own, with all of the key', () => {
  const missed = samples.filter(({ id, text }) => {
    return !scan.find(`x ${text} y`).some(({ rule, end }) => rule === id && end >= 2 + text.length - 1)
  })
  assert.deepEqual(missed, [])
})

test('a key that is one character too short is none of its format', () => {
  const found = samples.filter(({ id, nearMiss }) => {
    return nearMiss !== undefined && scan.find(`x ${nearMiss} y`).some(({ rule }) => rule === id)
  })
  assert.deepEqual(found, [])
})

test('every rule has a sample for each of its beginnings', () => {
  const known = new Set(samples.map(({ id, beginning }) => `${id} ${beginning}`))
  const all = leakRules.flatMap(({ id, anchors }) => anchors.map((anchor) => `${id} ${anchor}`))
  assert.deepEqual(
    all.filter((each) => !known.has(each)),
    [],
  )
})
