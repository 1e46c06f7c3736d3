// Jobs apart from the service: each kind has its answer, is bounded, and is ended when nobody waits for it.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createJobRunner } from '#tools/worker.ts'
import { openAllFiles } from '../full-files.ts'
import { pdfBomb, pdfOf } from '../pdf.ts'
import { patienceMs, until } from '../until.ts'

const page = { type: 'page', html: '<p>x', url: 'https://a.example' } as const
const patience = (): AbortSignal => AbortSignal.timeout(patienceMs)

test('a call that is given up leaves no worker behind', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'atrium-jobs-'))
  t.after(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'a.txt'), 'a lighthouse\n')
  const runJob = createJobRunner({ deadlineMs: patienceMs })
  const stop = new AbortController()
  const running = runJob(page, stop.signal)
  stop.abort()
  await assert.rejects(running)
  await assert.rejects(runJob(page, stop.signal))
  // More than run at once.
  const search = { type: 'search', root, home: join(root, 'home'), names: [], pattern: 'house' } as const
  const searches = Array.from({ length: 5 }, () => runJob(search, patience()))
  assert.equal((await runJob(page, patience())).text, 'x')
  for (const text of await Promise.all(searches)) assert.match(text, /a lighthouse/)
})

test('a PDF is read in a process, and why another cannot be read comes from there too', async () => {
  const runJob = createJobRunner({ deadlineMs: patienceMs })
  const read = (text: string) => runJob({ type: 'pdf', bytes: Buffer.from(text) }, patience())
  assert.deepEqual(await read(pdfOf(['High water'])), { title: 'Tide table', pages: 1, texts: ['High water'] })
  await assert.rejects(read('no PDF at all'), { code: 'tool_refused', message: /PDF/ })
})

test('a job for which no process can be started fails by itself', async () => {
  const runJob = createJobRunner({ deadlineMs: patienceMs })
  await runJob({ type: 'pdf', bytes: Buffer.from(pdfOf(['High water'])) }, patience())
  using _ = openAllFiles()
  await assert.rejects(runJob({ type: 'pdf', bytes: Buffer.from('') }, patience()), {
    code: 'tool_refused',
    message: /too many open files/,
  })
})

test('a small PDF that unpacks to 1 GiB is ended at the bound on memory, which is not of the heap alone', async () => {
  const runJob = createJobRunner({ deadlineMs: patienceMs, maxPdfMb: 256 })
  const bytes = pdfBomb()
  assert.ok(bytes.length < 4_000)
  await assert.rejects(runJob({ type: 'pdf', bytes }, patience()), {
    code: 'tool_refused',
    message: 'it needs more than 256 MB of memory',
  })
})

test('200 jobs wait for a place, and one more is refused', async () => {
  const stop = new AbortController()
  const runJob = createJobRunner({ deadlineMs: patienceMs })
  const job = { type: 'pdf', bytes: new Uint8Array() } as const
  // Two run, as processes; all are given up before they have begun to work.
  const jobs = Array.from({ length: 203 }, () => runJob(job, stop.signal))
  const codes = jobs.map((each) => each.then(String, ({ code, name }: { code?: string; name: string }) => code ?? name))
  assert.equal(await codes[202], 'overloaded')
  stop.abort()
  assert.equal((await Promise.all(codes)).filter((code) => code === 'overloaded').length, 1)
})

test('a PDF that is given up leaves no process behind', async (t) => {
  const started: ChildProcess[] = []
  const note = (told: unknown): void => void started.push((told as { process: ChildProcess }).process)
  subscribe('child_process', note)
  t.after(() => unsubscribe('child_process', note))
  const stop = new AbortController()
  const running = createJobRunner({ deadlineMs: patienceMs })({ type: 'pdf', bytes: pdfBomb() }, stop.signal)
  const refused = assert.rejects(running, { message: 'it took too long and was stopped' })
  await until(() => started.length > 0)
  stop.abort()
  await refused
  assert.deepEqual(
    started.map(({ signalCode }) => signalCode),
    ['SIGKILL'],
  )
})
