// Brings a post to a chat. Each message is first sent with a placeholder, its id is stored, and then it is edited to what
// it says: a crash at any point leaves at worst a placeholder, and never says anything twice.
import type { Post } from '#core/channel.ts'
import type { ChannelStore } from '#core/store.ts'
import type { Channel, Content, Outcome } from './channel.ts'

export const placeholder = '…'
/** Messages of one post: 4,096 characters each at Telegram. */
const maxMessages = 100
/** The mark of a file among the stored ids: a file cannot become a text, nor a text a file. */
const fileMark = 'file:'

export type DeliverParts = {
  readonly channel: Channel
  readonly store: Pick<ChannelStore, 'setMessages'>
  /** Throws when another process has taken over. */
  readonly check: () => void
  /** The message that the first one answers visibly. */
  readonly replyTo?: string
  readonly now?: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Delivery {
  /** Makes the chat show exactly these messages for the post. */
  show(contents: readonly Content[], signal: AbortSignal): Promise<Exclude<Outcome, { type: 'missing' }>>
}

export function createDelivery(post: Post, parts: DeliverParts): Delivery {
  const { channel, store, check, replyTo, now = () => performance.now() } = parts
  const { chat } = post
  const messages = [...post.messages]
  /** The text of each message, and since when, as far as this process knows. */
  const shown: ({ readonly content: Content; readonly at: number } | undefined)[] = messages.map(() => undefined)

  async function save(): Promise<void> {
    await store.setMessages(post.id, messages)
  }

  async function send(at: number, content: Content, signal: AbortSignal): Promise<Outcome> {
    check()
    const isFile = content.type === 'file'
    const first = isFile ? content : ({ type: 'plain', text: placeholder } as const)
    const quoted = at === 0 && replyTo !== undefined ? { replyTo } : {}
    const sent = await channel.send(chat, first, { ...quoted, signal })
    if (sent.type !== 'sent') return sent
    messages[at] = isFile ? `${fileMark}${sent.message}` : sent.message
    shown[at] = { content: first, at: -Infinity }
    await save()
    return { type: 'done' }
  }

  /** Removes the messages from one on, the last one first: what comes in their place comes in order. */
  async function removeFrom(at: number, signal: AbortSignal): Promise<void> {
    while (messages.length > at) {
      check()
      await channel.remove(chat, idOf(messages.at(-1) ?? ''), signal)
      messages.pop()
      shown.pop()
      await save()
    }
  }

  /** Edits a message, at most once in a while. */
  async function edit(at: number, content: Content, signal: AbortSignal): Promise<Outcome> {
    const { at: since = -Infinity } = shown[at] ?? {}
    const waitMs = since + channel.editGapMs - now()
    if (waitMs > 0) await parts.wait(waitMs, signal)
    check()
    const outcome = await channel.edit(chat, messages[at] ?? '', content, signal)
    if (outcome.type === 'done') shown[at] = { content, at: now() }
    return outcome
  }

  async function showOne(at: number, content: Content, signal: AbortSignal): Promise<Outcome> {
    const message = messages[at]
    if (message !== undefined && message.startsWith(fileMark) !== (content.type === 'file'))
      await removeFrom(at, signal)
    if (at >= messages.length) {
      const sent = await send(at, content, signal)
      if (sent.type !== 'done') return sent
    }
    if (content.type === 'file' || same(shown[at]?.content, content)) return { type: 'done' }
    return edit(at, content, signal)
  }

  return {
    async show(contents, signal) {
      const all = contents.slice(0, maxMessages)
      for (const [at, content] of all.entries()) {
        let outcome = await showOne(at, content, signal)
        if (outcome.type === 'missing') {
          // Somebody deleted it in the chat.
          await removeFrom(at, signal)
          outcome = await showOne(at, content, signal)
        }
        if (outcome.type === 'missing') return { type: 'refused', why: 'the message cannot be changed' }
        if (outcome.type !== 'done') return outcome
      }
      await removeFrom(all.length, signal)
      return { type: 'done' }
    },
  }
}

function idOf(message: string): string {
  return message.startsWith(fileMark) ? message.slice(fileMark.length) : message
}

function same(before: Content | undefined, content: Content): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(content)
}
