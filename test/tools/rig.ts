// The built-in tools as a test calls them: a context, and a server on this machine that the web tools may reach.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { AppError } from '#core/errors.ts'
import { operator } from '#core/ids.ts'
import type { Tool, ToolContext } from '#core/tool.ts'
import { createDial } from '#net/dial.ts'
import { createFetch, createRefusal, type Fetch, type Refusal } from '#net/fetch.ts'
import { resolveName } from '#net/resolve.ts'
import type { Job } from '#tools/job.ts'
import { resultOf } from '#tools/job-result.ts'
import type { RunJob } from '#tools/worker.ts'

/** Runs a tool as a call would. */
export function run(tool: Tool, args: unknown, more: Partial<ToolContext> = {}): Promise<string> {
  const context = { user: operator, threadId: 't', turnId: 'u', callId: 'c', signal: AbortSignal.timeout(60_000) }
  return tool.run(typeof args === 'string' ? args : JSON.stringify(args), { ...context, ...more })
}

/** Runs a job in this thread, for tests of what comes of it: a thread of its own loads its code anew each time. */
export const runJobHere: RunJob = async (job: Job): Promise<never> => {
  const result = await resultOf(structuredClone(job))
  if (!result.ok) throw new AppError('tool_refused', result.message)
  return result.value as never
}

export type Site = { readonly url: string; readonly fetch: Fetch; readonly refusal: Refusal; readonly seen: string[] }

/** A server of the web, and the way out of the tools with it as a listed host. */
export async function openSite(
  t: TestContext,
  answer: (request: IncomingMessage & { body: string }, response: ServerResponse) => void,
): Promise<Site> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      seen.push(`${request.method} ${request.url}`)
      answer(Object.assign(request, { body }), response)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetch = createFetch({ dial: createDial({ lookup: resolveName }), privateHosts: [host] })
  return { url: `http://${host}`, fetch, refusal: createRefusal({ privateHosts: [host] }), seen }
}
