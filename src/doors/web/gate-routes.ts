// Routes of gates and grants: list open and answered gates, answer a gate, list and revoke grants.
import * as z from 'zod/mini'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import type { AnsweredGate, OpenGate } from '#core/turn-store.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import { type Route, route } from '#http/routes.ts'
import { pace } from '#lib/pace.ts'
import { grantWire } from '#http/wire-format.ts'
import { gateEndsAt } from '#turns/gate-answers.ts'
import type { Gates } from '#turns/gates.ts'
import type { Threads } from '#turns/threads.ts'
import { gateWire } from './gate-wire.ts'
import { findThread } from './thread-routes.ts'
import {
  AnsweredAnswer,
  type AnsweredGateWire,
  GateBody,
  GatesAnswer,
  GrantsAnswer,
  type WaitingGate,
} from '#doors/web/wire/gate.ts'
import { TurnWire } from '#doors/web/wire/job.ts'
import { dayMs, isoTime } from '#core/time.ts'
import { jobWire, senderOf } from './wire.ts'

const AnsweredQuery = z.object({
  since: z.optional(z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T00:00:00Z' })),
})
export function gateRoutes({ gates, threads }: { gates: Gates; threads: Pick<Threads, 'get'> }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/gates',
      who: 'user',
      summary: 'List open gates: calls that wait for an approval, a sign-in or input, oldest first',
      answers: { 200: GatesAnswer },
      async handle({ caller: { user } }) {
        const open = await eachInPace(await gates.list(user), (gate) => waitingWire(gate, user))
        return { gates: open } satisfies z.output<typeof GatesAnswer>
      },
    }),
    route({
      method: 'GET',
      path: '/api/gates/answered',
      who: 'user',
      summary: 'List answered gates since a time, or within a day, latest first',
      query: AnsweredQuery,
      answers: { 200: AnsweredAnswer },
      async handle({ query: { since }, caller: { user } }) {
        const answered = await gates.answered(user, since === undefined ? Date.now() - dayMs : Date.parse(since))
        const wires = await eachInPace(answered, (gate) => answeredWire(gate, user))
        return { gates: wires } satisfies z.output<typeof AnsweredAnswer>
      },
    }),
    route({
      method: 'POST',
      path: '/api/threads/:id/gates/:gate',
      who: 'user',
      summary: 'Answer a gate: allow once, allow for longer, answer with values, or deny',
      body: GateBody,
      // A form has up to 50 values of 10,000 characters.
      maxBodyBytes: maxFileBodyBytes,
      answers: { 200: TurnWire },
      async handle({ params, body, caller }) {
        const thread = await findThread(threads, caller.user, params.id)
        const turn = await gates.answer(caller.user, thread.id, gateAnswerIn(body, params.gate, caller.name), caller)
        return { ...jobWire(turn, undefined), turn_id: turn.id } satisfies z.output<typeof TurnWire>
      },
    }),
    route({
      method: 'GET',
      path: '/api/grants',
      who: 'user',
      summary: 'List grants: what is allowed beyond one call',
      answers: { 200: GrantsAnswer },
      async handle({ caller: { user } }) {
        return { grants: (await gates.grants(user)).map(grantWire) } satisfies z.output<typeof GrantsAnswer>
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/grants/:id',
      who: 'user',
      summary: 'Revoke a grant',
      answers: { 204: null },
      async handle({ params, caller: { user } }, reply) {
        if (!(await gates.revoke(user, params.id))) throw new AppError('not_found', 'the grant does not exist')
        return reply.code(204).send()
      },
    }),
  ]
}

/** The gate answer in a request body. `always` without `for` makes a grant that never expires. */
export function gateAnswerIn(
  { action, scope, for: span, untrusted, word, values }: z.output<typeof GateBody>,
  callId: string,
  by: string,
) {
  if (action !== 'always' && (scope || span || typeof untrusted === 'boolean')) {
    const message = `scope, for and untrusted go with action always, not with ${action}`
    throw new AppError('invalid_input', message, { param: 'action' })
  }
  if (action !== 'answer' && values !== undefined) {
    throw new AppError('invalid_input', `values go with action answer, not with ${action}`, { param: 'action' })
  }
  return {
    callId,
    by,
    ...(action === 'answer' && { values: values ?? {} }),
    decision: action === 'deny' ? ('deny' as const) : ('allow' as const),
    ...(word && { output: word }),
    ...(action === 'always' && {
      grantRequest: {
        ...(scope && { scope }),
        for: span ?? ('good' as const),
        ...(untrusted === false && { untrusted }),
      },
    }),
  }
}

/** Each gate may have megabytes of arguments, which are parsed. */
async function eachInPace<T, U>(gates: readonly T[], wireOf: (gate: T) => U): Promise<U[]> {
  const wires: U[] = []
  for (const gate of gates) {
    wires.push(wireOf(gate))
    await pace()
  }
  return wires
}

/** An open gate as JSON, for lists of this API and for `atrium gates`. */
export function waitingWire({ turn, gate, at }: OpenGate, user: UserId): z.output<typeof WaitingGate> {
  return {
    ...gateWire(gate),
    thread_id: turn.threadId,
    turn_id: turn.id,
    door: turn.door,
    ...senderOf(turn, user),
    created_at: isoTime(at),
    expires_at: isoTime(gateEndsAt(gate, at)),
  }
}

function answeredWire({ answer, answeredAt, ...asked }: AnsweredGate, user: UserId): z.output<typeof AnsweredGateWire> {
  const { decision, by, scope, until, output: word } = answer
  return {
    ...waitingWire(asked, user),
    decision,
    by,
    answered_at: isoTime(answeredAt),
    ...(scope && { scope }),
    ...(until !== undefined && { until: isoTime(until) }),
    ...(word && { word }),
  }
}
