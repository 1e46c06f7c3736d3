// Wire format of tools: permissions, needed secrets, and trial calls.
import * as z from 'zod/mini'

/** One permission of a component, or a limit on it. */
export const AccessWire = z.discriminatedUnion('kind', [
  /** Requests that it may send. `near` is set when the host is not on the internet. */
  z.object({
    kind: z.literal('http'),
    methods: z.array(z.string()),
    host: z.string(),
    path: z.string(),
    near: z.exactOptional(z.enum(['machine', 'network'])),
  }),
  /** A secret that the service adds to its requests, and where in the request. */
  z.object({
    kind: z.literal('secret'),
    secret: z.string(),
    hosts: z.array(z.string()),
    place: z.discriminatedUnion('type', [
      z.object({ type: z.literal('bearer') }),
      z.object({ type: z.enum(['basic', 'header', 'query', 'path']), name: z.string() }),
    ]),
  }),
  /** It may ask whether a secret is set. */
  z.object({ kind: z.literal('secret_known'), secret: z.string() }),
  z.object({ kind: z.literal('setup'), secret: z.string(), optional: z.boolean() }),
  /** The secret of its sign-in; `page` is where a person gets it. */
  z.object({ kind: z.literal('auth'), secret: z.string() }),
  z.object({ kind: z.literal('page'), url: z.string() }),
  z.object({
    kind: z.literal('env'),
    variable: z.string(),
    use: z.enum(['secret', 'client_id', 'client_secret']),
    secret: z.exactOptional(z.string()),
  }),
  z.object({ kind: z.literal('sign_in'), url: z.string(), tokens: z.string(), client: z.exactOptional(z.string()) }),
  z.object({ kind: z.literal('scope'), scope: z.string() }),
  z.object({ kind: z.literal('workspace'), folder: z.string() }),
  z.object({ kind: z.literal('tool'), tool: z.string() }),
  /** A read-only action, which needs no approval. */
  z.object({ kind: z.literal('action'), action: z.string() }),
  /** Maximum seconds per call, and maximum requests per minute, per hour and per call. */
  z.object({
    kind: z.literal('limits'),
    seconds: z.number(),
    minute: z.exactOptional(z.number()),
    hour: z.exactOptional(z.number()),
    requests: z.exactOptional(z.number()),
  }),
  /** The capability file cannot be read, so the tool is not offered to the agent. */
  z.object({ kind: z.literal('unreadable'), reason: z.string() }),
])

const verdicts = z.enum(['allow', 'ask', 'deny'])
const rules = z.enum(['allow', 'ask', 'deny', 'known'])

export const ToolWire = z.object({
  name: z.string(),
  description: z.string(),
  source: z.enum(['built-in', 'component', 'mcp']),
  /** The MCP server that has the tool. */
  server: z.exactOptional(z.string()),
  enabled: z.boolean(),
  /** The JSON schema of its parameters. */
  schema: z.record(z.string(), z.unknown()),
  /** The effects of its typical calls. */
  effects: z.enum(['read', 'keep', 'write', 'danger']),
  /** The verdict of the current policy on its typical calls. A verdict that depends on the address counts as `ask`. */
  verdict: z.object({ clean: verdicts, tainted: verdicts }),
  /** Every policy row that can apply to its calls. */
  policy: z.array(z.object({ row: z.string(), calls: z.string(), clean: rules, tainted: rules })),
  /** Built-in tools only: a short text for lists, and what it may and cannot do. Equal texts belong together. */
  brief: z.exactOptional(z.string()),
  may: z.exactOptional(z.array(z.string())),
  cannot: z.exactOptional(z.array(z.string())),
  version: z.exactOptional(z.string()),
  sha256: z.exactOptional(z.string()),
  /** Components only: permissions and limits. */
  access: z.exactOptional(z.array(AccessWire)),
  installed_at: z.exactOptional(z.string()),
  /** Components with actions only: each is a tool of the agent. A test call chooses one by its `context`. */
  actions: z.exactOptional(
    z.array(
      z.object({
        name: z.string(),
        description: z.exactOptional(z.string()),
        schema: z.record(z.string(), z.unknown()),
        context: z.record(z.string(), z.unknown()),
      }),
    ),
  ),
  /** Components only: what the caller has to do before its calls can work. */
  needs: z.exactOptional(z.enum(['setup', 'sign_in'])),
})
export const ToolsAnswer = z.object({ tools: z.array(ToolWire) })

/** The full report of a trial call. */
export const ToolTrialAnswer = z.object({
  output: z.nullable(z.string()),
  error: z.nullable(z.string()),
  logs: z.array(z.object({ level: z.string(), message: z.string() })),
  requests: z.array(
    z.object({
      method: z.string(),
      url: z.string(),
      /** Null when no response came; `error` says why. */
      status: z.nullable(z.number()),
      error: z.exactOptional(z.string()),
    }),
  ),
  blocked: z.array(z.object({ method: z.string(), url: z.string(), reason: z.string() })),
})

const OfferWire = z.object({ tool: z.string(), hosts: z.array(z.string()) })
/** A secret that a tool needs. `set` says where its value comes from; null when it is not set. */
export const SecretWire = z.object({
  name: z.string(),
  prompt: z.nullable(z.string()),
  optional: z.boolean(),
  set: z.nullable(z.enum(['environment', 'own', 'operator'])),
  /** When it was set, if it is the caller's own. */
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
  /** The page to sign in at, and the `state` that the callback must carry. */
  url: z.exactOptional(z.string()),
  state: z.exactOptional(z.string()),
  /** The number of waiting turns that now continue. */
  continued: z.exactOptional(z.number()),
  warning: z.exactOptional(z.string()),
})
export const SetupAnswer = z.object({
  stored: z.array(z.string()),
  /** Required secrets that are still not set. */
  missing: z.array(z.string()),
  continued: z.number(),
})
export const SharesAnswer = z.object({
  shares: z.array(z.object({ tool: z.string(), secret: z.string(), from: z.string() })),
})

export type Tool = z.output<typeof ToolWire>
export type AccessRow = z.output<typeof AccessWire>
export type ToolList = z.output<typeof ToolsAnswer>
export type ToolTrial = z.output<typeof ToolTrialAnswer>
export type NeededSecret = z.output<typeof SecretWire>
export type ToolSignIn = z.output<typeof SignInWire>
export type ToolNeeds = z.output<typeof NeedsAnswer>
export type ToolAuth = z.output<typeof AuthAnswer>
