// The interface of a chat channel to the shared part: its updates as plain data, and a few verbs on messages.
import type { Door } from '#core/doors.ts'

/** A button of a message. `data` comes back when it is pressed. */
export type ShownButton = { readonly label: string; readonly data: string }

/** One message. `markdown` is shown with its emphasis where the channel can; `plain` is shown as it is. */
export type Content =
  | { readonly type: 'markdown'; readonly text: string }
  | { readonly type: 'plain'; readonly text: string; readonly buttons?: readonly ShownButton[] }
  | { readonly type: 'file'; readonly name: string; readonly text: string }

/**
 * The outcome of a change in a chat. `gone`: the chat takes no messages, since its person blocked the bot. `missing`: the
 * message to change is not there. `refused`: the channel will not do it, so it is not tried again.
 */
export type Outcome =
  | { readonly type: 'done' }
  | { readonly type: 'gone' | 'missing' }
  | { readonly type: 'refused'; readonly why: string }

export type SendOutcome =
  | Exclude<Outcome, { type: 'done' | 'missing' }>
  | { readonly type: 'sent'; readonly message: string }

/** A file of a message, before it is fetched. */
export type FileRef = { readonly id: string; readonly name: string; readonly bytes?: number }

/** A message in a private chat. An album is one. */
export type IncomingMessage = Extract<Incoming, { type: 'message' }>

/** An event in a private chat. `ids` are the updates that it came in. */
export type Incoming =
  | {
      readonly type: 'message'
      readonly ids: readonly number[]
      readonly chat: string
      readonly message: string
      readonly text: string
      readonly files: readonly FileRef[]
      /** The message was changed after it was sent. */
      readonly edited?: true
      /** It has content that no door takes, such as a voice message. */
      readonly unsupported?: true
      /** The messages that it was joined from. */
      readonly album?: readonly IncomingMessage[]
    }
  | {
      readonly type: 'press'
      readonly ids: readonly number[]
      readonly chat: string
      readonly message: string
      /** The id of the press, for an answer to the person who pressed. */
      readonly press: string
      readonly data: string
    }
  /** Of no private chat: a group, or a kind of update that is not served. */
  | { readonly type: 'ignored'; readonly ids: readonly number[]; readonly chat?: string }

/**
 * A chat channel. Its verbs wait out rate limits and outages, and reject only when the signal aborts. A `refused` token
 * ends the signal's work as an error of `updates`.
 */
export interface Channel {
  readonly name: Door
  /** The account that updates and messages belong to. */
  readonly account: string
  readonly maxChars: number
  /** Minimum time between two changes of one message. */
  readonly editGapMs: number
  /**
   * Batches of what happened. When the next batch is asked for, the one before is confirmed: the channel does not send it
   * again. So everything in it must have been stored.
   */
  updates(signal: AbortSignal): AsyncIterable<readonly Incoming[]>
  send(
    chat: string,
    content: Content,
    how: { readonly replyTo?: string; readonly signal: AbortSignal },
  ): Promise<SendOutcome>
  edit(chat: string, message: string, content: Content, signal: AbortSignal): Promise<Outcome>
  remove(chat: string, message: string, signal: AbortSignal): Promise<Outcome>
  /** Tells the person who pressed a button, without a message. */
  answerPress(press: string, text: string, signal: AbortSignal): Promise<void>
  /** The bytes of a file, or why there are none. */
  fetchFile(file: FileRef, maxBytes: number, signal: AbortSignal): Promise<Buffer | { readonly fault: string }>
}
