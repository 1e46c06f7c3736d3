// A step is done once: only a fault may make the model be asked again, and never after the reply was read.
import type { Event, History, Rule } from '../history.ts'
import { entriesByTurn } from './log.ts'

export const noRepeat: Rule = {
  name: 'no repeat',
  promise: 'No step of a finished turn is done again; a step is repeated only where a fault interrupted it.',
  check: (history) => [...inLog(history), ...asksAgain(history)],
}

function inLog({ stored }: History): string[] {
  return [...entriesByTurn(stored)].flatMap(([turnId, entries]) => {
    const seen = new Set<string>()
    return entries.flatMap(({ item }) => {
      if (!('callId' in item) || item.type === 'attempt') return []
      const key = `${item.type} of ${item.callId}`
      if (seen.has(key)) return [`turn ${turnId} has a second ${key}`]
      seen.add(key)
      return []
    })
  })
}

function asksAgain({ events, leases }: History): string[] {
  const breaks = new Set(
    events.flatMap((event) => (event.type === 'asked' && event.task === 'break' ? [event.op] : [])),
  )
  const answered = new Set<number>()
  const last = new Map<string, number>()
  const faults = faultSpans(events)
  return events.flatMap((event, at) => {
    if (event.type === 'answered') answered.add(event.op)
    if (event.type !== 'prompted' || breaks.has(event.op)) return []
    const key = `step ${event.step} of op ${event.op}`
    const before = last.get(key)
    last.set(key, at)
    if (answered.has(event.op)) return [`${key} was done after its reply was read`]
    if (before === undefined || leases || faults.some(([from, to]) => from < at && to > before)) return []
    return [`${key} was done twice without a fault between`]
  })
}

/** Where faults began and were over. */
function faultSpans(events: readonly Event[]): [number, number][] {
  const spans: [number, number][] = []
  for (const [at, event] of events.entries()) {
    if (event.type === 'fault') spans.push([at, Number.POSITIVE_INFINITY])
    if (event.type === 'fault-over') {
      const open = spans.find(([, to]) => to === Number.POSITIVE_INFINITY)
      if (open) open[1] = at
    }
  }
  return spans
}
