// Requests to servers that the operator named.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Dialled, Outgoing } from '#net/dial.ts'
import { createPlainFetch } from '#net/plain-fetch.ts'

function open(answer: Partial<Extract<Dialled, { type: 'answer' }>> | string = {}) {
  const sent: (Outgoing & { maxBytes: number })[] = []
  const fetch = createPlainFetch((request, { maxBytes }) => {
    sent.push({ ...request, maxBytes })
    return Promise.resolve(
      typeof answer === 'string'
        ? { type: 'fault', fault: { code: 'unreachable', message: answer, sent: false } }
        : { type: 'answer', status: 200, headers: new Map(), body: Buffer.from(''), ...answer },
    )
  })
  return { fetch, sent }
}

test('a request is a GET without a body, to a private address too, for at most a mebibyte', async () => {
  const { fetch, sent } = open()
  await fetch('http://10.0.0.1/x')
  const [request] = sent
  assert.deepEqual(
    [request?.method, request?.listed, request?.body, request?.target.host, request?.maxBytes],
    ['GET', true, undefined, '10.0.0.1', 1024 * 1024],
  )
})

test('method, headers and body go out; names of headers in lower case', async () => {
  const { fetch, sent } = open()
  await fetch('https://a.example/x', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'hi' })
  assert.deepEqual(
    [sent[0]?.method, [...(sent[0]?.headers ?? [])], String(sent[0]?.body)],
    ['POST', [['content-type', 'text/plain']], 'hi'],
  )
})

test('an answer comes back as one, a redirect too', async () => {
  const { fetch, sent } = open({ status: 302, headers: new Map([['location', '/y']]), body: Buffer.from('there') })
  const answer = await fetch('https://a.example/x')
  assert.deepEqual([answer.status, answer.headers.get('location'), await answer.text()], [302, '/y', 'there'])
  assert.equal(sent.length, 1)
})

test('no address and no answer are faults', async () => {
  const { fetch, sent } = open('nobody is there')
  await assert.rejects(fetch('ftp://a.example/'), /scheme ftp: is not allowed/)
  assert.equal(sent.length, 0)
  await assert.rejects(fetch('https://a.example/'), /nobody is there/)
})

const tooMuch: readonly [what: string, body: string, fault: RegExp][] = [
  ['values', `[${'1,'.repeat(60_000)}1]`, /more than 50000 values/],
  ['levels', '['.repeat(500_000), /more than 100 levels/],
]
for (const [what, body, fault] of tooMuch) {
  test(`an answer with too many ${what} to be parsed at once is a fault`, async () => {
    const { fetch } = open({ body: Buffer.from(body) })
    await assert.rejects(fetch('https://a.example/x'), fault)
  })
}
