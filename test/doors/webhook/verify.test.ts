// Authentication by the secret or by a signature of the body.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createVerifier } from '#doors/webhook/verify.ts'

const secret = "It's a Secret to Everybody"
const body = Buffer.from('Hello, World!')
// The values that a code host publishes to test an implementation with.
const published = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'

const table: readonly [
  what: string,
  headers: Record<string, string | string[]>,
  body: Buffer | undefined,
  accepted: boolean,
][] = [
  ['the secret', { 'x-webhook-secret': secret }, undefined, true],
  ['the secret with a body', { 'x-webhook-secret': secret }, body, true],
  ['nothing', {}, body, false],
  ['an empty secret', { 'x-webhook-secret': '' }, body, false],
  ['a beginning of it', { 'x-webhook-secret': secret.slice(0, -1) }, body, false],
  ['more than it', { 'x-webhook-secret': `${secret}!` }, body, false],
  ['another case', { 'x-webhook-secret': secret.toLowerCase() }, body, false],
  ['the secret twice', { 'x-webhook-secret': `${secret}, ${secret}` }, body, false],
  ['the published signature', { 'x-hub-signature-256': published }, body, true],
  ['it in capitals', { 'x-hub-signature-256': published.toUpperCase().replace('SHA', 'sha') }, body, true],
  ['it beside a wrong secret', { 'x-hub-signature-256': published, 'x-webhook-secret': 'wrong' }, body, false],
  ['it for another body', { 'x-hub-signature-256': published }, Buffer.from('Hello, World'), false],
  ['it without a body', { 'x-hub-signature-256': published }, undefined, false],
  ['it without its prefix', { 'x-hub-signature-256': published.slice(7) }, body, false],
  ['a part of it', { 'x-hub-signature-256': published.slice(0, -2) }, body, false],
  ['more than it', { 'x-hub-signature-256': `${published}00` }, body, false],
  ['no hex', { 'x-hub-signature-256': `sha256=${'z'.repeat(64)}` }, body, false],
  ['the old kind', { 'x-hub-signature': `sha1=${createHmac('sha1', secret).update(body).digest('hex')}` }, body, false],
  ['a list of them', { 'x-hub-signature-256': [published, published] }, body, false],
]

for (const [what, headers, given, accepted] of table) {
  test(`${accepted ? 'accepted' : 'refused'}: ${what}`, () => {
    const proof = 'x-webhook-secret' in headers ? 'secret' : 'signature'
    assert.equal(createVerifier(secret).verify(headers, given), accepted ? proof : undefined)
  })
}
