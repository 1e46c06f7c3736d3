// What looks random, like a password or like a key, at the edges; and which secrets nobody can guess.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decodesToLogin,
  isPassword,
  isUnguessable,
  looksLikeModelKey,
  looksLikePassword,
  looksRandom,
  looksRandomOrId,
} from '#safety/leak-checks.ts'

test('16 letters and digits that change often cannot be guessed', () => {
  for (const value of ['a1b2c3d4e5f6g7h8', 'a1b2-c3d4-e5f6-g7h8', '9f86d081884c7d659a2f', 'XKqPlmZRtvWbNCydRSgf']) {
    assert.equal(isUnguessable(value), true, value)
  }
})

test('what is shorter, a number, words or a name in camel case can be guessed', () => {
  for (const value of [
    '',
    'a1b2c3d4e5f6g7h',
    '-a1b2c3d4e5f6g7h-',
    '4111111111111111',
    'correct-horse-battery-staple',
    'Correct-Horse-Battery-Staple-Again',
    'ACMEcorporationPassword',
    'spring2026winter2027'.slice(0, 16),
  ]) {
    assert.equal(isUnguessable(value), false, value)
  }
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** What a check takes, and beside it what it just does not. */
const edges: readonly [check: (value: string) => boolean, taken: readonly string[], left: readonly string[]][] = [
  [
    looksRandom,
    [
      // 16 characters in one run, three changes between letters and digits.
      'abcdefghijklm1n2',
      'a-b-abcdefghijklm1n2',
      // 24 characters in one run, three pairs of capitals and four small letters before a capital.
      'abABCDabAbcAbcAbcAbcdefg',
      // 32 characters in all, six changes, small letters and capitals.
      'a1b2c3d4-efghijk-lmnopqr-stuvWXYZ00'.slice(0, 35),
    ],
    [
      '',
      'abcdefghijkl1n2',
      'abcdefghijklmn12',
      'abcdefghijklmnop',
      'abABCDabAbcAbcAbcAbcdef',
      'abABCabcabAbcAbcAbcAbcdef',
      'abABCDabcabcAbcAbcabcdefg',
      'a1b2c3d-efghijk-lmnopqr-stuvwXYZ',
      'a1b2c3d4-efghijk-lmnopqr-stuvwxyz00',
      'A1B2C3D4-EFGHIJK-LMNOPQR-STUVWXYZ00',
      'a1b2c3d4-efghijk-lmnopqr-WXYZ',
    ],
  ],
  [
    looksRandomOrId,
    ['3f2a9c1e-7b64-4d58-9e0f-a1b2c3d4e5f6', 'live-3f2a9c1e-7b64-4d58-9e0f-a1b2c3d4e5f6', 'abcdefghijklm1n2'],
    ['live3f2a9c1-7b64-4d58-9e0f-a1b2c3d4e5f6', '3f2a9c1e-7b64-4d58-9e0f-a1b2c3d4e5', 'word'],
  ],
  [
    looksLikePassword,
    ['abcdefg1h2', 'x-abcdefg1h2', 'Kx93hGm4Qp7Z'],
    ['abcdef1h2', 'abcdefgh12', 'abcdefghij', 'abcde-fg1h2', 'mypassw0rd1x2', 'http://a1b2c3d4', '$a1b2c3d4e5f'],
  ],
  [
    looksLikeModelKey,
    ['abcdefghijklmnopqrstuvwx', 'a-abcdefghijklmno1', 'abcdefghijklmnoP', 'Aa1b2cdefgh-ijklmnop_qrstuvw-xyzabcd-efg'],
    [
      'abcdefghijklmnopqrstuvw',
      'abcdefghijklmno1'.slice(1),
      'abcdefghijklmnop',
      'Aa1b2cdefgh-ijklmnop_qrstuvw-xyzabcd-ef',
      'Aa1bcdefghi-ijklmnop_qrstuvw-xyzabcd-efg',
      'aa1b2cdefgh-ijklmnop_qrstuvw-xyzabcd-efg',
    ],
  ],
  [
    isPassword,
    ['hunter2', 'passwords', '*a', '.a', 'a*'],
    [
      'password',
      'Password',
      'POSTGRES',
      'localhost',
      '$PASS',
      '<pass>',
      '{pass}',
      '[pass]',
      '%s',
      '(pass)',
      '***',
      '...',
    ],
  ],
  [
    decodesToLogin,
    [base64('me:abc'), base64(`${'a'.repeat(100)}:${'b'.repeat(200)}`), base64('me:a:bc')],
    [
      base64('me:ab'),
      base64(':abc'),
      base64('me abc'),
      base64('me:password'),
      base64('me:ab\n'),
      base64(`${'a'.repeat(101)}:abc`),
      base64(`me:${'b'.repeat(201)}`),
    ],
  ],
]
for (const [check, taken, left] of edges) {
  test(`${check.name} takes what is at its edge and no less`, () => {
    assert.deepEqual(
      taken.filter((value) => !check(value)),
      [],
      'not taken',
    )
    assert.deepEqual(left.filter(check), [], 'taken')
  })
}
