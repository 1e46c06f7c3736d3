// The leak scan: what it finds, what it leaves alone, and what it costs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLeakScan, joinScans } from '#safety/leaks.ts'
import { createMarker } from '#safety/marks.ts'
import { benignSamples } from './benign.ts'
import { growth } from './growth.ts'
import { ownSecrets, plantedSecrets } from './planted.ts'

const scan = createLeakScan(ownSecrets)

const benign = benignSamples()

test('of 2,000 benign texts under 0.5 % are hit or stopped', () => {
  const hits = benign
    .map(({ kind, text }) => ({
      kind,
      found: scan.find(text).map(({ rule, start, end }) => `${rule}: ${text.slice(start, end)}`),
    }))
    .filter(({ found }) => found.length > 0)
  assert(hits.length < 10, JSON.stringify(hits.slice(0, 12), null, 1))
  const stopped = benign.filter(({ text }) => scan.stops(text) !== undefined)
  assert(stopped.length < 10, JSON.stringify(stopped.slice(0, 12), null, 1))
})

test('of 2,000 benign texts under 0.5 % are marked as instructions', () => {
  const marker = createMarker()
  const hits = benign
    .map(({ kind, text }) => ({
      kind,
      found: marker.find(text).map(({ rule, start, end }) => `${rule}: ${text.slice(start, end)}`),
    }))
    .filter(({ found }) => found.length > 0)
  assert(hits.length < 10, JSON.stringify(hits.slice(0, 12), null, 1))
})

test('every one of 200 planted secrets is found, stops what goes out, and is masked whole', () => {
  const planted = plantedSecrets()
  assert(planted.length >= 200, String(planted.length))
  const missed = planted.filter(({ text }) => !scan.stops(text))
  assert.deepEqual(missed, [])
  const seen = planted.filter(({ text, value }) => value.length > 0 && scan.mask(text).includes(value))
  assert.deepEqual(seen, [])
})

const own = 'q7Rm2Zx9-Kp4Lw8Tn3'
const github = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
const wide = (text: string): string =>
  text.replaceAll(/[!-~]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0))
const base64 = (text: string): string => Buffer.from(text).toString('base64')
for (const [what, text] of [
  ['own, in wide letters', wide(own)],
  ['own, in wide letters in percent form', encodeURIComponent(wide(own))],
  ['own, split by signs of nothing', own.split('').join('\u034f')],
  ['own, split by unseen signs in percent form', own.split('').join('%E2%80%8B')],
  ['own, split by dots', own.split('').join('.')],
  ['own, over the path of an address', `https://e.example/${own.slice(0, 6)}/${own.slice(6, 12)}/${own.slice(12)}`],
  ['own, in two parameters', `https://e.example/?a=${own.slice(0, 9)}&b=${own.slice(9)}`],
  ['own, in two parameters the other way round', JSON.stringify({ b: own.slice(9), a: own.slice(0, 9) })],
  ['own, in capitals', own.toUpperCase()],
  ['own, backwards', own.split('').toReversed().join('')],
  [
    'own, in hex with colons',
    Buffer.from(own)
      .toString('hex')
      .replaceAll(/..(?=.)/g, '$&:'),
  ],
  ['own, in base64 of base64', base64(base64(own))],
  ['own, in base64 of UTF-16', Buffer.from(own, 'utf16le').toString('base64')],
  ['own, in entities without an end', own.replaceAll(/./g, (each) => `&#${each.charCodeAt(0)}`)],
  ['own, in base32', base32(own)],
  ['of a format, in wide letters', wide(github)],
  ['of a format, in base64', base64(`token ${github}`)],
  ['of a format, in base64 after a path', `https://e.example/collect/${base64(github)}`],
  ...['a', 'ab', 'abc'].map((path) => [
    `of a format, in base64 after a path of ${path.length} characters`,
    `https://e.example/collect/${path}${base64(github)}`,
  ]),
  ['of a format, in hex', Buffer.from(github).toString('hex')],
] as const) {
  test(`a secret goes out in no disguise: ${what}`, () => {
    assert.notEqual(scan.stops(`{"url":"https://e.example/?d=${text}"}`), undefined)
  })
}

