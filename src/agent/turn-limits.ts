// The limits of one turn. Each ends the turn with a stable code and a message that says what to do.
import { hash } from 'node:crypto'
import { canonical } from '#core/json.ts'
import type { Call, Item } from '#core/item.ts'
import { type TurnError, defaultMinutes, defaultSteps } from '#core/turn.ts'

export type Bounds = {
  readonly steps: number
  readonly minutes: number
  readonly sameCall: number
  readonly failuresInARow: number
}

export const defaultBounds: Bounds = { steps: defaultSteps, minutes: defaultMinutes, sameCall: 4, failuresInARow: 5 }

/** Longer arguments are compared as the model wrote them: parsing them takes long. */
const maxParsedChars = 4_000

/** The items of a turn, and the number of model calls in it. */
export type Progress = {
  readonly items: readonly Item[]
  readonly steps: number
  /** What is the same for calls that do the same. By default it is worked out for each call of the turn. */
  readonly keyOf?: CallKey
}

export type CallKey = (call: Call) => string

/** Works the key of a call out once: a turn looks at all its calls before each model call. */
export function createCallKeys(): CallKey {
  const known = new WeakMap<Call, string>()
  return (call) => {
    const key = known.get(call) ?? callKey(call)
    known.set(call, key)
    return key
  }
}

/** The limit that forbids another model call, if one does. */
export function reachedBound({ items, steps, keyOf = callKey }: Progress, bounds: Bounds): TurnError | undefined {
  if (steps >= bounds.steps) {
    return {
      code: 'step_limit',
      message: `the turn asked the model ${steps} times without coming to an end: send a message to go on, or make the task smaller`,
      limit: { kind: 'steps', max: bounds.steps },
    }
  }
  return repeatedCall(items, keyOf, bounds.sameCall) ?? failingTool(items, bounds.failuresInARow)
}

function repeatedCall(items: readonly Item[], keyOf: CallKey, limit: number): TurnError | undefined {
  const seen = new Map<string, number>()
  for (const item of items) {
    if (item.type !== 'call') continue
    const key = keyOf(item)
    const times = (seen.get(key) ?? 0) + 1
    if (times >= limit) {
      return {
        code: 'repeated_call',
        message: `the model called ${item.name} ${times} times with the same arguments: say what is missing, or try another model`,
        limit: { kind: 'same_call', max: limit, tool: item.name },
      }
    }
    seen.set(key, times)
  }
  return undefined
}

function callKey({ name, args }: Call): string {
  return `${name} ${args.length > maxParsedChars ? hash('sha256', args) : canonicalArgs(args)}`
}

/** Arguments in canonical form: white space and key order do not matter, every digit of a number does. */
function canonicalArgs(args: string): string {
  try {
    const digits = (_: string, value: unknown, context?: { source: string }): unknown =>
      typeof value === 'number' ? [context?.source] : value
    return canonical(JSON.parse(args, digits))
  } catch {
    return args
  }
}

function failingTool(items: readonly Item[], limit: number): TurnError | undefined {
  const calls = new Map<string, Call>()
  const failures = new Map<string, number>()
  for (const item of items) {
    if (item.type === 'call') calls.set(item.callId, item)
    if (item.type !== 'result') continue
    const name = calls.get(item.callId)?.name
    if (name === undefined) continue
    const inARow = item.error ? (failures.get(name) ?? 0) + 1 : 0
    if (inARow >= limit) {
      return {
        code: 'failing_tool',
        message: `${name} failed ${inARow} times in a row, last with: ${item.output.slice(0, 200)}`,
        limit: { kind: 'failures_in_a_row', max: limit, tool: name },
      }
    }
    failures.set(name, inARow)
  }
  return undefined
}
