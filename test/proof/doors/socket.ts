// The live connection: a message is sent, its thread is followed, and the connection is cut and opened again.
import { WebSocket } from 'ws'
import { hasSecret, marksIn, messageOf } from '../history.ts'
import type { Person, World } from '../world.ts'
import { acknowledged, asked, type Message, threadFor } from './chat.ts'

const patienceMs = 60_000
const followMs = 5_000
const pauseMs = 60

type Frame = {
  readonly type: string
  readonly ref?: string
  readonly thread_id?: string
  readonly turn_id?: string
  readonly seq?: number
  readonly status?: string
  readonly code?: string
}

/** Sends a message until it is accepted, then follows its thread for a while, with a cut in between. */
export async function socket(world: World, person: Person, { op, task }: Message): Promise<void> {
  const threadId = threadFor(person)
  asked(world, person, { op, task, door: 'socket', threadId })
  const ref = `op-${op}`
  const message = messageOf({ op, user: person.name, task })
  const frame = { type: 'message', ref, message, ...(threadId && { thread_id: threadId }) }
  let ids: { turnId: string; threadId: string } | undefined
  for (const end = Date.now() + patienceMs; !ids && Date.now() < end; await pause(pauseMs)) {
    const answer = await exchange(world, person, { frame, until: (got) => got.ref === ref, forMs: patienceMs })
    const last = answer.at(-1)
    if (last?.ref === ref && last.type === 'accepted') ids = acknowledged(world, person, { op, task }, last)
    // Any refusal but of a database that is away is one.
    else if (last?.ref === ref && last.code !== 'database_unavailable' && last.code !== 'shutting_down') return
  }
  if (ids) await follow(world, person, ids)
}

/** Reads a thread over several connections: each goes on after the last seq of the one before. */
async function follow(world: World, person: Person, ids: { turnId: string; threadId: string }): Promise<void> {
  const seqs: number[] = []
  const cuts = person.dice.below(3)
  for (let left = cuts; left >= 0; left--) {
    const frame = { type: 'subscribe', thread_id: ids.threadId, after: seqs.length }
    let items = 0
    const isEnd = (got: Frame): boolean => {
      if (got.type === 'item') items++
      const rests =
        got.type === 'turn' && got.turn_id === ids.turnId && got.status !== 'queued' && got.status !== 'running'
      return rests || (left > 0 && items > 2)
    }
    const frames = await exchange(world, person, { frame, until: isEnd, forMs: followMs })
    for (const got of frames)
      if (got.type === 'item' && got.thread_id === ids.threadId && got.seq !== undefined) seqs.push(got.seq)
  }
  if (seqs.length > 0) world.record({ type: 'followed', user: person.name, threadId: ids.threadId, after: 0, seqs })
}

type Exchange = { readonly frame: object; readonly until: (frame: Frame) => boolean; readonly forMs: number }

/** Opens a connection, sends a frame and reads until one fits, the connection ends or the time is over. */
function exchange(world: World, person: Person, { frame, until, forMs }: Exchange): Promise<Frame[]> {
  const frames: Frame[] = []
  const url = `${world.site.gateway().replace(/^http/, 'ws')}/api/chat/ws`
  const ws = new WebSocket(url, { headers: { authorization: `Bearer ${person.token}` } })
  return new Promise((resolve) => {
    const timer = setTimeout(() => ws.terminate(), forMs)
    ws.on('open', () => ws.send(JSON.stringify(frame)))
    ws.on('message', (data: Buffer) => {
      const text = data.toString('utf8')
      const marks = marksIn(text)
      if (hasSecret(text)) world.record({ type: 'leaked', where: `/api/chat/ws to ${person.name}` })
      if (marks.length > 0) world.record({ type: 'shown', user: person.name, marks, where: '/api/chat/ws' })
      const got = JSON.parse(text) as Frame
      frames.push(got)
      if (until(got)) ws.terminate()
    })
    ws.on('error', () => {})
    ws.on('close', () => {
      clearTimeout(timer)
      resolve(frames)
    })
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
