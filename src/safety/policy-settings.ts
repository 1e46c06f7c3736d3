// What the operator may set of the policy, read from the stored settings: `policy` and `marks_off`.
import { AppError } from '#core/errors.ts'
import { isObject, type Json, type JsonObject } from '#core/json.ts'
import type { Rule } from '#core/policy.ts'
import { markIds } from './marks.ts'
import { type PolicySettings, policyTable } from './policy-table.ts'

const rules: readonly string[] = ['allow', 'ask', 'deny', 'known'] satisfies readonly Rule[]

export type SafetySettings = { readonly policy: PolicySettings; readonly marksOff: readonly string[] }

/** Reads both settings. Throws invalid_config: a rule that was misspelled must not pass for the default. */
export function readSafetySettings(settings: Readonly<Record<string, Json>>): SafetySettings {
  return { policy: readPolicy(settings['policy'] ?? {}), marksOff: readMarksOff(settings['marks_off'] ?? []) }
}

/** The policy with some rows set anew, side by side; null takes a row back. Null when nothing is left; checked elsewhere. */
export function mergePolicy(stored: Json | undefined, rows: JsonObject): JsonObject | null {
  const before = isObject(stored) ? stored : {}
  const merged = Object.entries(rows).map(([id, row]): [string, Json] => {
    const now = Object.hasOwn(before, id) ? before[id] : undefined
    return [id, isObject(now) && isObject(row) ? { ...now, ...row } : row]
  })
  const left = Object.entries({ ...before, ...Object.fromEntries(merged) }).filter(([, row]) => row !== null)
  return left.length > 0 ? Object.fromEntries(left) : null
}

/** The ids of the marks that are off, with some switched, side by side with what others switch. Null when none is left. */
export function mergeMarks(stored: Json | undefined, marks: JsonObject): readonly string[] | null {
  readMarksOff(Object.keys(marks))
  const others = readMarksOff(stored ?? []).filter((id) => !Object.hasOwn(marks, id))
  const off = [...others, ...Object.keys(marks).filter((id) => marks[id] === false)]
  return off.length > 0 ? off : null
}

function readPolicy(value: Json): PolicySettings {
  if (!isObject(value)) throw wrong('policy', 'must be an object of rows, such as {"fetch": {"tainted": "ask"}}')
  for (const [id, row] of Object.entries(value)) {
    if (!policyTable.some((each) => each.id === id)) {
      throw wrong(`policy.${id}`, `is no row: there are ${policyTable.map((each) => each.id).join(', ')}`)
    }
    if (!isObject(row)) throw wrong(`policy.${id}`, 'must be an object with clean, tainted or both')
    for (const [when, rule] of Object.entries(row)) {
      if (when !== 'clean' && when !== 'tainted') throw wrong(`policy.${id}.${when}`, 'must be clean or tainted')
      if (typeof rule !== 'string' || !rules.includes(rule)) {
        throw wrong(`policy.${id}.${when}`, `must be one of ${rules.join(', ')}`)
      }
    }
  }
  return value
}

function readMarksOff(value: Json): readonly string[] {
  const known = Array.isArray(value) && value.every((id) => typeof id === 'string' && markIds.includes(id))
  if (!known) throw wrong('marks_off', `must be a list of ids of marks: ${markIds.join(', ')}`)
  return value as readonly string[]
}

function wrong(name: string, fault: string): AppError {
  return new AppError('invalid_config', `the setting ${name} ${fault} (see \`atrium policy --help\`)`, { param: name })
}
