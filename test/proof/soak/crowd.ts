// A crowd of clients that each send one message after the other to the Responses API.
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { runFlatOut } from './pace.ts'

export type CrowdPlan = {
  readonly gateway: string
  /** A token for each client. */
  readonly tokens: readonly string[]
  readonly seconds: number
  /** A refused client comes back after this time, without regard to Retry-After. */
  readonly pauseMs: number
}

export type Crowd = {
  /** Milliseconds of admitted turns, and until a refusal. */
  readonly admitted: readonly number[]
  readonly refused: readonly number[]
  /** Refusals without Retry-After, and answers that are neither 200, 429 nor 503. */
  readonly wrong: number
}

/** Each client sends at least one message. */
export async function crowd({ gateway, tokens, seconds, pauseMs }: CrowdPlan): Promise<Crowd> {
  const admitted: number[] = []
  const refused: number[] = []
  let wrong = 0
  const agent = new Agent({ connections: null, pipelining: 1 })
  const end = performance.now() + seconds * 1_000
  try {
    await runFlatOut({
      workers: tokens,
      async run(token) {
        const { status, ms, retryAfter } = await respond(agent, gateway, token)
        if (status === 200) admitted.push(ms)
        else if ((status === 503 || status === 429) && Number(retryAfter) > 0) {
          refused.push(ms)
          await sleep(pauseMs)
        } else wrong++
      },
      isOver: (begun) => performance.now() >= end && begun >= tokens.length,
    })
  } finally {
    await agent.destroy()
  }
  return { admitted, refused, wrong }
}

async function respond(agent: Agent, gateway: string, token: string) {
  const began = performance.now()
  const { statusCode, headers, body } = await agent.request({
    origin: gateway,
    path: '/api/v1/responses',
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', input: 'op 0 of mark-u0-end: say' }),
  })
  await body.dump()
  return { status: statusCode, ms: performance.now() - began, retryAfter: headers['retry-after'] }
}
