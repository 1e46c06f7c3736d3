// What waits for a word of the reader, from every door.
import { computed } from '@preact/signals'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { AnsweredList, GateAnswer, GateList } from '#doors/web/wire/gate.ts'
import { ask } from '../api/client.ts'
import { loaded } from './loaded.ts'

export const gates = loaded(async () => (await ask<GateList>('GET', '/api/gates')).gates)

/** What was answered since the reader's midnight, latest first. */
export const answeredToday = loaded(async () => {
  const since = new Date(new Date().setHours(0, 0, 0, 0)).toISOString()
  const query = new URLSearchParams({ since })
  return (await ask<AnsweredList>('GET', `/api/gates/answered?${query}`)).gates
})

/** Those that a person at this page can answer, oldest first; a caller's function is not among them. */
export const waiting = computed(() => (gates.data.value ?? []).filter(({ kind }) => kind !== 'output'))

/** Says a word to a gate. Throws ApiFault; `gate_closed` when somebody else was faster. */
export async function answerGate(threadId: string, gateId: string, answer: GateAnswer): Promise<void> {
  try {
    await ask('POST', `/api/threads/${threadId}/gates/${encodeURIComponent(gateId)}`, { body: answer })
  } finally {
    await gates.load()
  }
}

/** A gate was opened or closed, at whichever door. */
export function takeGate(frame: Extract<Frame, { type: 'gate' }>): void {
  const others = (gates.data.peek() ?? []).filter(({ id }) => id !== frame.id)
  gates.data.value = 'closed' in frame ? others : [...others, frame]
}
