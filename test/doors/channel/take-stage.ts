// A chat channel, its store and turns, played for tests of taking a message.
import assert from 'node:assert/strict'
import type { ChatEffect, PairedChat, Post } from '#core/channel.ts'
import { operator } from '#core/ids.ts'
import type { FileRef, IncomingMessage } from '#doors/channel/channel.ts'
import { maxFilesMs, takeMessage, type TakeParts } from '#doors/channel/take-message.ts'
import { readPdf } from '#tools/web/pdf.ts'
import type { StartTurn } from '#turns/turns.ts'

export const chat: PairedChat = { channel: 'telegram', chat: '7', user: operator, threadId: 't' }
export const updates = { channel: 'telegram', account: '1', ids: [1] } as const
export const message: IncomingMessage = { type: 'message', ids: [1], chat: '7', message: '5', text: 'hi', files: [] }
export const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
export const text = (words: string) => ({ type: 'text', text: words })
export const sent = (name: string, bytes?: number): FileRef => ({
  id: name,
  name,
  ...(bytes !== undefined && { bytes }),
})

export type Play = {
  readonly start?: (turn: StartTurn) => void
  readonly posts?: readonly Partial<Post>[]
  readonly stopped?: Readonly<Record<string, { removed: readonly string[]; stopped?: string }>>
  readonly answered?: Post
  readonly status?: string
  readonly edit?: () => void
  readonly file?: (name: string) => Buffer | { fault: string }
  readonly readPdf?: TakeParts['readPdf']
  readonly filesMs?: number
}

export function stage(play: Play = {}) {
  const effects: ChatEffect[] = []
  const started: StartTurn[] = []
  const taken: unknown[] = []
  const stops: string[] = []
  const edits: unknown[] = []
  const fetched: unknown[] = []
  let closed = 0
  const parts = {
    channel: {
      name: 'telegram',
      fetchFile({ name }: FileRef, maxBytes: number) {
        fetched.push([name, maxBytes])
        return Promise.resolve(play.file?.(name) ?? png)
      },
    },
    store: {
      taken: () => Promise.resolve(false),
      takeEffect: (_updates: unknown, _chat: unknown, effect: ChatEffect) => Promise.resolve(effects.push(effect) > 0),
      takeTurn: (_updates: unknown, _chat: unknown, given: unknown) => Promise.resolve(taken.push(given) > 0),
      takePairing: (_updates: unknown, from: string, { hash }: { hash: string }) =>
        Promise.resolve(taken.push([from, hash.length > 0]) > 0 ? { ...chat, chat: from } : undefined),
      posts: () => Promise.resolve(play.posts ?? []),
      answerTo: (...asked: readonly unknown[]) =>
        Promise.resolve(assert.deepEqual(asked, ['telegram', '7', '5']) ?? play.answered),
    },
    turns: {
      async startBy(turn: StartTurn, store: (stored: unknown) => Promise<unknown>) {
        started.push(turn)
        await Promise.resolve(play.start?.(turn))
        await store('stored')
        return { events: { close: () => closed++ } }
      },
      stopAll: (_user: unknown, id: string) => {
        stops.push(id)
        return Promise.resolve(play.stopped?.[id] ?? { removed: [] })
      },
      get: () => Promise.resolve(play.status && { id: 'u', userId: operator, status: play.status }),
      editQueued: async (...given: readonly unknown[]) => {
        edits.push(given)
        await Promise.resolve(play.edit?.())
      },
    },
    readPdf: play.readPdf ?? readPdf,
    threads: {
      list: (_user: unknown, { limit }: { limit: number }) =>
        Promise.resolve({ rows: ['a', 'b'].slice(0, limit).map((id) => ({ id, title: id, state: 'idle' })) }),
    },
  } as unknown as TakeParts
  const stopping = new AbortController()
  const filesTime = { leftMs: play.filesMs ?? maxFilesMs }
  const take = (over: Partial<IncomingMessage> = {}, of: PairedChat = chat) =>
    takeMessage(parts, { updates, chat: of, message: { ...message, ...over }, signal: stopping.signal, filesTime })
  return {
    take,
    stop: () => stopping.abort(),
    parts,
    effects,
    started,
    taken,
    stops,
    edits,
    fetched,
    closed: () => closed,
  }
}

export const content = ([turn]: readonly StartTurn[]) => {
  const [input] = turn?.input ?? []
  return input?.type === 'message' ? input.content : undefined
}
