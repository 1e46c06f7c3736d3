// One document of memory: read, edit, delete; and the form for a new one.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { maxDocumentPathChars } from '#core/page-limits.ts'
import { sizeWords } from '#core/words.ts'
import type { Document } from '#doors/web/wire/memory.ts'
import { faultText } from '../api/client.ts'
import { exactTime, whenText } from '../lib/words.ts'
import { useAct } from '../parts/act.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Area, Field, Segments } from '../parts/field.tsx'
import { focusFirst, focusSoon } from '../parts/focus.ts'
import { Form } from '../parts/form.tsx'
import { useFoundIn } from '../parts/found.tsx'
import { LeaveQuestion } from '../parts/leave-question.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { Note } from '../parts/note.tsx'
import { Empty, When } from '../parts/states.tsx'
import { go } from '../router.ts'
import { now } from '../store/clock.ts'
import {
  addressOf,
  ChangedMeanwhile,
  deleteDocument,
  type Expected,
  memorySearch,
  newDocumentAddress,
  openDocument,
  openPath,
  pathFault,
  saveDocument,
} from '../store/memory.ts'
import { documentDraft, keepDocumentDraft, keepNewDocument, newDocumentPath } from '../store/drafts.ts'
import { notify } from '../store/notices.ts'
import { authorWords } from './author-words.ts'
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
        <Editor path={path} text={content} since={updated_at} onEnd={() => (view.value = 'read')} />
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

type EditorProps = {
  readonly path: string
  readonly text: string
  /** `updated_at` of the text being edited; undefined for a new document. */
  readonly since: string | undefined
  readonly onEnd: () => void
}

function Editor({ path, text, since, onEnd }: EditorProps) {
  const content = useSignal(documentDraft(path) ?? text)
  const changed = useSignal(false)
  const act = useAct()
  const write = (value: string): void => {
    content.value = value
    keepDocumentDraft(path, value === text ? undefined : value)
  }
  const end = (): void => {
    keepDocumentDraft(path, undefined)
    onEnd()
    focusSoon('.document-bar [aria-pressed="true"]', '#main')
  }
  const save = async (expected?: Expected): Promise<void> => {
    try {
      await saveDocument(path, content.value, expected)
    } catch (error) {
      changed.value = error instanceof ChangedMeanwhile
      if (changed.value) return
      throw error
    }
    notify(`${path} is saved`)
    end()
  }
  const cancel = (): void => {
    const words = content.peek()
    end()
    if (words !== text) notify(`Your changes to ${path} are dropped`, { undo: () => keepDocumentDraft(path, words) })
  }
  return (
    <>
      <Form
        look="document-form"
        act={act}
        work={() => save({ at: since })}
        verb="Save"
        onCancel={cancel}
        isUnsaved={() => hasDraft(path)}
      >
        <Area label="Document" value={content.value} fault={act.fault.value} autoFocus onInput={write} />
        {changed.value && (
          <Note
            kind="clay"
            title="It was changed meanwhile"
            actions={
              <Button size="small" onClick={() => void act.run(save)}>
                Save over it
              </Button>
            }
          >
            Somebody else, or the agent, has written this document since you opened it. Your text is kept here.
          </Note>
        )}
      </Form>
      <LeaveDocument path={path} />
    </>
  )
}

function LeaveDocument({ path }: { path: string }) {
  return <LeaveQuestion hasUnsaved={() => hasDraft(path)} discard={() => keepDocumentDraft(path, undefined)} />
}

function hasDraft(path: string): boolean {
  return documentDraft(path) !== undefined
}

function Missing({ path }: { path: string }) {
  const writing = useSignal(documentDraft(path) !== undefined)
  return (
    <>
      <header class="document-bar">
        <h2 class="mono">{path}</h2>
      </header>
      {writing.value ? (
        <Editor path={path} text="" since={undefined} onEnd={() => (writing.value = false)} />
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

/** The form for a new document. A failed save keeps path and text. */
export function NewDocument() {
  // No document has an empty path: its draft is that of a new one.
  const path = useSignal(newDocumentPath())
  const content = useSignal(documentDraft('') ?? '')
  const act = useAct()
  const keep = (): void => keepNewDocument(content.peek(), path.peek())
  const save = async (): Promise<void> => {
    const newPath = path.value.trim()
    const wrong = pathFault(newPath)
    if (wrong !== undefined) throw new Error(wrong)
    // Enter after the path: the text comes next.
    if (content.value === '' && document.activeElement?.matches('input')) {
      focusFirst('.document-form textarea')
      return
    }
    try {
      await saveDocument(newPath, content.value, { at: undefined })
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
      throw new Error('There is a document at this path already. Choose another, or open that one.', { cause: error })
    }
    keepNewDocument('', '')
    notify(`${newPath} is saved`)
    go(addressOf(newPath))
    focusSoon('#main')
  }
  const cancel = (): void => {
    keepNewDocument('', '')
    go('/memory')
    if (content.peek() === '') return
    const undo = (): void => {
      keep()
      go(newDocumentAddress)
    }
    notify('The new document is dropped', { undo })
  }
  return (
    <>
      <Form
        look="card document document-form"
        name="New document"
        act={act}
        work={save}
        verb="Save"
        onCancel={cancel}
        isUnsaved={() => hasDraft('')}
      >
        <Field
          label="Path"
          mono
          autoFocus
          placeholder="notes/today.md"
          maxLength={maxDocumentPathChars}
          value={path.value}
          fault={act.fault.value}
          onInput={(value) => {
            path.value = value
            keep()
          }}
        />
        <Area
          label="Document"
          value={content.value}
          onInput={(value) => {
            content.value = value
            keep()
          }}
        />
      </Form>
      <LeaveDocument path="" />
    </>
  )
}
