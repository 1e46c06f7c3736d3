// Claude, through Anthropic's package of the AI SDK.
import { createAnthropic } from '@ai-sdk/anthropic'
import type { Model } from '#core/model.ts'
import { createSdkModel, type SdkModelParts } from './sdk.ts'

/** Tokens of one answer. Less than the newest models have, so that a long prompt leaves room for it. */
const maxOutputTokens = 32_000

/** Models from before this limit keep the one that the package knows. */
const early = /claude-(instant|v?[23])(?=$|[-.:])/

const events: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
])

export function createAnthropicModel(parts: Omit<SdkModelParts, 'provider'>): Model {
  return createSdkModel(
    { ...parts, provider: 'anthropic' },
    {
      suffix: '/v1',
      open: (how) => createAnthropic(how)(parts.name),
      schema: (schema) => schema,
      events,
      options: {
        ...(!early.test(parts.name) && { maxOutputTokens }),
        // Calls are told whole, so their arguments need not come before they are checked.
        providerOptions: { anthropic: { toolStreaming: false } },
      },
    },
  )
}
