// The bar that finds words in a long thread, of which the browser's own search sees a part only.
import { useEffect, useLayoutEffect, useMemo } from 'preact/hooks'
import { useSignal } from '@preact/signals'
import { findPattern, maxFindChars } from '#core/find-pattern.ts'
import { numberWords } from '#core/words.ts'
import { useLayer } from '../layers.ts'
import type { Conversation } from '../store/conversation.ts'
import { notify } from '../store/notices.ts'
import { findOpen, shownMessage } from '../store/shown-message.ts'
import { createThreadFinder, type Found, loadBack } from '../store/thread-find.ts'
import { IconButton } from './button.tsx'
import './find.css'
import { focusFirst } from './focus.ts'
import { rangesIn } from './found.tsx'
import { Icon } from './icon.tsx'

/** Words are looked up once nothing was typed for so long. */
const typingMs = 150
/** The page is marked again at most so often while it changes. */
const markMs = 100
/** Drawings to wait for a turn that is brought into the page. */
const maxFrames = 120

const texts = '.bubble, .markdown'

export function Find({ conversation }: { conversation: Conversation }) {
  const words = useSignal('')
  const finder = useMemo(() => createThreadFinder(conversation.id), [conversation.id])
  const found = finder.found.value
  const at = finder.at.value

  const close = (): void => {
    findOpen.value = undefined
  }
  useLayer(close)
  useLayoutEffect(() => {
    const opener = document.activeElement
    focusFirst('.find input')
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus()
      else focusFirst('.composer-text')
      close()
    }
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => void finder.search(words.value), typingMs)
    return () => clearTimeout(timer)
  }, [finder, words.value])
  useMarks(words.value)
  useEffect(() => {
    if (!found || found.seqs.length === 0) return undefined
    const left = new AbortController()
    void show(conversation, found, { at, signal: left.signal })
    return () => left.abort()
  }, [found, at])

  const press = (event: KeyboardEvent): void => {
    const inField = event.target instanceof HTMLInputElement
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: event.shiftKey ? -1 : 1 }[event.key]
    if (step === undefined || !inField || event.isComposing) return
    finder.step(step)
    event.preventDefault()
  }
  const none = found === undefined || found.seqs.length === 0
  return (
    <search class="find" aria-label="Find in this thread" onKeyDown={press}>
      <div class="search">
        <Icon name="search" />
        <input
          class="input"
          type="text"
          role="searchbox"
          aria-label="Find in this thread"
          placeholder="Find in this thread"
          autocomplete="off"
          maxLength={maxFindChars}
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
      </div>
      <span class="label find-count" role="status">
        {countWords(found, at)}
      </span>
      <span class="find-steps">
        <IconButton icon="down" name="Previous match" disabled={none} onClick={() => finder.step(-1)} />
        <IconButton icon="down" name="Next match" disabled={none} onClick={() => finder.step(1)} />
      </span>
      <IconButton icon="cross" name="Close" onClick={close} />
    </search>
  )
}

function countWords(found: Found | undefined, at: number): string {
  if (!found) return ''
  if (found.fault !== undefined) return found.fault
  if (found.seqs.length === 0) return 'Nothing found'
  return `${numberWords(at + 1)} of ${numberWords(found.seqs.length)}${found.more ? '+' : ''}`
}

/** Marks the words in the texts that are in the page, again as it changes. */
function useMarks(words: string): void {
  useEffect(() => {
    const pattern = findPattern(words)
    const log = document.querySelector('.transcript')
    if (!pattern || !log || !('highlights' in CSS)) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const mark = (): void => {
      timer = undefined
      CSS.highlights.set('found', new Highlight(...rangesIn(log.querySelectorAll(texts), pattern)))
    }
    mark()
    const watcher = new MutationObserver(() => (timer ??= setTimeout(mark, markMs)))
    watcher.observe(log, { childList: true, subtree: true, characterData: true })
    return () => {
      watcher.disconnect()
      clearTimeout(timer)
      CSS.highlights.delete('found')
      CSS.highlights.delete('found-now')
    }
  }, [words])
}

/** Brings the turn of a place into the page and the place into view. */
async function show(
  conversation: Conversation,
  { seqs, words }: Found,
  { at, signal }: { readonly at: number; readonly signal: AbortSignal },
): Promise<void> {
  const seq = seqs[at] ?? 0
  const loaded = await loadBack(conversation, seq, signal)
  if (signal.aborted) return
  if (!loaded) return notify('The earlier part of the thread could not be read.')
  const turn = conversation.turns.peek().findLast((each) => each.seq <= seq)
  if (!turn) return
  const find = (): Element | null => document.querySelector(`[data-turn="${CSS.escape(turn.key)}"]`)
  if (!find()) shownMessage.value = { threadId: conversation.id, seq }
  // A long text is drawn in slices.
  const drawn = await until(() => (find()?.querySelector('.markdown[aria-busy=true]') ? null : find()), signal)
  const pattern = findPattern(words)
  if (!drawn || !pattern) return
  const ranges = rangesIn(drawn.querySelectorAll(texts), pattern)
  // The text of a message may have more places than the page shows of it, such as the address of a link.
  const range = ranges[Math.min(at - seqs.findIndex((each) => each >= turn.seq), ranges.length - 1)]
  const into = range?.startContainer.parentElement ?? drawn
  if (range && 'highlights' in CSS) CSS.highlights.set('found-now', new Highlight(range))
  into.scrollIntoView({ block: 'center' })
  // Parts that are drawn for the first time move it.
  await nextFrame()
  if (!signal.aborted) into.scrollIntoView({ block: 'center' })
}

/** The first result of `find` in one of the next frames. */
async function until<T>(find: () => T | null, signal: AbortSignal): Promise<T | null> {
  for (let frame = 0; frame < maxFrames && !signal.aborted; frame++) {
    const found = find()
    if (found !== null) return found
    await nextFrame()
  }
  return null
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve))
}