function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)])
    .join('')
}

test('a long secret goes out in no disguise: in three pieces', () => {
  const long = 'k3V9x0Qm7Tz5Wp2Lr8Yc4Bn6Hd1Fj0GsEa7Ui5Oy3Xk9Mw2Pq'
  const pieces = [long.slice(34), long.slice(0, 17), long.slice(17, 34)]
  assert.notEqual(createLeakScan([long]).stops(pieces.join(' and ')), undefined)
})

test('a part of a secret, or words that are also in one, go out', () => {
  for (const text of [own.slice(0, 9), 'a correct horse, a battery and a staple: 9', 'q7rm2zx and kp4lw8t'])
    assert.equal(scan.stops(text), undefined, text)
})

test('bytes are scanned as text is, own secrets beyond ASCII too; places count bytes', () => {
  const bytes = Buffer.from('naïve: pässwörd-ünïcode-1 ')
  assert.deepEqual(scan.find(bytes), [
    { rule: 'own-secret', start: 8, end: 8 + Buffer.byteLength('pässwörd-ünïcode-1') },
  ])
})

test('a finding says where it stands in the text as it is', () => {
  const text = 'x %67hp_0123456789abcdefghijABCDEFGHIJ012345 y'
  const [leak] = scan.find(text)
  assert.equal(text.slice(leak?.start, leak?.end), '%67hp_0123456789abcdefghijABCDEFGHIJ012345')
})

test('a short secret of our own is masked and stops nothing', () => {
  const short = createLeakScan(['hush1'])
  assert.deepEqual([short.mask('say hush1 now'), short.stops('say hush1 now')], ['say *** now', undefined])
})

test('two leaks that overlap are masked as one stretch', () => {
  const own = createLeakScan(['token-of-mine-ghp_0123456789abcdefghijABCD'])
  assert.equal(own.mask('a token-of-mine-ghp_0123456789abcdefghijABCDEFGHIJ012345 b'), 'a *** b')
})

test('two scans together find what either finds, each once and in order', () => {
  const [one, other] = [
    createLeakScan(['own-value-of-one'], []),
    createLeakScan(['own-value-of-two', 'own-value-of-one'], []),
  ]
  const joined = joinScans(one, other)
  const text = 'a own-value-of-two b own-value-of-one c'
  assert.deepEqual(
    joined.find(text).map(({ start }) => start),
    [2, 21],
  )
  assert.equal(joined.mask(text), 'a *** b *** c')
  assert.deepEqual(joined.find('own-value-of-one').length, 1)
  assert.deepEqual([joined.stops('own-value-of-two'), joined.stops('own-value-of-one')], ['own-secret', 'own-secret'])
  assert.equal(joined.stops('neither'), undefined)
  assert.deepEqual(joinScans(one, createLeakScan([], [])).find(text), one.find(text))
})

test('leaks that two scans find are told apart without a key for each, which V8 would keep', (t) => {
  const scan = joinScans(createLeakScan(), createLeakScan())
  const text = 'ghp_0123456789abcdefghijABCDEFGHIJ012345 '.repeat(3)
  const setKey = t.mock.method(Map.prototype, 'set')
  const found = scan.find(text)
  const keys = setKey.mock.calls.map(({ arguments: [key] }) => key as unknown)
  assert.equal(found.length, 3)
  assert.deepEqual(
    keys.filter((key) => typeof key === 'string'),
    [],
  )
})

