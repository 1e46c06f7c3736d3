// Gemini, through Google's package of the AI SDK.
import { createGoogle } from '@ai-sdk/google'
import type { Model } from '#core/model.ts'
import { geminiSchema } from './google-schema.ts'
import { createSdkModel, type SdkModelParts } from './sdk.ts'

export function createGoogleModel(parts: Omit<SdkModelParts, 'provider'>): Model {
  return createSdkModel(
    { ...parts, provider: 'google' },
    { suffix: '/v1beta', open: (options) => createGoogle(options)(parts.name), schema: geminiSchema, options: {} },
  )
}
