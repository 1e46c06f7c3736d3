// Messages to a paired Telegram chat. A gate comes with its buttons if the way may show what will happen; else with a link.
import type { UserId } from '#core/ids.ts'
import type { Outcome, SendBy } from '#reach/way.ts'
import { pathOf, wordsOf } from '#reach/words.ts'

const maxChars = 4_096

/** The Bot API's answer. `sent`: bytes may have reached the server. */
export type BotAnswer =
  | { readonly type: 'ok' }
  | { readonly type: 'refused'; readonly code: number; readonly description: string; readonly retryAfterMs?: number }
  | { readonly type: 'unreachable'; readonly why: string; readonly sent: boolean }

export type TelegramWayParts = {
  readonly send: (chat: string, text: string, signal: AbortSignal) => Promise<BotAnswer>
  readonly isPaired: (user: UserId, chat: string) => Promise<boolean>
  /** Has the question of a gate asked in the chat, with its buttons; once, however often it is called. */
  readonly ask: (user: UserId, chat: string, gate: { threadId: string; callId: string }) => Promise<void>
  /** The address of the page, for the link of a message; undefined if it is not known. */
  readonly page: () => string | undefined
}

export function createTelegramWay({ send, isPaired, ask, page }: TelegramWayParts): SendBy {
  return async ({ userId, target: chat }, message, signal) => {
    // Another user may have the chat now.
    if (!(await isPaired(userId, chat))) return { type: 'gone', why: 'the chat is not paired any more' }
    const { threadId, content } = message.type === 'news' ? message.news : {}
    if (threadId !== undefined && content?.gate) {
      await ask(userId, chat, { threadId, callId: content.gate.callId })
      return { type: 'sent' }
    }
    const { title, body } = wordsOf(message)
    const origin = page()
    const link = origin === undefined || message.type === 'test' ? '' : `\n\n${origin}${pathOf(message)}`
    const words = `${title}\n${body}`.slice(0, maxChars - link.length).toWellFormed()
    return outcomeOf(await send(chat, words + link, signal))
  }
}

function outcomeOf(answer: BotAnswer): Outcome {
  if (answer.type === 'ok') return { type: 'sent' }
  if (answer.type === 'unreachable') {
    const { why, sent } = answer
    return sent ? { type: 'unknown', why } : { type: 'later', why }
  }
  const { code, description: why, retryAfterMs } = answer
  if (code === 403) return { type: 'gone', why: 'the bot was blocked' }
  if (/chat not found|user is deactivated/i.test(why)) return { type: 'gone', why: 'the chat does not exist any more' }
  if (code === 429 || code === 401 || code >= 500) {
    return { type: 'later', why, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  }
  return { type: 'refused', why }
}
