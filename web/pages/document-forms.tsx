// The forms of memory: a document's text, and a new document.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { maxDocumentPathChars } from '#core/page-limits.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Area, Field } from '../parts/field.tsx'
import { focusFirst, focusSoon } from '../parts/focus.ts'
import { Form } from '../parts/form.tsx'
import { LeaveQuestion } from '../parts/leave-question.tsx'
import { Note } from '../parts/note.tsx'
import { go } from '../router.ts'
import { documentDraft, keepDocumentDraft, keepNewDocument, newDocumentPath } from '../store/drafts.ts'
import {
  addressOf,
  ChangedMeanwhile,
  type Expected,
  newDocumentAddress,
  pathFault,
  saveDocument,
} from '../store/memory.ts'
import { notify } from '../store/notices.ts'

type EditorProps = {
  readonly path: string
  readonly text: string
  /** `updated_at` of the text being edited; undefined for a new document. */
  readonly since: string | undefined
  readonly onEnd: () => void
}

export function DocumentEditor({ path, onEnd, ...opened }: EditorProps) {
  // As it was opened: a reading that was under way may bring what another window has written since.
  const { text, since } = useRef(opened).current
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

function LeaveDocument({ path }: { path: string }) {
  return <LeaveQuestion hasUnsaved={() => hasDraft(path)} discard={() => keepDocumentDraft(path, undefined)} />
}

function hasDraft(path: string): boolean {
  return documentDraft(path) !== undefined
}
