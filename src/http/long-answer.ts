// Answers with megabytes of JSON, written in slices as the client reads them: the event loop goes on meanwhile.
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { isLong, jsonInSlices } from '#core/json-slices.ts'
import { pace } from '#lib/pace.ts'

/** The answer of a handler as Fastify takes it: a long one as a stream, any other as it is. */
export function inSlices(answer: unknown, reply: FastifyReply): unknown {
  // No Buffer, stream or reply.
  if (typeof answer !== 'object' || answer === null || Object.getPrototypeOf(answer) !== Object.prototype) return answer
  if (!isLong(answer)) return answer
  reply.request.countLongAnswer?.(reply.raw)
  return reply.type('application/json; charset=utf-8').send(Readable.from(slicesOf(answer)))
}

async function* slicesOf(answer: object): AsyncGenerator<string> {
  for (const slice of jsonInSlices(answer)) {
    yield slice
    await pace()
  }
}