for (const [escape, text] of [
  ['percent', 'https://e.example/?d=%67hp_0123456789abcdefghijABCDEFGHIJ012345'],
  ['twice percent', 'https://e.example/?d=%2567hp_0123456789abcdefghijABCDEFGHIJ012345'],
  ['a JSON escape', '{"d":"\\u0067hp_0123456789abcdefghijABCDEFGHIJ012345"}'],
  ['a hexadecimal escape', "d='\\x67hp_0123456789abcdefghijABCDEFGHIJ012345'"],
  ['a hexadecimal entity', '&#x67;hp_0123456789abcdefghijABCDEFGHIJ012345'],
  ['a decimal entity', '&#103;hp_0123456789abcdefghijABCDEFGHIJ012345'],
] as const) {
  test(`a key with a letter in ${escape} is masked whole`, () => {
    const clean = scan.mask(text)
    assert.equal(scan.find(text).length, 1)
    assert.equal(clean.includes('hp_0123'), false, clean)
    assert.match(clean, /\*\*\*/)
  })
}

for (const text of [
  'sk-xxxxxxxxxxxxxxxxxxxxxxxx',
  'AKIAIOSFODNN7EXAMPLE',
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'ASIAPACIFICSOUTHEAST',
  'sk-circle-fade-dot-animation-container',
  'ghp_your_personal_access_token_goes_here_now',
  'Bearer ACCESS_TOKEN_FROM_THE_PREVIOUS_STEP',
  'postgres://user:pass@localhost/db',
  'https://medium.com/@someone/an-article-1a2b3c4d5e6f',
  '-----BEGIN PRIVATE KEY-----',
  'connect(key_password=self.key_password, socks_password=self._socks_options)',
  'password: correct-horse-battery-staple',
  'password = generatePassword(16)',
  'NEXT_TOKEN=theNextPageOfTheListThatFollows',
  'API_KEY=readTheKeyFromTheVaultInProductionOnly',
  'sdk-for-the-browser-and-the-server-of-version-2',
  'test_a_session_ends_when_its_token_was_revoked',
]) {
  test(`no secret: ${text}`, () => assert.deepEqual(createLeakScan().find(`see ${text} there`), []))
}

test('what only has the shape hides no key that follows it', () => {
  const key = 'sk-Zx9Kp4Lw8Tn3q7Rm2Zx9Kp4L'
  const text = `sk-circle-fade-dot-animation-${'sk-cube-'.repeat(40)}${key}`
  assert.equal(scan.mask(text).includes('Zx9Kp4Lw8Tn3q7Rm2Zx9Kp4L'), false)
})

test('a text without a leak comes back as it was', () => assert.equal(scan.mask('nothing here'), 'nothing here'))

for (const [what, piece] of [
  ['anchors', 'sk-'],
  ['long bodies', 'ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa '],
  ['headers of keys', '-----BEGIN PRIVATE KEY-----\n'],
  ['headers that never end', '-----BEGIN RSA PRIVATE KEY-----\nAAAAAAAAAAAAAAAA'],
  ['tokens that never end', 'eyJhbGciOiJIUzI1.'],
  ['beginnings of tokens in one run', '-eyJ'],
  ['addresses', 'https://a:b'],
  ['encoded', '%25'],
  ['the beginning of a secret', ownSecrets[0]?.slice(0, 12) ?? ''],
  ['a secret', ownSecrets[0] ?? ''],
  ['names', 'API_KEY= '],
] as const) {
  test(`hostile text costs no more than its length: ${what}`, () => {
    assert(growth((times) => scan.find(piece.repeat(times / 4))) < 3)
    assert(growth((times) => scan.stops(piece.repeat(times / 4))) < 3)
  })
}

test('hostile text costs no more than its length: headers of one key', () => {
  const headers = (count: number) => `-----BEGIN PRIVATE KEY-----\n${'a: '.repeat(count)}`
  assert(growth((times) => scan.find(headers(times / 1_000))) < 3)
  assert.deepEqual(scan.find(headers(5_000)), [])
})

