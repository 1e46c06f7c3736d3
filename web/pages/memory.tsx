// The Memory page: the list of documents, search, the identity files, and the open document.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { countWords } from '#core/words.ts'
import type { FoundDocument, ListedDocument } from '#doors/web/wire/memory.ts'
import { plainText } from '../lib/found.ts'
import { exactTime, shortWhen } from '../lib/words.ts'
import { Button } from '../parts/button.tsx'
import { Search } from '../parts/search.tsx'
import { Found } from '../parts/found.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { EmptyCard, When } from '../parts/states.tsx'
import { TwoSteps } from '../parts/two-steps.tsx'
import { go, route } from '../router.ts'
import { now } from '../store/clock.ts'
import {
  addressOf,
  hasFound,
  identity,
  type MemoryList,
  memoryList,
  memorySearch,
  newDocumentAddress,
  openPath,
  showMore,
} from '../store/memory.ts'
import { useLive } from '../store/live-data.ts'
import { DocumentPane } from './document.tsx'
import { NewDocument } from './document-forms.tsx'
import './memory.css'

const typingMs = 150

export function Memory() {
  useLive(memoryList)
  const timer = useSignal<ReturnType<typeof setTimeout> | undefined>(undefined)
  const search = (value: string): void => {
    memorySearch.value = value
    clearTimeout(timer.peek())
    timer.value = setTimeout(() => void memoryList.load(), typingMs)
  }
  useEffect(() => () => clearTimeout(timer.peek()), [])
  /** Enter in the search box opens the first row: not one of an earlier search, and no identity file. */
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && !hasFound()) event.stopPropagation()
  }
  const writing = route.value.query.has('new')
  const path = openPath.value
  const open = writing || path !== undefined
  return (
    <Page
      title="Memory"
      lead="What Atrium keeps between conversations. You can read, change and delete all of it."
      rows=".document-row, .identity-row"
      action={
        <Button icon="plus" onClick={() => go(newDocumentAddress)}>
          New document
        </Button>
      }
    >
      <TwoSteps
        open={open}
        back="/memory"
        all="All documents"
        list={
          <>
            <div onKeyDown={press}>
              <Search name="Search memory" value={memorySearch.value} onInput={search} />
            </div>
            <When of={memoryList} what="Memory" rows={5}>
              {(list) => <List list={list} onClear={() => search('')} />}
            </When>
            <Identity />
          </>
        }
      >
        {writing ? (
          <NewDocument />
        ) : path !== undefined ? (
          <DocumentPane key={path} path={path} />
        ) : (
          <EmptyCard icon="book" title="Nothing is open">
            Choose a document at the left, or write a new one.
          </EmptyCard>
        )}
      </TwoSteps>
    </Page>
  )
}

function List({ list, onClear }: { list: MemoryList; onClear: () => void }) {
  if (list.documents.length === 0 && list.type === 'found') {
    return (
      <EmptyCard
        icon="search"
        title={`Nothing about “${list.query}”`}
        action={
          <Button size="small" onClick={onClear}>
            Clear search
          </Button>
        }
      >
        Searched every document. Try fewer or different words.
      </EmptyCard>
    )
  }
  if (list.documents.length === 0) {
    return (
      <EmptyCard icon="book" title="No documents yet">
        A document appears here when Atrium remembers something, or when you write one.
      </EmptyCard>
    )
  }
  const count = countWords(list.documents.length, 'document')
  return (
    <div class="card documents">
      <p class="documents-count" role="status">
        {list.type === 'found' ? `${count}, ${list.ms} ms` : `${count}${list.more ? ' shown' : ''}`}
      </p>
      <ul>
        {list.documents.map((each) => (
          <li key={each.path}>
            <Row document={each} query={list.type === 'found' ? list.query : ''} />
          </li>
        ))}
      </ul>
      {list.type === 'all' && list.more && (
        <div class="documents-more">
          <Button size="small" busy={memoryList.loading.value} onClick={showMore}>
            Show more
          </Button>
        </div>
      )}
    </div>
  )
}

function Row({ document, query }: { document: ListedDocument | FoundDocument; query: string }) {
  const { path, updated_at } = document
  return (
    <a class="document-row" href={addressOf(path)} aria-current={openPath.value === path ? 'page' : undefined}>
      <span class="document-head">
        <span class="document-path mono">{path}</span>
        <time dateTime={updated_at} title={exactTime(updated_at)}>
          {shortWhen(updated_at, now.value)}
        </time>
      </span>
      <span class="document-part two-lines" dir="auto">
        {'content' in document ? (
          <Found text={plainText(document.content)} query={query} />
        ) : (
          plainText(document.beginning) || 'It is empty.'
        )}
      </span>
    </a>
  )
}

function Identity() {
  return (
    <section class="card identity" aria-labelledby="identity">
      <div class="identity-head">
        <h2 id="identity">Identity</h2>
        <p>Read at the start of every turn. Changes by the agent ask you first.</p>
      </div>
      <ul>
        {identity.map(({ path, what }) => (
          <li key={path}>
            <a class="identity-row" href={addressOf(path)} aria-current={openPath.value === path ? 'page' : undefined}>
              <span class="mono">{path}</span>
              <span>{what}</span>
              <Icon name="right" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
