// Wire format of gates, their answers, and grants.
import * as z from 'zod/mini'
import { maxGateWordChars } from '#core/page-limits.ts'
import { DoorName } from './turn.ts'

/** The question of a gate. Every client shows these texts unchanged. */
const QuestionWire = z.object({
  /** The question with verb and object: "Change src/pricing.ts?" */
  text: z.string(),
  /** The part of `text` to show as code. If it occurs twice, the last occurrence. */
  code: z.exactOptional(z.string()),
  /** A short form of `text`, for lists. */
  brief: z.string(),
  /** Says where the call goes, and that nothing has happened yet. */
  sentence: z.string(),
  /** The part of `sentence` to emphasize. */
  host: z.exactOptional(z.string()),
})

/** Preview of the call. */
const PreviewWire = z.discriminatedUnion('type', [
  z.object({ type: z.literal('diff'), path: z.string(), diff: z.string() }),
  z.object({
    type: z.literal('request'),
    method: z.string(),
    url: z.string(),
    headers: z.exactOptional(z.record(z.string(), z.string())),
    body: z.exactOptional(z.string()),
  }),
  z.object({
    type: z.literal('command'),
    command: z.string(),
    cwd: z.exactOptional(z.string()),
    timeout_secs: z.exactOptional(z.number()),
  }),
  /** A memory document: `content` of a new one, or `diff` of a change. */
  z.object({
    type: z.literal('document'),
    path: z.string(),
    content: z.exactOptional(z.string()),
    diff: z.exactOptional(z.string()),
  }),
  /** `schedule` is told in words. Without `tools` the mission may use all. */
  z.object({
    type: z.literal('mission'),
    schedule: z.string(),
    prompt: z.string(),
    title: z.exactOptional(z.string()),
    status: z.exactOptional(z.string()),
    tools: z.exactOptional(z.array(z.string())),
    cap_usd: z.exactOptional(z.number()),
  }),
  z.object({ type: z.literal('arguments'), fields: z.unknown() }),
])

const fieldHead = {
  name: z.string(),
  title: z.exactOptional(z.string()),
  description: z.exactOptional(z.string()),
  required: z.exactOptional(z.literal(true)),
  /** The allowed values, in words. */
  hint: z.string(),
}
/** Bounds of a text's characters, a number's value, or the number of choices. */
const fieldBounds = { min: z.exactOptional(z.number()), max: z.exactOptional(z.number()) }
const options = z.array(z.object({ value: z.string(), title: z.exactOptional(z.string()) }))

/** A field of a form, for the `values` of its answer. */
const FieldWire = z.discriminatedUnion('type', [
  z.object({
    ...fieldHead,
    ...fieldBounds,
    type: z.literal('text'),
    format: z.exactOptional(z.enum(['email', 'uri', 'date', 'date-time'])),
    default: z.exactOptional(z.string()),
  }),
  z.object({
    ...fieldHead,
    ...fieldBounds,
    type: z.enum(['number', 'integer']),
    default: z.exactOptional(z.number()),
  }),
  z.object({ ...fieldHead, type: z.literal('boolean'), default: z.exactOptional(z.boolean()) }),
  z.object({ ...fieldHead, type: z.literal('choice'), options, default: z.exactOptional(z.string()) }),
  z.object({
    ...fieldHead,
    ...fieldBounds,
    type: z.literal('choices'),
    options,
    default: z.exactOptional(z.array(z.string())),
  }),
])

/** The form of a server's question. `message` is its own text: show it as such. */
const InputWire = z.discriminatedUnion('type', [
  z.object({ type: z.literal('form'), server: z.string(), message: z.string(), fields: z.array(FieldWire) }),
  z.object({ type: z.literal('link'), server: z.string(), message: z.string(), url: z.string() }),
])

/** A scope that "Allow for…" offers. `target` is the target of the resulting grant. */
const ScopeWire = z.object({
  scope: z.enum(['file', 'target', 'tool']),
  /** The grant never applies in a turn that has read untrusted content. */
  clean: z.exactOptional(z.literal(true)),
  target: z.exactOptional(z.string()),
  /** Text to show after the tool's name: "in docs/". */
  words: z.string(),
})

