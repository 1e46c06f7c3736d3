// Results of calls, as the agent reads them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallOutput, readResult as readInSlices } from '#mcp/result.ts'
import { drained } from '#safety/drained.ts'

const png = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }

function readResult(result: unknown): CallOutput {
  return drained(readInSlices(result))
}

test('content becomes text', () => {
  const rows: [result: unknown, text: string][] = [
    [
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'a\nb',
    ],
    [{ content: [] }, ''],
    [{ content: [], structuredContent: { a: 1 } }, '{"a":1}'],
    [{ content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 } }, 'a'],
    [{ structuredContent: null }, 'null'],
    [{ content: [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }] }, '[audio: audio/wav, 3 bytes]'],
    [
      { content: [{ type: 'resource_link', uri: 'file:///a', name: 'a', description: 'the\nfile' }] },
      '[resource: a, file:///a, the file]',
    ],
    [{ content: [{ type: 'resource', resource: { uri: 'x:1', text: 'body' } }] }, '[resource: x:1]\nbody'],
    [
      { content: [{ type: 'resource', resource: { uri: 'x:1', mimeType: 'a/b', blob: 'A'.repeat(40_000) } }] },
      '[resource: x:1, a/b, 29 KB]',
    ],
    [{ content: [{ type: 'hologram' }] }, '[a block of the kind hologram]'],
    [{ content: ['x', { type: 'text' }] }, '[an unreadable block]\n'],
    [undefined, ''],
    [[], ''],
    [{ content: 'x' }, ''],
  ]
  for (const [result, text] of rows) assert.equal(readResult(result).text, text, JSON.stringify(result))
})

test('images that models take are kept beside a line', () => {
  const { text, images } = readResult({ content: [png, { ...png, mimeType: 'image/svg+xml' }, { ...png, data: '"x' }] })
  assert.deepEqual(images, ['data:image/png;base64,iVBORw0KGgo='])
  assert.equal(text.split('\n').length, 3)
  assert.equal(readResult({ content: Array.from({ length: 20 }, () => png) }).images.length, 8)
  assert.equal(readResult({ content: [{ ...png, data: 'A'.repeat(9 * 1024 * 1024) }] }).images.length, 0)
})

test('an error says so, and a long list of blocks is cut', () => {
  assert.equal(readResult({ content: [], isError: true }).isError, true)
  assert.equal(readResult({ content: [], isError: 'no' }).isError, false)
  const { text } = readResult({ content: Array.from({ length: 1_500 }, () => ({ type: 'text', text: 'x' })) })
  assert.match(text, /500 more blocks are left out/)
})

test('the bounds of images and blocks are where they are said to be', () => {
  const start = 'data:image/png;base64,'.length
  const sized = (chars: number) => ({ ...png, data: 'A'.repeat(chars - start) })
  const kept = (...images: object[]) => readResult({ content: images }).images.length
  assert.equal(kept(sized(8 * 1024 * 1024)), 1)
  assert.equal(kept(sized(8 * 1024 * 1024 + 1)), 0)
  assert.equal(kept(sized(8 * 1024 * 1024 - 100), sized(100)), 2)
  assert.equal(kept(sized(8 * 1024 * 1024 - 100), sized(101), sized(100)), 2)
  for (const mimeType of ['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
    assert.equal(kept({ ...png, mimeType }), 1)
  const blocks = (count: number) =>
    readResult({ content: Array.from({ length: count }, () => ({ type: 'text', text: 'x' })) })
  assert.equal(blocks(1_000).text.split('\n').length, 1_000)
  assert.equal(blocks(1_001).text.split('\n').at(-1), '[1 more blocks are left out]')
})

test('sizes and names in lines are short', () => {
  const lineOf = (block: object) => readResult({ content: [block] }).text
  const audio = (chars: number) => lineOf({ type: 'audio', mimeType: 'a/b', data: 'A'.repeat(chars) })
  assert.equal(audio(2_048), '[audio: a/b, 1.5 KB]')
  assert.equal(audio(13_653), '[audio: a/b, 10.0 KB]')
  assert.equal(audio(13_654), '[audio: a/b, 10 KB]')
  assert.equal(lineOf({ type: 'x'.repeat(600) }), `[a block of the kind ${'x'.repeat(500)}]`)
  assert.equal(lineOf({ type: 5 }), '[a block of the kind unknown]')
  assert.equal(lineOf({ type: 'resource' }), '[an unreadable resource]')
  assert.equal(lineOf({ type: 'resource_link', title: 't', name: 'n', uri: 5 }), '[resource: t]')
})

test('a long result is read in slices: one for each block, or of its structured content', () => {
  const content = Array.from({ length: 100 }, () => ({ type: 'text', text: 'x' }))
  assert.equal([...readInSlices({ content })].length, 100)
  const structuredContent = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`name ${at}`, at]))
  assert.ok([...readInSlices({ structuredContent })].length > 10)
  assert.equal(readResult({ structuredContent }).text, JSON.stringify(structuredContent))
})
