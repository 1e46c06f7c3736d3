// The seam of ways: a way gets a message and says what became of it. A new way is a file in `ways/` and a row where the
// app opens them.
import type { Gate } from '#core/item.ts'
import type { NewsEvent, NotificationWay, WayKind } from '#core/notification.ts'

/** Something that a user is told. */
export type News = {
  readonly event: NewsEvent
  /** The title of the thread, or of the mission if it has no thread. */
  readonly title: string
  readonly threadId?: string
  readonly turnId?: string
  readonly missionId?: string
  /** Its mission was paused. */
  readonly paused?: true
  /** The kind of the gate that waits, for `needs_you`. */
  readonly waitsFor?: Gate['kind']
  /** The words of the thread: only for ways with `content: true`. */
  readonly content?: {
    readonly text: string
    /** The gate that opened, with what will happen. */
    readonly gate?: Gate
  }
}

export type Message =
  | { readonly type: 'news'; readonly news: News }
  /** Several news as one. */
  | { readonly type: 'summary'; readonly counts: Readonly<Partial<Record<NewsEvent, number>>> }
  | { readonly type: 'test' }

/** The result of sending a message. `why` is for people and the log: it names no secret. */
export type Outcome =
  | { readonly type: 'sent' }
  /** The other side does not know the way any more: it is removed. */
  | { readonly type: 'gone'; readonly why: string }
  /** It has not arrived; another try may succeed. */
  | { readonly type: 'later'; readonly why: string; readonly retryAfterMs?: number }
  /** It has not arrived, and no try will succeed. */
  | { readonly type: 'refused'; readonly why: string }
  /** The connection broke after the request: it may have arrived. */
  | { readonly type: 'unknown'; readonly why: string }

/** Sends one message. Failures are returned, not thrown. */
export type SendBy = (way: NotificationWay, message: Message, signal: AbortSignal) => Promise<Outcome>

/** How messages are sent by each kind of way; each is loaded with its first message. */
export type Ways = Readonly<Partial<Record<WayKind, () => Promise<SendBy>>>>

/** One POST request under the address rules of tools, redirects included. */
export type Post = (
  request: { readonly url: string; readonly headers: ReadonlyMap<string, string>; readonly body: Buffer },
  signal: AbortSignal,
) => Promise<PostAnswer>

export type PostAnswer =
  | { readonly type: 'answer'; readonly status: number; readonly headers: ReadonlyMap<string, string> }
  /** `blocked`: the address rules refuse it. `sent`: bytes may have reached the server. */
  | { readonly type: 'fault'; readonly message: string; readonly blocked: boolean; readonly sent: boolean }
