// The world outside of the service: the model, which does what a message says, and the place where payments arrive. Both
// write into the history.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  callChunk,
  lastChunks,
  lastSaid,
  messagesOf,
  type ModelMessage,
  type ModelServer,
  startAnswer,
  startModelServer,
  textChunk,
  textIn,
} from '../replicas/model.ts'
import { argsOf, hostileTool } from './hostile-calls.ts'
import { type Event, hasSecret, markOf, marksIn, readMessage, type Task } from './history.ts'

const used = { prompt: 100, completion: 10 }
/** Between two pieces of a text, of three words each: long enough to be killed in. */
const pieceMs = 8
const payMs = 30
const modelFaultMs = 1_500
const slowMs = 700

/** Tools of the MCP server, which is hostile: they answer, fail, end the process, flood, tell a secret or never answer. */
export const serverTools = ['echo', 'environment', 'fail', 'die', 'flood', 'long', 'secret', 'silent'] as const

/** The function that callers bring. */
export const callerFunction = 'mine'

export type Outside = ModelServer & {
  /** What can go wrong with the model. */
  readonly faults: Readonly<Record<string, () => Promise<void>>>
}

/** Writes what it sees with `record`. Replies depend only on the prompt. */
export async function startOutside(record: (event: Event) => void): Promise<Outside> {
  const failedOnce = new Set<number>()
  let how: 'well' | 'slowly' | 'cut' = 'well'
  const forAWhile = (state: typeof how) => async (): Promise<void> => {
    how = state
    await sleep(modelFaultMs)
    how = 'well'
  }
  const server = await startModelServer(async (request, response) => {
    const paid = /^\/pay\/(\d+)$/.exec(request.url ?? '')
    if (paid) {
      record({ type: 'effect', op: Number(paid[1]) })
      await request.resume().toArray()
      // Long enough to be killed in.
      await sleep(payMs)
      response.end('paid')
      return
    }
    const forbidden = /^\/forbidden\/(\d+)$/.exec(request.url ?? '')
    if (forbidden) {
      record({ type: 'escaped', op: Number(forbidden[1]) })
      response.end('=')
      return
    }
    const messages = await messagesOf(request)
    const message = readMessage(lastSaid(messages))
    const step = messages.length - 1 - messages.findLastIndex(({ role }) => role === 'user')
    const prompt = messages.map(({ content }) => textIn(content)).join('\n')
    const marks = marksIn(prompt)
    if (hasSecret(prompt)) record({ type: 'leaked', where: `the prompt of op ${message?.op}` })
    record({ type: 'prompted', op: message?.op ?? -1, step, marks })
    if (!message) {
      await tell(response, 'nothing was asked')
      return
    }
    if (how === 'cut') {
      record({ type: 'broken', op: message.op })
      startAnswer(response)
      response.write(textChunk('Let me '))
      await sleep(pieceMs)
      throw new Error('cut')
    }
    if (how === 'slowly') await sleep(slowMs)
    if (message.task === 'break' && step === 0) {
      const again = failedOnce.has(message.op)
      failedOnce.add(message.op)
      await fail(response, message.op, again)
      return
    }
    const call = step === 0 ? callOf(message, String(request.headers.host)) : undefined
    if (call) {
      startAnswer(response)
      response.end(textChunk('Let me see. ') + callChunk(call.name, call.args) + lastChunks('tool_calls', used))
      return
    }
    await tell(response, replyTo(message.op, marks[0] ?? markOf('nobody'), resultIn(messages)))
  })
  return { ...server, faults: { 'model slow': forAWhile('slowly'), 'model cut off': forAWhile('cut') } }
}

/** The reply to a message, the same each time. */
function replyTo(op: number, mark: string, result: string): string {
  const words = Array.from({ length: 4 + (op % 5) }, (_, at) => `word${at}`)
  return `reply to op ${op} of ${mark}: ${result} ${words.join(' ')}`
}

function callOf({ op, task }: { op: number; task: Task }, host: string) {
  if (task === 'look') return { name: 'calculate', args: { expression: `${op} + 1` } }
  // Without a city it makes no request.
  if (task === 'component') return { name: 'weather', args: { action: 'get_current', city: '' } }
  if (task === 'use') return { name: `rude__${serverTools[op % serverTools.length]}`, args: { op } }
  if (task === 'rowdy') return { name: hostileTool, args: argsOf(op, host) }
  if (task === 'ask') return { name: callerFunction, args: { op } }
  if (task !== 'pay') return undefined
  return { name: 'http_request', args: { method: 'POST', url: `http://${host}/pay/${op}` } }
}

/** What the tool said, in short. */
function resultIn(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return 'no tool'
  const text = textIn(last.content)
  if (text.includes('may or may not')) return 'unknown'
  // With the blank: the fence around a text from outside has `=` too.
  return /paid|= /.test(text) ? 'done' : 'refused'
}

async function tell(response: ServerResponse, text: string): Promise<void> {
  startAnswer(response)
  for (const piece of text.match(/(?:\S+\s*){1,3}/g) ?? []) {
    response.write(textChunk(piece))
    await sleep(pieceMs)
  }
  response.end(lastChunks('stop', used))
}

/** A model that refuses, that is cut off in its text, or that fails once. */
async function fail(response: ServerResponse, op: number, again: boolean): Promise<void> {
  if (op % 3 === 0) {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"refused"}}')
  } else if (op % 3 === 1) {
    startAnswer(response)
    response.write(textChunk(`reply to op ${op} is `))
    await sleep(pieceMs)
    throw new Error('cut')
  } else if (again) await tell(response, `reply to op ${op} at the second try`)
  else {
    response.writeHead(500, { 'retry-after': '0' })
    response.end()
  }
}
