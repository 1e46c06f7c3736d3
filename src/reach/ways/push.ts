// Web Push to browsers: the payload is encrypted for one browser (RFC 8291), the request is signed (VAPID).
import { outcomeOf } from '#reach/http-outcome.ts'
import type { PushKeys } from '#reach/push-keys.ts'
import type { Message, Post, SendBy } from '#reach/way.ts'
import { pathOf, wordsOf } from '#reach/words.ts'
import webPush from 'web-push'

/** News is not shown after a day. */
const keptSecs = 86_400
/** Push services take 4,096 bytes, of which the encryption takes about a hundred. */
const maxBodyChars = 800

/** A subscription, as a browser makes it. */
export type Subscription = {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
}

export type PushParts = {
  readonly post: Post
  readonly keys: () => Promise<PushKeys>
  /** Whom the push service may write to about trouble: an https address or mailto. */
  readonly contact: () => string
}

/** The notification that the service worker shows. */
export type PushPayload = {
  readonly title: string
  readonly body: string
  /** The address on the page that a click opens. */
  readonly path: string
  /** News with the same tag replaces the earlier one. */
  readonly tag: string
}

export function createPush({ post, keys, contact }: PushParts): SendBy {
  return async (way, message, signal) => {
    const { publicKey, privateKey } = await keys()
    const payload = JSON.stringify(payloadOf(message))
    const { endpoint, headers, body } = webPush.generateRequestDetails(
      JSON.parse(way.target) as Subscription,
      payload,
      {
        vapidDetails: { subject: contact(), publicKey, privateKey },
        TTL: keptSecs,
        contentEncoding: 'aes128gcm',
        urgency: message.type === 'news' && message.news.event === 'needs_you' ? 'high' : 'normal',
      },
    )
    const sent = new Map(
      Object.entries(headers)
        .filter(([name]) => name !== 'Content-Length')
        .map(([name, value]) => [name.toLowerCase(), String(value)]),
    )
    const answer = await post({ url: endpoint, headers: sent, body }, signal)
    return outcomeOf(answer, 'the push service', Date.now())
  }
}

function payloadOf(message: Message): PushPayload {
  const { title, body } = wordsOf(message)
  const path = pathOf(message)
  return {
    title,
    body: body.slice(0, maxBodyChars).toWellFormed(),
    path,
    tag: message.type === 'news' ? path : message.type,
  }
}
