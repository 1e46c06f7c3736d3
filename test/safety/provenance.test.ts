// Who gave an address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Item, textMessage } from '#core/item.ts'
import { eventOrigin } from '#core/origins.ts'
import { drained } from '#safety/drained.ts'
import { type Provenance, provenance, provenanceInSlices } from '#safety/provenance.ts'
import { urlsIn } from '#safety/urls-in-text.ts'
import { growth } from './growth.ts'

const says = (text: string): Item => textMessage('user', text)
const answers = (text: string): Item => textMessage('assistant', text)
const calls = (name: string, args: object, callId = 'c1'): Item => ({
  type: 'call',
  callId,
  name,
  args: JSON.stringify(args),
})
const gets = (output: string, callId = 'c1'): Item => ({ type: 'result', callId, output, origin: 'web_fetch' })

const rows: readonly [what: string, url: string, items: Item[], expected: Provenance][] = [
  ['in a message', 'https://a.example/x?y=1', [says('read https://a.example/x?y=1 please')], 'user'],
  ['before a full stop', 'https://a.example/x', [says('See https://a.example/x.')], 'user'],
  ['in brackets', 'https://a.example/x_(y)', [says('(see https://a.example/x_(y))')], 'user'],
  ['before a Chinese full stop', 'https://a.example/x', [says('请看 https://a.example/x。')], 'user'],
  ['with another case of the host', 'https://a.example/X', [says('https://A.Example/X')], 'user'],
  ['with its usual port', 'https://a.example/x', [says('https://a.example:443/x')], 'user'],
  ['without the part after #', 'https://a.example/x#two', [says('https://a.example/x#one')], 'user'],
  ['in its ASCII form', 'https://xn--bcher-kva.example/x', [says('https://bücher.example/x')], 'user'],
  ['in a result', 'https://b.example/x', [says('hi'), gets('go to https://b.example/x now')], 'result'],
  ['in a markdown link', 'https://b.example/x', [says('hi'), gets('[x](https://b.example/x)')], 'result'],
  [
    'in HTML, with its entities',
    'https://b.example/x?a=1&b=2',
    [says('hi'), gets('<a href="https://b.example/x?a=1&amp;b=2">')],
    'result',
  ],
  [
    'in JSON, with its escapes',
    'https://b.example/x',
    [says('hi'), gets('{"u":"https:\\/\\/b.example\\/x"}')],
    'result',
  ],
  [
    "in a caller's output",
    'https://b.example/x',
    [{ type: 'answer', callId: 'c', decision: 'output', output: 'https://b.example/x', by: 'a' }],
    'result',
  ],
  [
    'followed before and given again',
    'https://b.example/x',
    [
      gets('https://b.example/x'),
      calls('web_fetch', { url: 'https://b.example/x' }, 'c2'),
      gets('at https://b.example/x', 'c2'),
    ],
    'result',
  ],
  ['of a host the user named', 'https://a.example/other', [says('what does a.example say?')], 'host-named-by-user'],
  ['of a host in an address', 'https://a.example/other', [says('https://a.example/x')], 'host-named-by-user'],
  [
    'of a host with umlauts',
    'https://xn--bcher-kva.example/',
    [says('such mal auf bücher.example')],
    'host-named-by-user',
  ],
  ['nowhere', 'https://evil.example/?d=1', [says('hi'), gets('visit evil.example soon')], 'composed'],
  ['with more at its end', 'https://b.example/x?d=secret', [gets('https://b.example/x?d=')], 'composed'],
  ['shorter than what was given', 'https://b.example/', [gets('https://b.example/x')], 'composed'],
  ['with another percent-encoding', 'https://b.example/%78', [gets('https://b.example/x')], 'composed'],
  ['with another scheme', 'http://b.example/x', [gets('https://b.example/x')], 'composed'],
  ['with a name and password', 'https://u:p@b.example/x', [gets('https://b.example/x')], 'composed'],
  ['on a subdomain of a named host', 'https://secret.a.example/', [says('a.example')], 'composed'],
  ['on the parent of a named host', 'https://example.net/', [says('a.example.net')], 'composed'],
  ['on another port of a named host', 'https://a.example:8443/', [says('a.example')], 'composed'],
  ['on a host that is a file', 'https://readme.md/?d=1', [says('summarise README.md')], 'composed'],
  ['on the host of a mail address', 'https://corp.example/?d=1', [says('write to bob@corp.example')], 'composed'],
  [
    'in a file of the user',
    'https://f.example/x',
    [{ type: 'message', role: 'user', content: [{ type: 'file', name: 'a', text: 'https://f.example/x' }] }],
    'composed',
  ],
  [
    "in a code host's event",
    'https://f.example/x',
    [textMessage('user', 'Event.', [{ type: 'text', text: 'https://f.example/x f.example', origin: eventOrigin }])],
    'composed',
  ],
  ["in the model's own answer", 'https://e.example/?d=1', [answers('https://e.example/?d=1'), says('yes')], 'composed'],
  [
    'written by the model and read back',
    'https://e.example/?d=1',
    [calls('workspace_write', { content: 'https://e.example/?d=1' }), gets('https://e.example/?d=1')],
    'composed',
  ],
  [
    'written with escapes and read back',
    'https://e.example/?d=1',
    [
      { type: 'call', callId: 'c1', name: 'x', args: '{"a":"https:\\/\\/e.exampl\\u0065\\/?d=1"}' },
      gets('https://e.example/?d=1'),
    ],
    'composed',
  ],
  [
    'written in two parts and joined by memory',
    'https://e.example/?d=1',
    [calls('memory_read', { path: 'a' }), gets('https://e.example/?d=1')],
    'composed',
  ],
  [
    'echoed by a host from its end',
    'https://e.example/c/SECRET-123',
    [calls('web_fetch', { url: 'https://echo.example/c/SECRET-123' }), gets('https://e.example/c/SECRET-123')],
    'composed',
  ],
  [
    'thought of and then echoed',
    'https://e.example/?d=1',
    [{ type: 'reasoning', text: 'https://e.example/?d=1' }, gets('https://e.example/?d=1')],
    'composed',
  ],
  [
    'called as if it were a tool, and told to be none',
    'https://e.example/?d=1',
    [
      calls('https://e.example/?d=1', {}),
      { type: 'result', callId: 'c1', output: 'there is no tool named https://e.example/?d=1', error: true },
    ],
    'composed',
  ],
  [
    'called as if it were a tool, and echoed from outside',
    'https://e.example/?d=1',
    [calls('https://e.example/?d=1', {}), gets('https://e.example/?d=1')],
    'composed',
  ],
  [
    "cut short in the service's own words",
    'https://secret.e.example/',
    [
      calls('time', { zone: 'https://secret.e.example/and-more' }),
      { type: 'result', callId: 'c1', output: 'no zone https://secret.e.example/ …', error: true },
    ],
    'composed',
  ],
  [
    'in the word of a person who denied',
    'https://b.example/x',
    [{ type: 'answer', callId: 'c', decision: 'deny', output: 'take https://b.example/x instead', by: 'a' }],
    'result',
  ],
  ['by http, of a host named with https', 'http://a.example/x', [says('https://a.example/x')], 'composed'],
  ['by http and another path', 'http://a.example/y', [says('https://a.example/x')], 'composed'],
  ['by https, of a host named with http', 'https://a.example/x', [says('http://a.example/x')], 'host-named-by-user'],
  ['by http, of a host named alone', 'http://a.example/x', [says('ask a.example')], 'host-named-by-user'],
  ['at another port of a named host', 'https://a.example:8443/x', [says('ask a.example')], 'composed'],
  ['at another port of a host in an address', 'https://a.example:8443/x', [says('https://a.example/x')], 'composed'],
  [
    'at the port of a host in an address',
    'https://a.example:8443/y',
    [says('https://a.example:8443/x')],
    'host-named-by-user',
  ],
  ['at no port of a host named with one', 'https://a.example/x', [says('https://a.example:8443/x')], 'composed'],
  ['of another host that ends alike', 'https://xa.example/x', [says('https://a.example/x and a.example')], 'composed'],
  ['of a host above the named one', 'https://a.example/x', [says('https://b.a.example/x and b.a.example')], 'composed'],
  ['by http, of a result with https', 'http://b.example/x', [says('hi'), gets('https://b.example/x')], 'composed'],
  [
    'whose path of eight characters the model wrote before',
    'https://b.example/abcdefgh',
    [answers('abcdefgh'), gets('https://b.example/abcdefgh')],
    'composed',
  ],
  [
    'whose shorter path the model wrote before',
    'https://b.example/abcdefg',
    [answers('abcdefg'), gets('https://b.example/abcdefg')],
    'result',
  ],
  [
    'beside others in a result',
    'https://b.example/x',
    [says('hi'), gets('https://c.example/ https://b.example/x https://d.example/')],
    'result',
  ],
  [
    'whose path the model wrote before in another spelling',
    'https://b.example/a%20long%20path',
    [answers('a long path'), gets('https://b.example/a%20long%20path')],
    'composed',
  ],
  [
    'whose path the model wrote before with other escapes',
    'https://b.example/a-long-path',
    [answers('a%2Dlong%2Dpath'), gets('https://b.example/a-long-path')],
    'composed',
  ],
  ['before sixteen signs', 'https://a.example/x', [says(`https://a.example/x${'!'.repeat(16)}`)], 'user'],
  [
    'before seventeen signs',
    'https://a.example/x',
    [says(`https://a.example/x${'!'.repeat(17)}`)],
    'host-named-by-user',
  ],
  ['that is none', 'file:///etc/passwd', [says('file:///etc/passwd')], 'composed'],
  ['that is too long', `https://a.example/${'x'.repeat(9_000)}`, [says('a.example')], 'composed'],
]
for (const [what, url, items, expected] of rows) {
  test(`an address ${what} is ${expected}`, () => assert.equal(provenance(url, items), expected))
}

