// Gates and grants on the wire: what waits for a word, the word itself, and what was allowed for longer.
import * as z from 'zod/mini'
import { DoorName } from './turn.ts'

const maxWordChars = 2_000

/** What a gate asks, in words that every surface shows as they are. */
const QuestionWire = z.object({
  /** With verb and object: "Change src/pricing.ts?" */
  text: z.string(),
  /** The part of the text that is code; where it occurs twice, the last one. */
  code: z.exactOptional(z.string()),
  /** The same in a few words, for a list. */
  brief: z.string(),
  /** Where it goes, and that nothing has happened yet. */
  sentence: z.string(),
  /** The part of the sentence that must not be overlooked. */
  host: z.exactOptional(z.string()),
})

/** What the call would do. */
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
  /** A document of memory: what a new one would hold, or how one would change. */
  z.object({
    type: z.literal('document'),
    path: z.string(),
    content: z.exactOptional(z.string()),
    diff: z.exactOptional(z.string()),
  }),
  z.object({ type: z.literal('arguments'), fields: z.unknown() }),
])

/** What "Allow for…" can stand for; `target` is what the grant would be for. */
const ScopeWire = z.object({
  scope: z.enum(['file', 'target', 'tool']),
  target: z.exactOptional(z.string()),
  /** After the name of the tool: "in docs/". */
  words: z.string(),
})

export const gateFields = {
  kind: z.enum(['approval', 'output', 'credential']),
  name: z.string(),
  args: z.unknown(),
  prompt: z.string(),
  question: QuestionWire,
  preview: PreviewWire,
  reason: z.exactOptional(z.string()),
  /** The reason for the person who decides. */
  why: z.exactOptional(z.string()),
  /** What the model had read from outside: the call can only be allowed once. */
  taint: z.exactOptional(z.string()),
  /** Whether it can be allowed for longer at all, and for what, from narrow to wide. */
  always: z.boolean(),
  scopes: z.array(ScopeWire),
  /** The names of the secrets that would go with its requests. */
  secrets: z.exactOptional(z.array(z.string())),
  /** What a sign-in must bring: `GET /api/tools/{tool}/auth` tells how. */
  credential: z.exactOptional(z.object({ tool: z.string(), secret: z.string(), title: z.exactOptional(z.string()) })),
}

/** `id` is what `POST /api/threads/{id}/gates/{gate}` takes. */
export const GateWire = z.object({ id: z.string(), ...gateFields })

export const answerFields = {
  decision: z.enum(['allow', 'deny', 'output']),
  by: z.string(),
  /** What was allowed for longer, if it was. */
  scope: z.exactOptional(z.enum(['tool', 'target'])),
  until: z.exactOptional(z.string()),
}

export const WaitingGate = z.extend(GateWire, {
  thread_id: z.string(),
  turn_id: z.string(),
  door: DoorName,
  /** Who sent what it is for, where that is somebody else: the operator sees the webhook channel's. */
  sender: z.exactOptional(z.string()),
  created_at: z.string(),
  expires_at: z.string(),
})
export const GatesAnswer = z.object({ gates: z.array(WaitingGate) })

export const AnsweredGateWire = z.extend(WaitingGate, {
  ...answerFields,
  answered_at: z.string(),
  /** What the agent was told with it. */
  word: z.exactOptional(z.string()),
})
export const AnsweredAnswer = z.object({ gates: z.array(AnsweredGateWire) })

/** What is said to a gate. */
export const GateBody = z.object({
  action: z.enum(['approve', 'always', 'deny'], 'must be approve, always or deny'),
  scope: z.nullish(z.enum(['tool', 'target', 'file'], 'must be tool, target or file')),
  for: z.nullish(z.enum(['hour', 'day', 'good'], 'must be hour, day or good')),
  untrusted: z.nullish(z.boolean('must be true or false')),
  word: z.nullish(z.string().check(z.maxLength(maxWordChars, `must have at most ${maxWordChars} characters`))),
})

export const GrantWire = z.object({
  id: z.string(),
  user: z.string(),
  tool: z.string(),
  scope: z.enum(['tool', 'target']),
  target: z.nullable(z.string()),
  /** Whether it also stands once the model has read words from outside. */
  untrusted: z.boolean(),
  by: z.string(),
  created_at: z.string(),
  /** Null stands for good. */
  expires_at: z.nullable(z.string()),
  /** Calls that ran by it. */
  uses: z.number(),
})
export const GrantsAnswer = z.object({ grants: z.array(GrantWire) })

export type Preview = z.output<typeof PreviewWire>
export type Scope = z.output<typeof ScopeWire>
/** Something that waits for its reader. */
export type Waiting = z.output<typeof WaitingGate>
export type GateAnswer = z.input<typeof GateBody>
export type GateList = z.output<typeof GatesAnswer>
export type AnsweredList = z.output<typeof AnsweredAnswer>
export type GrantList = z.output<typeof GrantsAnswer>
export type Grant = z.output<typeof GrantWire>