export const gateFields = {
  kind: z.enum(['approval', 'output', 'credential', 'input']),
  name: z.string(),
  args: z.unknown(),
  prompt: z.string(),
  question: QuestionWire,
  preview: PreviewWire,
  reason: z.exactOptional(z.string()),
  /** The reason, worded for the person who decides. */
  why: z.exactOptional(z.string()),
  /** The outside text that the model had read. With it, the call can only be allowed once. */
  taint: z.exactOptional(z.string()),
  /** True when it can be allowed for longer than one call. `scopes` lists for what, from narrow to wide. */
  always: z.boolean(),
  scopes: z.array(ScopeWire),
  /** Names of the secrets that would be sent with its requests. */
  secrets: z.exactOptional(z.array(z.string())),
  /** The secret that a sign-in must supply. `GET /api/tools/{tool}/auth` says how. */
  credential: z.exactOptional(
    z.object({
      tool: z.string(),
      secret: z.string(),
      title: z.exactOptional(z.string()),
      /** `tool` is an MCP server: `POST /api/mcp/{tool}/auth` begins the sign-in. */
      of: z.exactOptional(z.literal('mcp')),
    }),
  ),
  /** The form of a gate of kind `input`; action `answer` with `values` answers it. */
  input: z.exactOptional(InputWire),
}

/** `id` is the `{gate}` of `POST /api/threads/{id}/gates/{gate}`. */
export const GateWire = z.object({ id: z.string(), ...gateFields })

export const answerFields = {
  decision: z.enum(['allow', 'deny', 'output']),
  by: z.string(),
  /** Scope and end of the grant, if the answer made one. */
  scope: z.exactOptional(z.enum(['tool', 'target'])),
  until: z.exactOptional(z.string()),
}

export const WaitingGate = z.extend(GateWire, {
  thread_id: z.string(),
  turn_id: z.string(),
  door: DoorName,
  /** The sender of the turn, when that is not the caller: the operator also sees gates of webhook senders. */
  sender: z.exactOptional(z.string()),
  created_at: z.string(),
  expires_at: z.string(),
})
export const GatesAnswer = z.object({ gates: z.array(WaitingGate) })

export const AnsweredGateWire = z.extend(WaitingGate, {
  ...answerFields,
  answered_at: z.string(),
  /** The message to the agent that came with the answer. */
  word: z.exactOptional(z.string()),
})
export const AnsweredAnswer = z.object({ gates: z.array(AnsweredGateWire) })

/** The answer to a gate. */
export const GateBody = z.object({
  action: z.enum(['approve', 'always', 'deny', 'answer'], 'must be approve, always, deny or answer'),
  scope: z.nullish(z.enum(['tool', 'target', 'file'], 'must be tool, target or file')),
  for: z.nullish(z.enum(['hour', 'day', 'good'], 'must be hour, day or good')),
  untrusted: z.nullish(z.boolean('must be true or false')),
  /** With `answer`: the values of the form, by field. */
  values: z.optional(z.unknown()),
  word: z.nullish(z.string().check(z.maxLength(maxGateWordChars, `must have at most ${maxGateWordChars} characters`))),
})

export const GrantWire = z.object({
  id: z.string(),
  user: z.string(),
  tool: z.string(),
  scope: z.enum(['tool', 'target']),
  target: z.nullable(z.string()),
  /** True when the grant also applies after the model has read text from outside. */
  untrusted: z.boolean(),
  by: z.string(),
  created_at: z.string(),
  /** Null: never expires. */
  expires_at: z.nullable(z.string()),
  /** The number of calls that this grant allowed. */
  uses: z.number(),
})
export const GrantsAnswer = z.object({ grants: z.array(GrantWire) })

export type Field = z.output<typeof FieldWire>
export type Input = z.output<typeof InputWire>
export type Preview = z.output<typeof PreviewWire>
export type Scope = z.output<typeof ScopeWire>
/** An open gate. */
export type Waiting = z.output<typeof WaitingGate>
export type GateAnswer = z.input<typeof GateBody>
export type GateList = z.output<typeof GatesAnswer>
export type AnsweredList = z.output<typeof AnsweredAnswer>
export type GrantList = z.output<typeof GrantsAnswer>
export type Grant = z.output<typeof GrantWire>
