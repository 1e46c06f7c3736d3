// Telegram as a channel over a Bot API that gives the answers of a test, in order.
import assert from 'node:assert/strict'
import type { BotApi, Called } from '#doors/telegram/client.ts'
import { createTelegramChannel } from '#doors/telegram/telegram-channel.ts'
import { silentLog } from '#lib/log.ts'

export type Answer = Called<unknown>
type Call = { readonly method: string; readonly args: readonly unknown[]; readonly atSecs: number }

export const ok = (result: unknown = { message_id: 5 }): Answer => ({ type: 'ok', result })
export const refused = (code: number, description = 'no', more: object = {}): Answer => ({
  type: 'refused',
  code,
  description,
  ...more,
})
export const away: Answer = { type: 'unreachable', why: 'no route', sent: false }
export const outage = (calls: number): Answer[] => Array.from({ length: calls }, () => away)
export const { signal } = new AbortController()
export const update = (id: number) => ({
  update_id: id,
  message: { message_id: id, chat: { id: 7, type: 'private' }, text: 'hi' },
})

/** A Bot API that gives the answers in order, and the last one again and again. */
export function script(...answers: readonly Answer[]) {
  const calls: Call[] = []
  const logged: string[] = []
  const method = (_: unknown, name: string) => {
    if (name === 'botId') return '4711'
    return (...args: readonly unknown[]): Promise<Answer> => {
      calls.push({ method: name, args: args.filter((arg) => !(arg instanceof AbortSignal)), atSecs: Date.now() / 1000 })
      return Promise.resolve(answers[Math.min(calls.length, answers.length) - 1] ?? assert.fail('no answer'))
    }
  }
  const api = new Proxy({}, { get: method }) as unknown as BotApi
  const log = { ...silentLog, warn: (_: object, words = '') => void logged.push(words) }
  return {
    calls,
    logged,
    channel: createTelegramChannel({ api, log }),
    times: () => calls.map(({ atSecs }) => atSecs),
  }
}
