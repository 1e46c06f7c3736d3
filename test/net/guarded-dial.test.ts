// Which hosts are dialled, and which of them may resolve to a private address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outgoing } from '#net/dial.ts'
import { parseTarget } from '#net/fetch.ts'
import { guardedDial } from '#net/guarded-dial.ts'

const hosts = ['10.0.0.1', 'home.example:8080', '169.254.169.254']
const cases: readonly [url: string, what: 'blocked' | 'must be public' | 'may be private'][] = [
  ['https://a.example/', 'must be public'],
  ['http://home.example:8080/', 'may be private'],
  ['http://home.example/', 'must be public'],
  ['http://10.0.0.1/', 'may be private'],
  ['http://10.0.0.2/', 'blocked'],
  ['http://localhost/', 'blocked'],
  ['http://169.254.169.254/', 'blocked'],
]

for (const [url, what] of cases) {
  test(`${url} ${what === 'blocked' ? 'is blocked' : what}`, async () => {
    const target = parseTarget(url)
    assert.ok(typeof target !== 'string', 'a URL that can be dialled')
    const dialled: Outgoing[] = []
    const dial = guardedDial((request) => {
      dialled.push(request)
      return Promise.resolve({ type: 'answer', status: 200, headers: new Map(), body: Buffer.from('') })
    }, hosts)
    const request = { method: 'GET', target, headers: new Map() }
    const answer = await dial(request, { maxBytes: 1, signal: new AbortController().signal })
    const blocked = answer.type === 'fault' && answer.fault.code === 'blocked'
    assert.deepEqual(
      [blocked, dialled.map(({ listed }) => listed)],
      [what === 'blocked', what === 'blocked' ? [] : [what === 'may be private']],
    )
  })
}
