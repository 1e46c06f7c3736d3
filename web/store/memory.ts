// Memory: the list of documents or the results of a search, and the open document.
import { computed, signal } from '@preact/signals'
import type {
  Document,
  DocumentPage,
  FoundDocument,
  FoundPage,
  History,
  ListedDocument,
  Version,
} from '#doors/web/wire/memory.ts'
import { ApiFault, request } from '../api/client.ts'
import { route } from '../router.ts'
import { keepDocumentDraft } from './drafts.ts'
import { loaded } from './loaded.ts'
import { readPages } from './pages.ts'

const pageSize = 100
const foundSize = 25

/** The files that are part of every prompt. The page lists them apart. */
export const identity = [
  { path: 'AGENTS.md', what: 'How to work' },
  { path: 'SOUL.md', what: 'Character and tone' },
  { path: 'USER.md', what: 'Who you are' },
  { path: 'IDENTITY.md', what: 'Who it is' },
]

export type MemoryList =
  | { readonly type: 'all'; readonly documents: readonly ListedDocument[]; readonly more: boolean }
  | {
      readonly type: 'found'
      readonly query: string
      readonly documents: readonly FoundDocument[]
      readonly ms: number
    }

export const memorySearch = signal('')
const pages = signal(1)

/** All documents by path, or the results of a search. */
export const memoryList = loaded<MemoryList>(async () => {
  const query = memorySearch.peek().trim()
  if (query === '') return readAll(pages.peek())
  const began = performance.now()
  const answer = await request<FoundPage>(
    'GET',
    `/api/memory?${new URLSearchParams({ q: query, limit: String(foundSize) })}`,
  )
  return { type: 'found', query, documents: answer.results, ms: Math.round(performance.now() - began) }
})

/** True if the list has documents that were found for what the search box has now. */
export function hasFound(): boolean {
  const list = memoryList.data.peek()
  return list?.type === 'found' && list.query === memorySearch.peek().trim() && list.documents.length > 0
}

export function showMore(): void {
  pages.value++
  void memoryList.load()
}

/** The path in `/memory/{path}`; undefined when no document is open. */
export const openPath = computed(() => {
  const { path } = route.value
  if (!path.startsWith('/memory/') || path.length <= '/memory/'.length) return undefined
  try {
    return path.slice('/memory/'.length).split('/').map(decodeURIComponent).join('/')
  } catch {
    return undefined
  }
})

/** The open document, or `missing` when there is none at the path. */
export type Opened = Document | { readonly path: string; readonly missing: true }

export const openDocument = loaded<Opened>(() => readDocument(openPath.peek() ?? ''))

/** The address of the form for a new document. */
export const newDocumentAddress = '/memory?new'

/** The address of a document's page. */
export function addressOf(path: string): string {
  return `/memory/${encode(path)}`
}

/** Why a path is refused, in words. Names such as `..` would change the URL of a request. */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'Give it a path first, such as notes/today.md.'
  if (path.split('/').every((name) => name !== '' && name !== '.' && name !== '..')) return undefined
  return 'A path has names between slashes, none of them empty, “.” or “..”.'
}

/** Thrown when somebody else has written the document since it was read. */
export class ChangedMeanwhile extends Error {}

/** The `updated_at` that the stored document must still have; undefined when there must be none. */
export type Expected = { readonly at: string | undefined }

/** Writes a document. Without `expected` it overwrites. Throws ApiFault and ChangedMeanwhile. */
export async function saveDocument(path: string, content: string, expected?: Expected): Promise<void> {
  if (expected) {
    const stored = await readDocument(path)
    const at = 'missing' in stored ? undefined : stored.updated_at
    if (at !== expected.at) throw new ChangedMeanwhile(path)
  }
  await request('PUT', apiPath(path), { body: { content } })
  // Before the document is shown: one with a draft would be shown for editing.
  keepDocumentDraft(path, undefined)
  await Promise.all([memoryList.load(), openPath.peek() === path ? openDocument.load() : undefined])
}

/** Throws ApiFault. */
export async function deleteDocument(path: string): Promise<void> {
  await request('DELETE', apiPath(path))
  keepDocumentDraft(path, undefined)
  await memoryList.load()
}

/** The earlier versions of a document, latest first. Throws ApiFault. */
export async function readHistory(path: string): Promise<readonly Version[]> {
  return (await request<History>('GET', historyPath(path))).versions
}

/** The text of one version. Throws ApiFault. */
export async function readVersion(path: string, revision: number): Promise<string> {
  return (await request<History>('GET', `${historyPath(path)}?revision=${revision}`)).versions[0]?.content ?? ''
}

/** Writes an earlier version again. Throws ApiFault. */
export async function restoreVersion(path: string, revision: number): Promise<void> {
  await request('POST', historyPath(path), { body: { revision } })
  keepDocumentDraft(path, undefined)
  await Promise.all([memoryList.load(), openDocument.load()])
}

async function readDocument(path: string): Promise<Opened> {
  try {
    return await request<Document>('GET', apiPath(path))
  } catch (error) {
    if (error instanceof ApiFault && error.status === 404) return { path, missing: true }
    throw error
  }
}

async function readAll(maxPages: number): Promise<MemoryList> {
  const { rows, more } = await readPages(maxPages, async (cursor) => {
    const query = new URLSearchParams({ limit: String(pageSize), ...cursor })
    const answer = await request<DocumentPage>('GET', `/api/memory?${query}`)
    return { rows: answer.results, next: answer.next_cursor }
  })
  const documents = rows.filter(({ path }) => !identity.some((each) => each.path === path))
  return { type: 'all', documents, more }
}

function apiPath(path: string): string {
  return `/api/memory/documents/${encode(path)}`
}

function historyPath(path: string): string {
  return `/api/memory/history/${encode(path)}`
}

function encode(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}
