// Answers with megabytes of JSON are written in slices.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { FastifyReply } from 'fastify'
import { inSlices } from '#http/long-answer.ts'
import { fake } from '../fake.ts'

const long = { text: 'é"👩\n'.repeat(200_000), list: [1, null, { a: undefined }] }

function send(answer: unknown): { sent: unknown; type: string; counted: number } {
  const sent = { sent: undefined as unknown, type: '', counted: 0 }
  const reply: FastifyReply = fake<FastifyReply>({
    request: {
      countLongAnswer() {
        sent.counted++
        return () => {}
      },
    },
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
  return given === reply ? sent : { ...sent, sent: given }
}

test('a long answer is a stream of slices with the JSON of the whole', async () => {
  const { sent, type, counted } = send(long)
  assert.equal(counted, 1)
  assert.equal(type, 'application/json; charset=utf-8')
  assert.ok(sent instanceof Readable)
  const slices: string[] = []
  for await (const slice of sent) slices.push(String(slice))
  assert.equal(slices.join(''), JSON.stringify(long))
  assert.ok(slices.length > 10)
})

test('other answers are given as they are', () => {
  for (const answer of [undefined, null, 'text', { a: 1 }, [1], Buffer.alloc(1024 * 1024), Readable.from([])]) {
    const { sent, counted } = send(answer)
    assert.deepEqual([sent === answer, counted], [true, 0])
  }
})
