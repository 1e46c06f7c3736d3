// A gate as the gateway's JSON shows it: what it asks, what the call would do, and what can be allowed.
import * as z from 'zod/mini'
import type { Credential } from '#core/errors.ts'
import type { Gate } from '#core/item.ts'
import { isDeeperThan, objectIn } from '#core/json.ts'
import type { Preview } from '#core/question.ts'
import { parseExactly } from '#http/lossless-json.ts'
import { questionOf, scopesOfGate } from '#safety/asking.ts'

/** Arguments that are nested deeper are shown as their text: to write them as JSON would recurse as deep. */
const maxLevels = 100

/** What a gate asks, in words that every surface shows as they are. */
const QuestionWire = z.object({
  /** With verb and object: "Change src/pricing.ts?" */
  text: z.string(),
  /** The part of the text that is code; where it occurs twice, the last one. */
  code: z.optional(z.string()),
  /** The same in a few words, for a list. */
  brief: z.string(),
  /** Where it goes, and that nothing has happened yet. */
  sentence: z.string(),
  /** The part of the sentence that must not be overlooked. */
  host: z.optional(z.string()),
})

/** What the call would do. */
const PreviewWire = z.discriminatedUnion('type', [
  z.object({ type: z.literal('diff'), path: z.string(), diff: z.string() }),
  z.object({
    type: z.literal('request'),
    method: z.string(),
    url: z.string(),
    headers: z.optional(z.record(z.string(), z.string())),
    body: z.optional(z.string()),
  }),
  z.object({
    type: z.literal('command'),
    command: z.string(),
    cwd: z.optional(z.string()),
    timeout_secs: z.optional(z.number()),
  }),
  /** A document of memory: what a new one would hold, or how one would change. */
  z.object({
    type: z.literal('document'),
    path: z.string(),
    content: z.optional(z.string()),
    diff: z.optional(z.string()),
  }),
  z.object({ type: z.literal('arguments'), fields: z.unknown() }),
])

/** What "Allow for…" can stand for; `target` is what the grant would be for. */
const ScopeWire = z.object({
  scope: z.enum(['file', 'target', 'tool']),
  target: z.optional(z.string()),
  /** After the name of the tool: "in docs/". */
  words: z.string(),
})

/** `id` is what `POST /api/threads/{id}/gates/{gate}` takes. */
export const GateWire = z.object({
  id: z.string(),
  kind: z.enum(['approval', 'output', 'credential']),
  name: z.string(),
  args: z.unknown(),
  prompt: z.string(),
  question: QuestionWire,
  preview: PreviewWire,
  reason: z.optional(z.string()),
  /** The reason for the person who decides. */
  why: z.optional(z.string()),
  /** What the model had read from outside: the call can only be allowed once. */
  taint: z.optional(z.string()),
  /** Whether it can be allowed for longer at all, and for what, from narrow to wide. */
  always: z.boolean(),
  scopes: z.array(ScopeWire),
  /** The names of the secrets that would go with its requests. */
  secrets: z.optional(z.array(z.string())),
  /** What a sign-in must bring: `GET /api/tools/{tool}/auth` tells how. */
  credential: z.optional(z.object({ tool: z.string(), secret: z.string(), title: z.optional(z.string()) })),
})

export function gateWire(gate: Gate): z.output<typeof GateWire> {
  const { callId, kind, name, prompt, reason, why, taint, asks, secrets, credential } = gate
  const { pending: _, ...question } = questionOf(gate)
  const args = asWritten(gate.args)
  const scopes = scopesOfGate(gate)
  return {
    id: callId,
    kind,
    name,
    args,
    prompt,
    question,
    preview: asks?.preview ? previewWire(asks.preview) : { type: 'arguments', fields: args },
    ...(reason && { reason }),
    ...(why && { why }),
    ...(taint !== undefined && { taint }),
    always: scopes.length > 0,
    scopes: [...scopes],
    ...(secrets && { secrets: [...secrets] }),
    ...(credential && { credential: credentialWire(credential) }),
  }
}

function previewWire(preview: Preview): z.output<typeof PreviewWire> {
  if (preview.type !== 'command') return preview
  const { timeoutSecs, ...command } = preview
  return { ...command, ...(timeoutSecs !== undefined && { timeout_secs: timeoutSecs }) }
}

function credentialWire({ tool, secret, title }: Credential) {
  return { tool, secret, ...(title !== undefined && { title }) }
}

/** Arguments as the object they write, each number as it was written; where they write none, the text. */
export function asWritten(args: string): unknown {
  const value = objectIn(args)
  return value && !isDeeperThan(maxLevels, value) ? parseExactly(args) : args
}
