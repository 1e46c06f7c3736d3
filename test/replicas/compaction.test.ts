// A thread that has outgrown its window, on PostgreSQL: its turn is taken over by another replica, summary and all.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { usePostgres } from '../postgres.ts'
import { type Answer, killAll, newUser, startReplicas, until } from './replicas.ts'

const server = usePostgres()

type Body = { readonly messages: readonly { role: string; content: string }[] }

/** Summarises by one sentence, echoes what it is asked; what begins with `hold` is left without an answer at first. */
async function startModel(t: TestContext) {
  const prompts: string[] = []
  const held: ServerResponse[] = []
  const http = createServer((request, response) => {
    void (async () => {
      const body = (await new Response(ReadableStream.from<Uint8Array>(request)).json()) as Body
      const said = body.messages.findLast(({ role }) => role === 'user')?.content ?? ''
      if (body.messages[0]?.content.startsWith('You write the summary')) return answer(response, 'The word is heron.')
      prompts.push(JSON.stringify(body.messages))
      if (said.includes('hold') && held.push(response) === 1) return undefined
      return answer(response, `echo ${said.slice(-20)}`)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    http.close()
    http.closeAllConnections()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`
  const env = { LLM_PROVIDER: 'openai-compatible', LLM_BASE_URL: url, LLM_MODEL: 'm', LLM_WINDOW: '8000' }
  return { env, prompts, held }
}

function answer(response: ServerResponse, text: string): void {
  const chunk = (value: object): string => `data: ${JSON.stringify({ id: 'c', ...value })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.end(
    chunk({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
      'data: [DONE]\n\n',
  )
}

test('a turn of a compacted thread goes on elsewhere, from the summary', async (t) => {
  const model = await startModel(t)
  const replicas = await startReplicas(2, await server.prepared(), model.env)
  t.after(() => killAll(replicas))
  const [one, two] = replicas
  assert.ok(one && two)
  const token = await newUser(one, 'reader')
  let thread = ''
  const items = async (): Promise<{ type: string; seq: number }[]> =>
    (await two.ask(`/api/threads/${thread}`, { token })).body['items'] as { type: string; seq: number }[]
  for (let at = 0; at < 12; at++) {
    const message = `Part ${at}${at === 0 ? ', the word is heron' : ''}. ${'All is well in the garden. '.repeat(150)}`
    const asked = { message, ...(thread && { thread_id: thread }) }
    const answer: Answer = await one.ask('/api/chat', { token, body: asked })
    assert.equal(answer.body['status'], 'completed', answer.text)
    thread = String(answer.body['thread_id'])
  }
  assert.ok((await items()).some(({ type }) => type === 'summary'))
  const sent = await one.ask('/api/chat/send', { token, body: { message: 'hold on to the word', thread_id: thread } })
  await until('the first replica asks', 60_000, () => Promise.resolve(model.held.length === 1))
  await killAll([one])
  const job = `/api/jobs/${String(sent.body['turn_id'])}`
  await until(
    'the other has answered',
    60_000,
    async () => (await two.ask(job, { token })).body['status'] === 'completed',
  )
  assert.equal((await two.ask(job, { token })).body['response'], 'echo hold on to the word')
  const prompt = model.prompts.at(-1) ?? ''
  assert.match(prompt, /Summary of the conversation so far.*The word is heron\./)
  assert.ok(!prompt.includes('Part 0,'), 'what the summary stands for is not sent again')
  const log = await items()
  assert.deepEqual(
    log.map(({ seq }) => seq),
    log.map((_, at) => at + 1),
  )
})
