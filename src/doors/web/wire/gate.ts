// Gates and grants on the wire: what waits for a word, the word itself, and what was allowed for longer.
import * as z from 'zod/mini'
import { DoorName } from './turn.ts'

const maxWordChars = 2_000

export const gateFields = {
  kind: z.enum(['approval', 'output', 'credential']),
  name: z.string(),
  args: z.unknown(),
  prompt: z.string(),
  reason: z.exactOptional(z.string()),
  /** What the model had read from outside: the call can only be allowed once. */
  taint: z.exactOptional(z.string()),
  /** What the call would do: a diff, a command, a request. */
  preview: z.exactOptional(z.string()),
  /** The names of the secrets that would go with its requests. */
  secrets: z.exactOptional(z.array(z.string())),
  /** What a sign-in must bring: `GET /api/tools/{tool}/auth` tells how. */
  credential: z.exactOptional(z.object({ tool: z.string(), secret: z.string(), title: z.exactOptional(z.string()) })),
}
const GateFieldsWire = z.object(gateFields)

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

/** A gate without its id: of an item of a thread that is the call's. */
export type GateFields = z.output<typeof GateFieldsWire>
/** Something that waits for its reader. */
export type Waiting = z.output<typeof WaitingGate>
export type GateAnswer = z.input<typeof GateBody>
export type GateList = z.output<typeof GatesAnswer>
export type AnsweredList = z.output<typeof AnsweredAnswer>
export type GrantList = z.output<typeof GrantsAnswer>
export type Grant = z.output<typeof GrantWire>
