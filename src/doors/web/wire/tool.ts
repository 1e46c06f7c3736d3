// Tools on the wire: what each may do, what it needs, and how a trial went.
import * as z from 'zod/mini'

export const ToolWire = z.object({
  name: z.string(),
  description: z.string(),
  source: z.enum(['built-in', 'component']),
  enabled: z.boolean(),
  /** The JSON schema of its parameters. */
  schema: z.record(z.string(), z.unknown()),
  version: z.exactOptional(z.string()),
  sha256: z.exactOptional(z.string()),
  /** What a component may do, in words. */
  access: z.exactOptional(z.array(z.string())),
  installed_at: z.exactOptional(z.string()),
})
export const ToolsAnswer = z.object({ tools: z.array(ToolWire) })

/** All that happened in one call that was made to try a tool. */
export const ToolTrialAnswer = z.object({
  output: z.nullable(z.string()),
  error: z.nullable(z.string()),
  logs: z.array(z.object({ level: z.string(), message: z.string() })),
  requests: z.array(
    z.object({
      method: z.string(),
      url: z.string(),
      /** Null where no answer came: `error` says why. */
      status: z.nullable(z.number()),
      error: z.exactOptional(z.string()),
    }),
  ),
  blocked: z.array(z.object({ method: z.string(), url: z.string(), reason: z.string() })),
})

const OfferWire = z.object({ tool: z.string(), hosts: z.array(z.string()) })
/** A secret that a tool needs; `set` tells where it comes from, null while nobody has set it. */
export const SecretWire = z.object({
  name: z.string(),
  prompt: z.nullable(z.string()),
  optional: z.boolean(),
  set: z.nullable(z.enum(['environment', 'own', 'operator'])),
  /** When, where it is the caller's own. */
  set_at: z.nullable(z.string()),
  shared_from: z.nullable(z.string()),
  offers: z.array(OfferWire),
})
export const SignInWire = z.extend(z.omit(SecretWire, { prompt: true, optional: true }), {
  how: z.enum(['environment', 'oauth', 'token']),
  env_var: z.nullable(z.string()),
  display_name: z.nullable(z.string()),
  instructions: z.nullable(z.string()),
  setup_url: z.nullable(z.string()),
  token_hint: z.nullable(z.string()),
})
export const NeedsAnswer = z.object({ tool: z.string(), auth: z.nullable(SignInWire), setup: z.array(SecretWire) })

export const AuthAnswer = z.object({
  status: z.enum(['stored', 'environment', 'sign_in']),
  /** Where to sign in, and what the end of it must name. */
  url: z.exactOptional(z.string()),
  state: z.exactOptional(z.string()),
  /** Turns that waited for it and go on. */
  continued: z.exactOptional(z.number()),
  warning: z.exactOptional(z.string()),
})
export const SetupAnswer = z.object({
  stored: z.array(z.string()),
  /** What is still needed. */
  missing: z.array(z.string()),
  continued: z.number(),
})
export const SharesAnswer = z.object({
  shares: z.array(z.object({ tool: z.string(), secret: z.string(), from: z.string() })),
})

export type Tool = z.output<typeof ToolWire>
export type ToolList = z.output<typeof ToolsAnswer>
export type ToolTrial = z.output<typeof ToolTrialAnswer>
export type NeededSecret = z.output<typeof SecretWire>
export type ToolSignIn = z.output<typeof SignInWire>
export type ToolNeeds = z.output<typeof NeedsAnswer>
export type ToolAuth = z.output<typeof AuthAnswer>
