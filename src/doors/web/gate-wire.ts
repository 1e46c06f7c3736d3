// A gate as JSON: its question, a preview of the call, and the scopes it can be allowed for.
import type * as z from 'zod/mini'
import type { Credential } from '#core/errors.ts'
import { fieldWords, type InputRequest } from '#core/form.ts'
import type { Gate } from '#core/item.ts'
import { isDeeperThan, objectIn } from '#core/json.ts'
import type { Preview } from '#core/question.ts'
import { mayLoseDigits, parseLossless } from '#http/lossless-json.ts'
import type { Field, GateWire, Input as InputWire, Preview as PreviewWire } from '#doors/web/wire/gate.ts'
import { questionOf, scopesOfGate } from '#safety/gate-question.ts'

/** Arguments nested deeper than this are sent as text: serializing them as JSON would recurse that deep. */
const maxLevels = 100

export function gateWire(gate: Gate): z.output<typeof GateWire> {
  const { callId, kind, name, prompt, reason, why, taint, asks, secrets, credential, input } = gate
  const { does: _, pending: __, ...question } = questionOf(gate)
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
    ...(input && { input: inputWire(input) }),
  }
}

function previewWire(preview: Preview): PreviewWire {
  if (preview.type === 'command') {
    const { timeoutSecs, ...command } = preview
    return { ...command, ...(timeoutSecs !== undefined && { timeout_secs: timeoutSecs }) }
  }
  if (preview.type !== 'mission') return preview
  const { tools, capUsd, ...mission } = preview
  return { ...mission, ...(tools && { tools: [...tools] }), ...(capUsd !== undefined && { cap_usd: capUsd }) }
}

function inputWire(input: InputRequest): InputWire {
  if (input.type === 'link') return input
  // The same fields, with lists that are not read-only.
  const fields = input.fields.map((field) => ({ ...field, hint: fieldWords(field) })) as Field[]
  return { ...input, fields }
}

function credentialWire({ tool, secret, title, of }: Credential) {
  return { tool, secret, ...(title !== undefined && { title }), ...(of && { of }) }
}

/** Arguments parsed as an object, with every number as written; the raw text when they are no object. */
export function asWritten(args: string): unknown {
  const value = objectIn(args)
  if (!value || isDeeperThan(maxLevels, value)) return args
  return mayLoseDigits(args) ? parseLossless(args) : value
}
