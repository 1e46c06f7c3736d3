// One document of memory: read, edit, delete.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { sizeWords } from '#core/words.ts'
import type { Document } from '#doors/web/wire/memory.ts'
import { faultText } from '../api/client.ts'
import { exactTime, whenText } from '../lib/words.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Segments } from '../parts/field.tsx'
import { focusSoon } from '../parts/focus.ts'
import { useFoundIn } from '../parts/found.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Note } from '../parts/note.tsx'
import { Empty, When } from '../parts/states.tsx'
import { go } from '../router.ts'
import { now } from '../store/clock.ts'
import { useLive } from '../store/live-data.ts'
import { addressOf, deleteDocument, memorySearch, openDocument, openPath, saveDocument } from '../store/memory.ts'
import { documentDraft } from '../store/drafts.ts'
import { notify } from '../store/notices.ts'
import { authorWords } from './author-words.ts'
import { DocumentEditor } from './document-forms.tsx'
import { DocumentHistory } from './document-history.tsx'

/** Lets a long path break after its slashes, not within a name. */
function breakable(path: string) {
  return path.split(/(?<=\/)/).map((part, at) => [at > 0 && <wbr key={`after ${at}`} />, part])
}

/** The document at a path, for reading or editing. */
export function DocumentPane({ path }: { path: string }) {
  useEffect(() => {
    openDocument.data.value = undefined
    openDocument.fault.value = undefined
    void openDocument.load()
  }, [])
  return (
    <article class="card document" aria-label={path}>
      <When of={openDocument} what="The document" rows={6}>
        {(opened) => ('missing' in opened ? <Missing path={path} /> : <Shown document={opened} />)}
      </When>
    </article>
  )
}

function Shown({ document }: { document: Document }) {
  const view = useSignal<'read' | 'edit' | 'history'>(documentDraft(document.path) === undefined ? 'read' : 'edit')
  const { path, content, author, updated_at, bytes, untrusted, thread } = document
  return (
    <>
      <header class="document-bar">
        <h2 class="mono">{breakable(path)}</h2>
        <Segments
          name="View"
          value={view.value}
          options={[
            { value: 'read', label: 'Read' },
            { value: 'edit', label: 'Edit' },
            { value: 'history', label: 'History' },
          ]}
          onChange={(value) => (view.value = value)}
        />
        <IconButton icon="trash" name="Delete" onClick={() => void remove(document)} />
      </header>
      {view.value === 'edit' ? (
        <DocumentEditor path={path} text={content} since={updated_at} onEnd={() => (view.value = 'read')} />
      ) : view.value === 'history' ? (
        <DocumentHistory path={path} onRestored={() => (view.value = 'read')} />
      ) : (
        <>
          {untrusted && (
            <div class="document-note">
              <Note kind="plain" title="From outside">
                Written after reading text from outside: the agent reads it as data, not as instructions.
              </Note>
            </div>
          )}
          <Text content={content} />
          <footer class="document-foot">
            <span title={exactTime(updated_at)}>
              Last written by {authorWords[author]}, {whenText(updated_at, now.value)}
              {thread && (
                <>
                  , in{' '}
                  <a class="link" href={`/threads/${thread.id}`}>
                    {thread.title || 'Untitled'}
                  </a>
                </>
              )}
            </span>
            <span>{sizeWords(bytes)}</span>
          </footer>
        </>
      )}
    </>
  )
}

function Text({ content }: { content: string }) {
  const box = useRef<HTMLDivElement>(null)
  useLive(openDocument)
  useFoundIn(box, memorySearch.value)
  return (
    <div class="document-text" ref={box}>
      {content === '' ? <p class="quiet">It is empty.</p> : <Markdown text={content} />}
    </div>
  )
}

/** Deletes at once, with an undo. A document from outside has no undo: writing it again would make it trusted. */
async function remove({ path, content, untrusted }: Document): Promise<void> {
  try {
    await deleteDocument(path)
  } catch (error) {
    notify(`${path} was not deleted. ${faultText(error)}`)
    return
  }
  if (openPath.peek() === path) go('/memory')
  focusSoon('.notice button', '#main')
  const undo = (): void => {
    saveDocument(path, content, { at: undefined }).then(
      () => go(addressOf(path)),
      (error) => notify(`${path} was not restored. ${faultText(error)}`),
    )
  }
  notify(`${path} is deleted`, untrusted ? {} : { undo })
}

function Missing({ path }: { path: string }) {
  const writing = useSignal(documentDraft(path) !== undefined)
  return (
    <>
      <header class="document-bar">
        <h2 class="mono">{path}</h2>
      </header>
      {writing.value ? (
        <DocumentEditor path={path} text="" since={undefined} onEnd={() => (writing.value = false)} />
      ) : (
        <Empty
          icon="file"
          title="Not written yet"
          action={
            <Button size="small" icon="pencil" onClick={() => (writing.value = true)}>
              Write it
            </Button>
          }
        >
          There is no document at this path.
        </Empty>
      )}
    </>
  )
}
