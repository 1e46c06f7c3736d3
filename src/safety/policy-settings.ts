// The operator's safety settings, read from the stored settings `policy` and `marks_off`.
import { AppError } from '#core/errors.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import type { Rule } from '#core/policy.ts'
import { markIds } from './marks.ts'
import { type PolicySettings, policyTable } from './policy-table.ts'

const rules: readonly string[] = ['allow', 'ask', 'deny', 'known'] satisfies readonly Rule[]

export type SafetySettings = { readonly policy: PolicySettings; readonly marksOff: readonly string[] }

/** Reads both settings. Throws invalid_config, since a misspelled rule must not fall back to the default. */
export function readSafetySettings(settings: Readonly<Record<string, Json>>): SafetySettings {
  return { policy: readPolicy(settings['policy'] ?? {}), marksOff: readMarksOff(settings['marks_off'] ?? []) }
}

/** Merges rows into the stored policy; a null row resets it. Null if no row is left. Does not validate. */
export function mergePolicy(stored: Json | undefined, rows: JsonObject): JsonObject | null {
  const before = isObject(stored) ? stored : {}
  const merged = Object.entries(rows).map(([id, row]): [string, Json] => {
    const old = Object.hasOwn(before, id) ? before[id] : undefined
    return [id, isObject(old) && isObject(row) ? { ...old, ...row } : row]
  })
  const left = Object.entries({ ...before, ...Object.fromEntries(merged) }).filter(([, row]) => row !== null)
  return left.length > 0 ? Object.fromEntries(left) : null
}

/** Switches some marks on or off and keeps the others. Returns the ids that are off, or null if none is. */
export function mergeMarks(stored: Json | undefined, marks: JsonObject): readonly string[] | null {
  readMarksOff(Object.keys(marks))
  const others = readMarksOff(stored ?? []).filter((id) => !Object.hasOwn(marks, id))
  const off = [...others, ...Object.keys(marks).filter((id) => marks[id] === false)]
  return off.length > 0 ? off : null
}

function readPolicy(value: Json): PolicySettings {
  if (!isObject(value)) throw invalid('policy', 'must be an object of rows, such as {"fetch": {"tainted": "ask"}}')
  for (const [id, row] of Object.entries(value)) {
    if (!policyTable.some((each) => each.id === id)) {
      throw invalid(
        `policy.${id}`,
        `is not a row of the policy; the rows are ${policyTable.map((each) => each.id).join(', ')}`,
      )
    }
    if (!isObject(row)) throw invalid(`policy.${id}`, 'must be an object with clean, tainted or both')
    for (const [when, rule] of Object.entries(row)) {
      if (when !== 'clean' && when !== 'tainted') throw invalid(`policy.${id}.${when}`, 'must be clean or tainted')
      if (typeof rule !== 'string' || !rules.includes(rule)) {
        throw invalid(`policy.${id}.${when}`, `must be one of ${rules.join(', ')}`)
      }
    }
  }
  return value
}

function readMarksOff(value: Json): readonly string[] {
  const known = Array.isArray(value) && value.every((id) => typeof id === 'string' && markIds.includes(id))
  if (!known) throw invalid('marks_off', `must be a list of mark ids: ${markIds.join(', ')}`)
  return value as readonly string[]
}

function invalid(name: string, fault: string): AppError {
  return new AppError('invalid_config', `the setting ${name} ${fault} (see \`atrium policy --help\`)`, { param: name })
}
