// Messages to an ntfy topic, on ntfy.sh or a server of one's own.
import { outcomeOf } from '#reach/http-outcome.ts'
import type { Message, Post, SendBy } from '#reach/way.ts'
import { pathOf, wordsOf } from '#reach/words.ts'

/** ntfy turns longer messages into files. */
const maxBodyBytes = 4_000

export type NtfyParts = {
  readonly post: Post
  /** The address of the page, for the link of a message; undefined if it is not known. */
  readonly page: () => string | undefined
  readonly now?: () => number
}

export function createNtfy({ post, page, now = Date.now }: NtfyParts): SendBy {
  return async (way, message, signal) => {
    const { title, body } = wordsOf(message)
    const origin = page()
    const headers = new Map([
      ['content-type', 'text/plain; charset=utf-8'],
      // The title has only ASCII: the words of users are in the body.
      ['title', title],
      ['priority', priorityOf(message)],
      ...(origin === undefined ? [] : [['click', `${origin}${pathOf(message)}`] as const]),
    ])
    const answer = await post({ url: way.target, headers, body: cutBytes(body) }, signal)
    return outcomeOf(answer, 'the ntfy server', now())
  }
}

function priorityOf(message: Message): string {
  return message.type === 'news' && message.news.event === 'needs_you' ? 'high' : 'default'
}

/** The beginning of a text, up to a number of bytes in UTF-8. */
function cutBytes(text: string): Buffer {
  const { written } = new TextEncoder().encodeInto(text, new Uint8Array(maxBodyBytes))
  return Buffer.from(text, 'utf8').subarray(0, written)
}
