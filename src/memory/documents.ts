// Memory for doors, commands and tools: write, edit, read, list, delete and search documents.
import type {
  Author,
  Chunk,
  Document,
  DocumentInfo,
  DocumentStore,
  DocumentVersion,
  NewDocument,
  PutOutcome,
} from '#core/document.ts'
import { AppError, wrongField } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { positionsOf, replacedAt } from '#core/find-text.ts'
import { pace } from '#lib/pace.ts'
import { chunksOf } from './chunks.ts'
import type { SemanticSearch } from './semantic-search.ts'
import { checkContent, checkPath, folderPrefix } from './document-path.ts'
import { type SearchResult, searchDocuments } from './search.ts'
import { createReader } from './terms.ts'

/** Attempts of a change: it is repeated on the new content when somebody else wrote the document meanwhile. */
const maxAttempts = 5

export type Writing = {
  readonly path: string
  readonly content: string
  readonly author: Author
  /** The thread in which the agent wrote it. */
  readonly threadId?: string
  /** The content includes outside text. */
  readonly untrusted?: boolean
}

export interface Documents {
  /** Creates or replaces documents, all or none. Throws invalid_input or too_large, with the field. */
  write(user: UserId, documents: readonly Writing[]): Promise<readonly PutOutcome[]>
  /** Appends to a document on a new line, or creates it. */
  append(user: UserId, writing: Writing): Promise<PutOutcome>
  /** Replaces a text that occurs once. Throws not_found, or invalid_input when it does not occur exactly once. */
  edit(user: UserId, edit: Omit<Writing, 'content'> & { find: string; replace: string }): Promise<void>
  read(user: UserId, path: string): Promise<Document>
  /** Documents in a folder and below, ordered by path, after the path `after`. */
  list(
    user: UserId,
    query: { folder?: string; after?: string; limit: number; beginnings?: boolean },
  ): Promise<readonly DocumentInfo[]>
  remove(user: UserId, path: string): Promise<void>
  /** Earlier versions of a document, latest first. Throws not_found. */
  versions(user: UserId, path: string): Promise<readonly DocumentVersion[]>
  /** An earlier version with its text. Throws not_found. */
  version(user: UserId, path: string, revision: number): Promise<DocumentVersion & { readonly content: string }>
  /** Writes an earlier version again; one with outside text stays untrusted. Throws not_found. */
  restore(user: UserId, path: string, revision: number): Promise<void>
  search(user: UserId, query: { query: string; limit: number }): Promise<readonly SearchResult[]>
}

export type DocumentsParts = {
  readonly store: DocumentStore
  /** Called after documents were written or removed. */
  readonly onWrite?: (user: UserId, paths: readonly string[]) => void
  /** Present when an embedding model is configured. */
  readonly semanticSearch?: SemanticSearch | undefined
}

export function createDocuments({ store, onWrite = () => {}, semanticSearch }: DocumentsParts): Documents {
  const reader = createReader()

  async function read(path: string, content: string): Promise<Chunk[]> {
    const chunks: Chunk[] = []
    for (const chunk of chunksOf(reader, path, content)) {
      chunks.push(chunk)
      await pace()
    }
    return chunks
  }

  async function prepare({ path, content, author, threadId, untrusted = false }: Writing) {
    checkPath(path)
    const bytes = checkContent(content)
    const chunks = await read(path, content)
    return { path, bytes, author, ...(threadId && { threadId }), untrusted, chunks } satisfies NewDocument
  }

  async function put(user: UserId, documents: readonly NewDocument[]): Promise<readonly PutOutcome[]> {
    const outcomes = await store.put(user, documents)
    onWrite(
      user,
      documents.map(({ path }) => path),
    )
    return outcomes
  }

  /** Makes new content from the current document. Repeats when somebody else wrote it meanwhile. */
  async function change(
    user: UserId,
    writing: Omit<Writing, 'content'>,
    make: (current: Document | undefined) => string,
  ) {
    checkPath(writing.path)
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const current = await store.get(user, writing.path)
      // A document with outside text stays untrusted, no matter who changes it.
      const untrusted = writing.untrusted === true || current?.untrusted === true
      const document = await prepare({ ...writing, untrusted, content: make(current) })
      const [outcome] = await put(user, [{ ...document, expects: current?.revision ?? 0 }])
      if (outcome !== undefined && outcome !== 'changed') return outcome
    }
    throw new AppError('conversation_busy', `${writing.path} is being changed by others: try again`, { param: 'path' })
  }

  async function findVersion(user: UserId, path: string, revision: number) {
    const version = await store.version(user, checkPath(path), revision)
    if (!version) throw new AppError('not_found', `${path} has no version ${revision}`, { param: 'revision' })
    return version
  }

  return {
    async write(user, documents) {
      const all: NewDocument[] = []
      for (const each of documents) all.push(await prepare(each))
      return put(user, all)
    },
    append: (user, writing) => change(user, writing, (now) => joined(now?.content ?? '', writing.content)),
    async edit(user, { find, replace, ...writing }) {
      const { path } = writing
      await change(user, writing, (now) => {
        if (!now) throw missing(path)
        return edited(now.content, { path, find, replace })
      })
    },
    async read(user, path) {
      const document = await store.get(user, checkPath(path))
      if (!document) throw missing(path)
      return document
    },
    list: (user, { folder = '', after = '', ...query }) =>
      store.list(user, { prefix: folderPrefix(folder), after, ...query }),
    async remove(user, path) {
      if (!(await store.remove(user, checkPath(path)))) throw missing(path)
      onWrite(user, [path])
    },
    async versions(user, path) {
      const found = await store.versions(user, checkPath(path))
      if (found.length === 0 && !(await store.get(user, path))) throw missing(path)
      return found
    },
    version: findVersion,
    async restore(user, path, revision) {
      const { content, untrusted } = await findVersion(user, path, revision)
      await put(user, [await prepare({ path, content, author: 'user', untrusted })])
    },
    search: (user, query) => searchDocuments({ store, reader, semanticSearch }, user, query),
  }
}

/** The content with `find` replaced. Throws invalid_input unless `find` occurs exactly once. */
export function edited(content: string, edit: { path: string; find: string; replace: string }): string {
  const { path, find, replace } = edit
  if (find === '') throw wrongField('find', 'is empty: give the text to replace')
  const found = positionsOf(content, find)
  if (found.length === 1) return replacedAt(content, found, find.length, replace)
  const times = found.length === 0 ? 'does not occur' : `occurs ${found.length} times`
  const way = found.length === 0 ? 'read the document and copy the text exactly' : 'give more of the text around it'
  throw wrongField('find', `${times} in ${path}: ${way}`)
}

/** Appended text begins on a new line. */
export function joined(before: string, added: string): string {
  return before === '' || before.endsWith('\n') ? before + added : `${before}\n${added}`
}

function missing(path: string): AppError {
  return new AppError('not_found', `there is no document ${path}`, { param: 'path' })
}
