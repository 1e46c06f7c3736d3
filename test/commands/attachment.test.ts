// A file that goes with a message: found by however its path was written, refused where no model could take it.
import assert from 'node:assert/strict'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { readAttachment } from '#commands/attachment.ts'
import { readPdf } from '#tools/web/pdf.ts'
import { newHome } from '../new-home.ts'
import { pdfOf } from '../pdf.ts'

const home = newHome()
after(home.remove)
const at = (name: string, bytes: string | Buffer): string => {
  const path = join(home.path, name)
  writeFileSync(path, bytes)
  return path
}
const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')

test('a text is a file, a picture is a picture by what is in it, whatever its name', async () => {
  const text = at('a file.log', 'héllo')
  const part = { type: 'file', name: 'a file.log', text: 'héllo' }
  const inHome = `~/${relative(homedir(), text)}`
  const quoted = [`'${text}'`, `"${text}"`, text.replace(' ', '\\ ')]
  for (const written of [text, ...quoted, pathToFileURL(text).href, `"${inHome}"`]) {
    assert.deepEqual(await readAttachment(written), { name: 'a file.log', size: 6, part }, written)
  }
  const url = `data:image/png;base64,${png.toString('base64')}`
  assert.deepEqual((await readAttachment(at('picture.txt', png))).part, { type: 'image', url })
})

test('a picture of 8 MiB is taken', async () => {
  const path = at('large.png', png)
  truncateSync(path, 8 * 1024 * 1024)
  assert.equal((await readAttachment(path)).size, 8 * 1024 * 1024)
})

test('a PDF is the text of its pages', async () => {
  const { name, part } = await readAttachment(at('tides.pdf', pdfOf(['High water', 'Low water'])), readPdf)
  assert.deepEqual([name, part.type === 'file' && part.pages], ['tides.pdf', { all: 2, read: 2 }])
  assert.match(JSON.stringify(part), /High water.*Low water/)
  await assert.rejects(readAttachment(at('locked.pdf', pdfOf(['x'], { locked: true })), readPdf), {
    message: /locked\.pdf is a PDF that cannot be read: it is protected by a password/,
  })
})

test('what cannot go is told with its path and its reason', async () => {
  mkdirSync(join(home.path, 'folder'))
  const large = at('large.txt', '')
  truncateSync(large, 9 * 1024 * 1024)
  const refused: readonly (readonly [path: string, says: RegExp])[] = [
    [join(home.path, 'none.txt'), /none\.txt does not exist/],
    [join(home.path, 'folder'), /folder is not a file/],
    [at('empty.txt', ''), /empty\.txt is empty/],
    [
      at('program', Buffer.from([0, 1, 2])),
      /program is neither a picture \(png, jpeg, gif, webp\), a PDF nor UTF-8 text/,
    ],
    [at('long.txt', 'x'.repeat(1024 * 1024 + 1)), /long\.txt has 1048577 bytes, a text file has at most 1048576/],
    [large, /has 9437184 bytes, at most 8388608 are taken/],
  ]
  for (const [path, says] of refused) await assert.rejects(readAttachment(path), says)
})
