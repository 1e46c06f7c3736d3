// Answers with megabytes of JSON are written in slices.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import { inSlices } from '#http/long-answer.ts'
import { fake } from '../fake.ts'

const long = { text: 'é"👩\n'.repeat(200_000), list: [1, null, { a: undefined }] }

function send(answer: unknown): { sent: unknown; type: string } {
  const sent = { sent: undefined as unknown, type: '' }
  const reply: FastifyReply = fake<FastifyReply>({
    type(type) {
      sent.type = type
      return reply
    },
    send(payload) {
      sent.sent = payload
      return reply
    },
  })
  const given = inSlices(answer, reply)
  return given === reply ? sent : { sent: given, type: '' }
}

test('a long answer is a stream of slices with the JSON of the whole', async () => {
  const { sent, type } = send(long)
  assert.equal(type, 'application/json; charset=utf-8')
  assert.ok(sent instanceof Readable)
  const slices: string[] = []
  for await (const slice of sent) slices.push(String(slice))
  assert.equal(slices.join(''), JSON.stringify(long))
  assert.ok(slices.length > 10)
})

test('other answers are given as they are', () => {
  for (const answer of [undefined, null, 'text', { a: 1 }, [1], Buffer.alloc(1024 * 1024), Readable.from([])]) {
    assert.equal(send(answer).sent, answer)
  }
})
