// Finding and masking secrets in text and bytes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksForSecret, createMask, maskBytes, spellingsOf } from '#safety/secret-values.ts'
import { growth } from './growth.ts'

const secret = 'p@ss/word "1" ü'

test('every spelling of a value is masked', () => {
  const spellings = [
    secret,
    JSON.stringify({ a: secret }),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    new URLSearchParams({ a: secret }).toString(),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
    Buffer.from(`x${secret}`).toString('base64'),
    Buffer.from(`xy${secret}zz`).toString('base64'),
    'p@ss/word \\u00221\\u0022 ü',
    'p@ss\\/word \\"1\\" ü',
  ]
  for (const text of spellings) {
    assert.match(createMask(spellingsOf(secret))(`before ${text} after`), /^before .*\*\*\*.* after$/, text)
    const bytes = maskBytes(Buffer.from(`before ${text} after`), spellingsOf(secret)).toString()
    assert.match(bytes, /^before .*\*\*\*.* after$/, text)
  }
})

test('of two values the longer one is masked whole, though it begins with the shorter', () => {
  const spellings = ['hunter22', 'hunter22-and-more'].flatMap(spellingsOf)
  assert.equal(createMask(spellings)('<hunter22-and-more> <hunter22>'), '<***> <***>')
  assert.equal(maskBytes(Buffer.from('<hunter22-and-more>'), spellings).toString(), '<***>')
})

test('a text without the value comes back as it was, the very same bytes', () => {
  const bytes = Buffer.from('nothing here')
  assert.equal(maskBytes(bytes, spellingsOf(secret)), bytes)
  assert.equal(createMask(spellingsOf(secret))('nothing here'), 'nothing here')
  assert.equal(createMask([])('nothing here'), 'nothing here')
})

test('a signs-as-numbers spelling of JSON is masked in either case', () => {
  for (const text of ['a\\u002bb\\u003cc', 'a\\u002Bb\\u003Cc'])
    assert.equal(createMask(spellingsOf('a+b<c'))(text), '***')
})

test('bytes that are nothing but a secret, over and over, cost no more than their length', () => {
  assert.equal(maskBytes(Buffer.from('hush'.repeat(1_000)), spellingsOf('hush')).length, 3_000)
  assert(growth((times) => maskBytes(Buffer.from('hush'.repeat(times * 10)), spellingsOf('hush'))) < 3)
})

test('a value that is too short to be a secret masks nothing', () => assert.deepEqual(spellingsOf('abc'), []))

test('parameters that would collect a credential are told from others', () => {
  for (const name of [
    'api_key',
    'apiKey',
    'password',
    'accessToken',
    'token',
    'clientSecret',
    'github_pat',
    'Authorization',
  ]) {
    assert(asksForSecret(name), name)
  }
  for (const name of ['city', 'page_token', 'tokens', 'max_tokens', 'key', 'path', 'keyword', 'author', 'secretary']) {
    assert(!asksForSecret(name), name)
  }
})
