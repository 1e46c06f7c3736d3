// The threads that the sidebar's search found by their messages, with the words around the match.
import { useEffect } from 'preact/hooks'
import type { ListedThread } from '#doors/web/wire/thread.ts'
import { doorOf } from '../lib/doors.ts'
import { plainText } from '../lib/found.ts'
import { route, threadIdIn } from '../router.ts'
import { followSearch, foundThreads, messageSearch, searching } from '../store/message-search.ts'
import { shownThreads, threadSearch } from '../store/threads.ts'
import { Found } from './found.tsx'
import './found-threads.css'
import { Icon } from './icon.tsx'

export function FoundThreads() {
  useEffect(followSearch, [])
  const threads = foundThreads.value
  const words = threadSearch.value.trim()
  if (messageSearch.fault.value !== undefined) return <p class="threads-none">{messageSearch.fault.value}</p>
  if (threads.length === 0) {
    if (shownThreads.value.length > 0) return null
    return (
      <p class="threads-none" role="status">
        {searching.value ? 'Searching…' : `Nothing about “${words}”`}
      </p>
    )
  }
  return (
    <section aria-label="In messages">
      <h3 class="label threads-day">In messages</h3>
      <ul>
        {threads.map((thread) => (
          <li key={thread.id} class="thread-row">
            <Row thread={thread} words={words} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Row({ thread: { id, title, door, match }, words }: { thread: ListedThread; words: string }) {
  return (
    <a
      href={`/threads/${id}`}
      class="side-row found-row"
      title={title}
      aria-label={title || 'Untitled'}
      aria-describedby={match && `found-${id}`}
      aria-current={threadIdIn(route.value.path) === id ? 'page' : undefined}
    >
      <Icon name={doorOf(door).icon} />
      <span class="found-text">
        <span class="one-line" dir="auto">
          {title || 'Untitled'}
        </span>
        {match && (
          <span class="found-words two-lines" dir="auto" id={`found-${id}`}>
            <Found text={plainText(match.snippet)} query={words} />
          </span>
        )}
      </span>
    </a>
  )
}
