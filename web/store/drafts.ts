// Unsent text of the composer by thread, of edited messages and of documents. Stored in this browser.
import { signal } from '@preact/signals'
import { forgetStored, readStored, storedNames, writeStored } from './local-storage.ts'

/** Counts every change, so that readers of a draft are drawn again. */
const changes = signal(0)

/** `new` is the draft of a thread that does not exist yet. */
export function readDraft(thread: string): string {
  void changes.value
  return readStored(`draft.${thread}`) ?? ''
}

export function writeDraft(thread: string, text: string): void {
  if (text === '') forgetStored(`draft.${thread}`)
  else writeStored(`draft.${thread}`, text)
  changes.value++
}

/** Puts a text before the draft. */
export function prependDraft(thread: string, text: string): void {
  writeDraft(thread, [text, readDraft(thread)].filter(Boolean).join('\n'))
}

export function hasDraft(): boolean {
  return storedNames('draft.').length > 0
}

/** Unsaved text of a document of memory; undefined when there is none. */
export function documentDraft(path: string): string | undefined {
  void changes.value
  return readStored(`draft.memory/${path}`)
}

/** Keeps the unsaved text of a document; undefined drops it. */
export function keepDocumentDraft(path: string, text: string | undefined): void {
  writeStored(`draft.memory/${path}`, text)
  changes.value++
}

/** Changed text of a sent message whose box was not closed; undefined when there is none. */
export function editDraft(thread: string, seq: number): string | undefined {
  return readStored(`draft.edit/${thread}/${seq}`)
}

/** Keeps the changed text of a sent message; undefined drops it. */
export function keepEditDraft(thread: string, seq: number, text: string | undefined): void {
  writeStored(`draft.edit/${thread}/${seq}`, text)
}

/** The path of the new document: it is kept beside its text. */
export function newDocumentPath(): string {
  return documentDraft('') === undefined ? '' : (readStored('draft.new.path') ?? '')
}

/** Keeps the unsaved new document, whose text is the draft of the empty path; no text drops it. */
export function keepNewDocument(text: string, path: string): void {
  writeStored('draft.new.path', text === '' ? undefined : path)
  keepDocumentDraft('', text === '' ? undefined : text)
}
