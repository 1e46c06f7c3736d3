// The answer to a message for a thread that waits at a gate: the words of the gate. Nothing is stored but the point of the
// client's history.
import type { FastifyReply } from 'fastify'
import { newId } from '#core/ids.ts'
import { noUsage, type Turn } from '#core/turn.ts'
import type { CompletionsParts } from '#doors/completions/parts.ts'
import { type AnswerStyle, nameTurn } from '#doors/completions/tell/answer.ts'
import { notePoint } from '#doors/openai/stopped-answer.ts'
import { createChunkWriter } from '#doors/completions/tell/chunks.ts'
import { gateWords } from '#doors/completions/tell/gate-words.ts'
import { completionId, completionObject } from '#doors/completions/tell/told.ts'
import { openEvents } from '#http/sse.ts'

/** `turn` is the one that waits. */
export async function answerGate(parts: CompletionsParts, reply: FastifyReply, how: AnswerStyle, turn: Turn) {
  const gate = await parts.gates.ofTurn(turn)
  const content = gateWords(gate ? [gate] : [], how.linkOf(turn.threadId))
  await notePoint(parts, turn, { ...how, content })
  nameTurn(reply, turn)
  const { model, includeUsage } = how
  const state = { id: completionId(newId()), createdAt: parts.now?.() ?? Date.now(), model }
  if (!how.stream) {
    return completionObject({ ...state, told: { content, reasoning: '' }, finish: 'stop', usage: noUsage })
  }
  const chunks = createChunkWriter({ ...state, includeUsage })
  openEvents(reply, () => {}).end(chunks.role() + chunks.text(content) + chunks.end('stop', noUsage))
  return undefined
}
