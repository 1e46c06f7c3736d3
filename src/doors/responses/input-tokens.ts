// POST /responses/input_tokens: an estimate of the tokens that a request brings. Nothing is stored and no model is asked.
import type { FastifyRequest } from 'fastify'
import { isObject } from '#core/json.ts'
import { charsPerToken } from '#core/tokens.ts'
import { readCreate } from '#doors/responses/read/request.ts'
import { catalogRules } from './create.ts'
import type { ResponsesParts } from './parts.ts'

/** Tokens of an image, about as many as providers charge. */
const imageTokens = 1_000
/** The frame of an item in a prompt. */
const itemTokens = 4

export async function countInput(parts: ResponsesParts, request: FastifyRequest) {
  const { externalTools, rules } = parts
  // By the reference a count needs no model, and no model is asked.
  const body = isObject(request.body) ? { ...request.body, model: request.body['model'] ?? 'any' } : request.body
  const read = await readCreate(body, { externalTools, catalog: catalogRules(parts), fields: rules.fields })
  let chars = read.context.length + JSON.stringify(read.options.tools ?? []).length
  let tokens = 0
  for (const text of read.instructions) chars += text.length
  for (const item of read.input) {
    tokens += itemTokens
    if (item.type === 'call') chars += item.name.length + item.args.length
    if (item.type === 'output') {
      chars += item.output.length
      tokens += imageTokens * (item.images?.length ?? 0)
    }
    if (item.type !== 'message') continue
    for (const part of item.content) {
      if (part.type === 'image') tokens += imageTokens
      else chars += part.text.length
    }
  }
  return { object: 'response.input_tokens', input_tokens: tokens + Math.ceil(chars / charsPerToken) }
}
