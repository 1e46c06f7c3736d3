// Claude, through Anthropic's package of the AI SDK.
import { createAnthropic } from '@ai-sdk/anthropic'
import type { Model } from '#core/model.ts'
import { createSdkModel, type SdkModelParts } from './sdk.ts'

/** Tokens of one answer. The newest models allow more, but a long prompt must leave room for the answer. */
const maxOutputTokens = 32_000

/** Older models have a lower limit: they keep the package's own value. */
const olderModels = /claude-(instant|v?[23])(?=$|[-.:])/

const messageEvents = 'message_start message_delta message_stop ping error'
const blockEvents = 'content_block_start content_block_delta content_block_stop'
const knownEvents: ReadonlySet<string> = new Set(`${messageEvents} ${blockEvents}`.split(' '))

export function createAnthropicModel(parts: Omit<SdkModelParts, 'provider'>): Model {
  return createSdkModel(
    { ...parts, provider: 'anthropic' },
    {
      suffix: '/v1',
      open: (options) => createAnthropic(options)(parts.name),
      schema: (schema) => schema,
      knownEvents,
      options: {
        ...(!olderModels.test(parts.name) && { maxOutputTokens }),
        // Calls are reported whole, so their arguments need not be streamed before the provider has checked them.
        providerOptions: { anthropic: { toolStreaming: false } },
      },
    },
  )
}
