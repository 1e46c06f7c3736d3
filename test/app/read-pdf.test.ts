// PDFs of senders: one of each user at a time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReadPdf } from '#app/read-pdf.ts'
import { userId } from '#core/ids.ts'
import type { RunJob } from '#tools/worker.ts'
import { until } from '../until.ts'

test('one user reads one PDF at a time and has ten waiting; others are not held up', async () => {
  const open: (() => void)[] = []
  const run = () => new Promise((done) => open.push(() => done({ title: '', pages: 1, texts: [] })))
  const readPdf = createReadPdf(() => Promise.resolve(run as RunJob))
  const { signal } = new AbortController()
  const bytes = new Uint8Array(9)
  const ofAda = Array.from({ length: 11 }, () => readPdf(bytes, signal, userId('ada')))
  await until(() => open.length === 1)
  await assert.rejects(readPdf(bytes, signal, userId('ada')), { code: 'overloaded' })
  const ofBob = readPdf(bytes, signal, userId('bob'))
  await until(() => open.length === 2)
  open[1]?.()
  await ofBob
  assert.equal(open.length, 2, 'the other PDFs of the first user still wait')
  for (let next = 0; next < 12; next++) {
    await until(() => open.length > next)
    open[next]?.()
  }
  await Promise.all(ofAda)
})
