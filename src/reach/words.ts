// Messages in words, for ways that show plain text. The words of a thread are there only if the news has them.
import { type NewsEvent, newsEvents } from '#core/notification.ts'
import { countWords } from '#core/words.ts'
import type { Message, News } from './way.ts'

export type Words = { readonly title: string; readonly body: string }

/** A title that says what kind of news it is, and a body with the title of the thread. */
export function wordsOf(message: Message): Words {
  switch (message.type) {
    case 'test':
      return { title: 'Atrium', body: 'A test message: this way works.' }
    case 'summary':
      return { title: 'Atrium: several news', body: summaryOf(message.counts) }
    case 'news': {
      const { news } = message
      const words = news.content?.text.trim() ?? ''
      return { title: headOf(news), body: words === '' ? news.title : `${news.title}\n\n${words}` }
    }
    default:
      return message satisfies never
  }
}

/** The address on the page that a message is about. */
export function pathOf(message: Message): string {
  if (message.type !== 'news') return message.type === 'summary' && message.counts.needs_you ? '/waiting' : '/'
  const { threadId, missionId } = message.news
  if (threadId !== undefined) return `/threads/${threadId}`
  return missionId === undefined ? '/' : `/missions/${missionId}`
}

function headOf({ event, waitsFor, missionId, paused }: News): string {
  switch (event) {
    case 'needs_you':
      if (waitsFor === 'credential') return 'Atrium needs a sign-in'
      return waitsFor === 'input' ? 'Atrium asks you something' : 'Atrium needs your approval'
    case 'finished':
      return missionId === undefined ? 'Atrium has finished' : 'A mission has something to report'
    case 'failed':
      if (missionId === undefined) return 'A turn failed'
      return paused ? 'A mission failed and is paused' : 'A mission failed'
    default:
      return event satisfies never
  }
}

const manyWords: Readonly<Record<NewsEvent, (count: number) => string>> = {
  needs_you: (count) => `${countWords(count, 'request')} ${count === 1 ? 'waits' : 'wait'} for you`,
  finished: (count) => `${count} finished`,
  failed: (count) => `${count} failed`,
}

function summaryOf(counts: Partial<Record<NewsEvent, number>>): string {
  const parts = newsEvents.flatMap((event) => {
    const count = counts[event] ?? 0
    return count === 0 ? [] : [manyWords[event](count)]
  })
  return `${parts.join(', ')}.`
}