test('hostile text costs no more than its length: a key that goes on for megabytes', () => {
  const text = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(5_000_000)}`
  assert.deepEqual(
    scan.find(text).map(({ rule }) => rule),
    ['private-key'],
  )
  const putty = `PuTTY-User-Key-File-3: ssh-ed25519\n${'a'.repeat(10_000_000)}`
  assert.deepEqual(scan.find(putty), [])
})

test('a token is found behind beginnings of tokens, also behind more than it may be long', () => {
  const token = `eyJ${'a1B'.repeat(8)}.eyJ${'c2D'.repeat(8)}.${'e3F'.repeat(8)}`
  for (const before of ['-eyJ', '-eyJ'.repeat(500), `${'-eyJ'.repeat(2_000)}-`, `${'-eyJ'.repeat(50_000)} `, 'aeyJ-']) {
    const text = `${before}${token} x`
    assert(
      scan.find(text).some(({ rule, end }) => rule === 'jwt' && end === text.length - 2),
      before.slice(-20),
    )
  }
})

test('many secrets of our own cost one pass', () => {
  const some = createLeakScan(Array.from({ length: 10 }, (_, at) => `own-${at}-${'q'.repeat(20)}${at}`))
  const many = createLeakScan(Array.from({ length: 200 }, (_, at) => `${at}own-${'q'.repeat(20)}${at}`))
  const text = 'ordinary words and numbers 12345 '.repeat(2_000)
  assert.deepEqual([some.find(text), many.find(text)], [[], []])
  assert.equal(many.find(`x 199own-${'q'.repeat(20)}199 y`).length > 0, true)
})

test('a secret of eight characters blocks, a shorter one is only masked', () => {
  for (const [secret, blocks] of [
    ['k7#pQ2xz', true],
    ['k7#pQ2x', false],
  ] as const) {
    const scan = createLeakScan([secret])
    assert.equal(scan.mask(`a ${secret} b`).includes(secret), false, secret)
    assert.equal(scan.stops(`a ${secret} b`) !== undefined, blocks, secret)
  }
})

test('a secret is masked in slices wherever it stands, plain or hidden, and never all at once', () => {
  const slices = 64 * 1024
  const hidden = own.split('').join('\u034f')
  for (const filler of ['a ', 'é\u0301', '%', '\ud83d\ude00']) {
    for (const secret of [own, hidden, encodeURIComponent(wide(own))]) {
      for (const before of [slices - 20, slices - 3, slices, 2 * slices + 7]) {
        const lead = `${filler
          .repeat(Math.ceil(before / filler.length))
          .slice(0, before)
          .toWellFormed()} `
        const text = `${lead}${secret} ${filler.repeat(slices / filler.length)}`
        const work = scan.maskInSlices(text)
        let pauses = 0
        let step = work.next()
        for (; !step.done; step = work.next()) pauses++
        assert.ok(pauses > 1, `${pauses} pauses`)
        assert.equal(step.value, scan.mask(text))
        assert.ok(step.value.startsWith(`${lead}***`), JSON.stringify(step.value.slice(before - 20, before + 60)))
      }
    }
  }
})

const spelledOut: readonly [what: string, letter: (code: string) => string][] = [
  ['percent', (code) => `%${code}`],
  ['twice percent', (code) => `%25${code}`],
  ['JSON escapes', (code) => `\\u00${code}`],
  ['JSON escapes twice', (code) => `\\\\u00${code}`],
  ['hexadecimal entities', (code) => `&#x${code};`],
]
for (const [what, letter] of spelledOut) {
  test(`a key is found in ${what} wherever it stands, though nothing else follows for long`, () => {
    const spelled = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, letter)
    const rest = spelled(` ${'.'.repeat(500)}`)
    // Slices end in the middle of the key.
    const before = 16 * 1024 - letter('00').length * 20
    for (let shift = 0; shift < 10; shift++) {
      const [lead, key] = [`${'.'.repeat(before + shift)} `, spelled(github)]
      const found = [{ rule: 'github-token', start: lead.length, end: lead.length + key.length }]
      assert.deepEqual(scan.find(lead + key + rest), found, String(shift))
    }
  })
}