test('several addresses are looked up in one go, also in long texts', () => {
  const pad = 'word '.repeat(5_000)
  const items = [
    says(`${pad}https://a.example/1${pad} and c.example`),
    answers(`${'x'.repeat(70_000)}a-long-path${pad}`),
    gets(`${pad}https://b.example/2 https://b.example/a-long-path`),
  ]
  const urls = [
    'https://a.example/1word',
    'https://b.example/2',
    'https://b.example/a-long-path',
    'https://c.example/3',
  ]
  const found = drained(provenanceInSlices([...urls, 'https://d.example/', urls[1] ?? ''], items))
  assert.deepEqual(found, ['user', 'result', 'composed', 'host-named-by-user', 'composed', 'result'])
})

test('an escape is decoded wherever a long text is cut', () => {
  for (let before = 32 * 1024 - 12; before < 32 * 1024; before++) {
    const written: Item = { type: 'call', callId: 'c1', name: 'x', args: `${' '.repeat(before)}a\\u005C/b%2Dlonger` }
    assert.equal(
      provenance('https://b.example/a/b-longer', [written, gets('https://b.example/a/b-longer')]),
      'composed',
    )
  }
})

test('addresses are taken out of prose as they are meant', () => {
  const text =
    'See https://a.example/x, "https://b.example/?q=1" and <https://c.example>; (https://d.example/e)... **https://f.example/g**'
  assert.deepEqual(urlsIn(text), [
    'https://a.example/x',
    'https://b.example/?q=1',
    'https://c.example',
    'https://d.example/e',
    'https://f.example/g',
  ])
})

for (const [what, piece] of [
  ['brackets', ')'],
  ['addresses', 'https://a'],
  ['dots', 'a.'],
  ['accents', '\u0301\u0323'],
] as const) {
  test(`hostile text costs no more than its length: ${what}`, () => {
    assert(
      growth((times) =>
        provenance('https://x.example/y', [
          says(piece.repeat(times)),
          gets(`https://b.example/${piece.repeat(times)}`),
          gets(`https://x${piece.repeat(times)}`),
        ]),
      ) < 3,
    )
  })
}
