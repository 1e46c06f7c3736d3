// Gates that wait for an answer, from every door.
import { computed } from '@preact/signals'
import type { Frame } from '#doors/web/wire/frame.ts'
import type { AnsweredList, GateAnswer, GateList } from '#doors/web/wire/gate.ts'
import { request } from '../api/client.ts'
import { loaded } from './loaded.ts'

export const gates = loaded(async () => (await request<GateList>('GET', '/api/gates')).gates)

/** Gates answered since the reader's midnight, latest first. */
export const answeredToday = loaded(async () => {
  const since = new Date(new Date().setHours(0, 0, 0, 0)).toISOString()
  const query = new URLSearchParams({ since })
  return (await request<AnsweredList>('GET', `/api/gates/answered?${query}`)).gates
})

/** Gates that a person can answer here, oldest first: all but the outputs that an API caller owes. */
export const waiting = computed(() => (gates.data.value ?? []).filter(({ kind }) => kind !== 'output'))

/** Answers a gate. Throws ApiFault; the code is `gate_closed` when it was answered elsewhere first. */
export async function answerGate(threadId: string, gateId: string, answer: GateAnswer): Promise<void> {
  try {
    await request('POST', `/api/threads/${threadId}/gates/${encodeURIComponent(gateId)}`, { body: answer })
  } finally {
    await gates.load()
  }
}

/** Applies the frame of a gate that was opened or closed at any door. */
export function applyGate(frame: Extract<Frame, { type: 'gate' }>): void {
  const others = (gates.data.peek() ?? []).filter(({ id }) => id !== frame.id)
  gates.data.value = 'closed' in frame ? others : [...others, frame]
}
