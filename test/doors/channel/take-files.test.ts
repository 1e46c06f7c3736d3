// Files of a chat message: pictures, PDFs and texts, within their limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operator } from '#core/ids.ts'
import { maxAttachedBytes, maxAttachments, maxPictureBytes, maxTextFileBytes } from '#core/page-limits.ts'
import type { FileRef } from '#doors/channel/channel.ts'
import type { TakeParts } from '#doors/channel/take-message.ts'
import { readPdf } from '#tools/web/pdf.ts'
import { withFakeClock } from '../../fake-clock.ts'
import { pdfOf } from '../../pdf.ts'
import { content, type Play, png, sent, stage, text } from './take-stage.ts'

test('files go with a message in their order', async () => {
  const { take, started, fetched } = stage({ file: (name) => Buffer.from(`the words of ${name}`) })
  await take({ files: [sent('b'), sent('a')] })
  const part = (name: string) => ({ type: 'file', name, text: `the words of ${name}` })
  assert.deepEqual(content(started), [text('hi'), part('b'), part('a')])
  assert.deepEqual(fetched, [
    ['b', maxPictureBytes],
    ['a', maxPictureBytes],
  ])
})

test('files need no words, but a message needs one of both', async () => {
  const picture = { type: 'image', url: `data:image/png;base64,${png.toString('base64')}` }
  const withFile = stage()
  await withFile.take({ text: '', files: [sent('a')] })
  assert.deepEqual(content(withFile.started), [picture])
  const empty = stage()
  await empty.take({ text: '' })
  assert.match(empty.effects[0]?.note ?? '', /^This message was not taken: .*empty/)
})

const pdf = (lines: readonly string[], options?: { locked: boolean }) => () => Buffer.from(pdfOf(lines, options))

test('a PDF goes with a message as the text of its pages', async () => {
  const { take, started } = stage({ file: pdf(['High water', 'Low water']) })
  await take({ files: [sent('tides.pdf')] })
  const words = '[page 1 of 2]\nHigh water\n\n[page 2 of 2]\nLow water'
  assert.deepEqual(content(started), [
    text('hi'),
    { type: 'file', name: 'tides.pdf', text: words, pages: { all: 2, read: 2 } },
  ])
})

test('PDFs of a chat wait with the others of its user', async () => {
  const users: unknown[] = []
  const { take } = stage({
    file: pdf(['x']),
    readPdf: (bytes, _signal, user) => (users.push(user), readPdf(bytes)),
  })
  await take({ files: [sent('a')] })
  assert.deepEqual(users, [operator])
})

/** Reads until it is given up. */
const endless: TakeParts['readPdf'] = (_bytes, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
  })

test('a PDF that takes too long is given up, and that is said', async () => {
  const { take, started, effects } = stage({ file: pdf(['x']), readPdf: endless, filesMs: 1 })
  await take({ files: [sent('slow.pdf')] })
  assert.match(effects[0]?.note ?? '', /^This message was not taken: slow\.pdf was not read in time/)
  assert.equal(started.length, 0)
})

test('files behind those that used up the time are refused unread, and that is said; words alone are taken', async (t) => {
  const { take, started, effects, fetched } = stage({ file: pdf(['x']), readPdf: endless })
  await withFakeClock(t, async () => {
    await take({ files: [sent('slow.pdf')] })
    await take({ files: [sent('next.pdf')] })
    await take()
  })
  assert.deepEqual([fetched.length, started.length, effects.length], [1, 1, 2])
  assert.match(effects[1]?.note ?? '', /^This message was not taken: the files before it took too long. Send it again/)
})

test('a message whose PDF is being read when the service stops is left for the next start', async () => {
  const { take, stop, started, effects } = stage({
    file: pdf(['x']),
    readPdf: (bytes, signal) => {
      const reading = endless(bytes, signal)
      stop()
      return reading
    },
  })
  await assert.rejects(take({ files: [sent('a')] }), { name: 'AbortError' })
  assert.deepEqual([started, effects], [[], []])
})

test('PDFs whose texts are too much together are refused, and that is said', async () => {
  const texts = ['x'.repeat(maxTextFileBytes - 100)]
  const of = (count: number) => ({ files: Array.from({ length: count }, () => sent('a')) })
  const play: Play = { file: pdf(['x']), readPdf: () => Promise.resolve({ title: '', pages: 1, texts }) }
  const most = stage(play)
  await most.take(of(10))
  const more = stage(play)
  await more.take(of(11))
  assert.deepEqual([most.started.length, more.started.length], [1, 0])
  assert.match(more.effects[0]?.note ?? '', /^This message was not taken: the text of the PDFs/)
})

const large = Buffer.concat([png, Buffer.alloc(maxAttachedBytes / 2 - png.length)])
const refusals: readonly (readonly [what: string, files: readonly FileRef[], file: Play['file'], says?: RegExp])[] = [
  ['as many files as are allowed', Array.from({ length: maxAttachments }, () => sent('a')), undefined],
  ['one file more', Array.from({ length: maxAttachments + 1 }, () => sent('a')), undefined, /at most 20 files/],
  ['a file as large as is allowed', [sent('a', maxPictureBytes)], undefined],
  ['a larger one', [sent('a', maxPictureBytes + 1)], undefined, /a is too large/],
  ['as much as is allowed together', [sent('a'), sent('b')], () => large],
  ['more than that', [sent('a'), sent('b'), sent('c')], (name) => (name === 'c' ? png : large), /all files together/],
  [
    'a PDF that needs a password',
    [sent('a')],
    pdf(['x'], { locked: true }),
    /a is a PDF that cannot be read: .*password/,
  ],
  ['a PDF of pictures', [sent('a')], pdf(['']), /a is a PDF without text/],
  ['a file that is not there', [sent('a')], () => ({ fault: 'HTTP 404' }), /a could not be fetched: HTTP 404/],
]

for (const [what, files, file, says] of refusals) {
  test(`a message with ${what} is ${says ? 'refused, and that is said' : 'taken'}`, async () => {
    const { take, started, effects } = stage(file && { file })
    await take({ files })
    if (says) assert.match(effects[0]?.note ?? '', says)
    assert.deepEqual([started.length, effects.length], says ? [0, 1] : [1, 0])
  })
}
