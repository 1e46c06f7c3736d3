// All that doors, commands and tools need of memory: write, edit, read, list, delete, search; the rules stand here.
import type { Author, Chunk, Document, DocumentInfo, DocumentStore, NewDocument, Put } from '#core/document.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { createPace } from '#lib/pace.ts'
import { chunksOf } from './chunks.ts'
import type { Meaning } from './semantic-search.ts'
import { checkContent, checkPath, folderPrefix } from './document-path.ts'
import { type SearchResult, searchDocuments } from './search.ts'
import { createReader } from './terms.ts'

/** A change of a document that is written elsewhere at the same time is made again on what stands there then. */
const maxTries = 5

export type Writing = {
  readonly path: string
  readonly content: string
  readonly author: Author
  /** The thread in which the agent writes it. */
  readonly threadId?: string
  /** The content holds words from outside. */
  readonly untrusted?: boolean
}

export interface Documents {
  /** Makes or replaces documents, all or none. Throws invalid_input or too_large, naming the field. */
  write(user: UserId, documents: readonly Writing[]): Promise<readonly Put[]>
  /** Adds to the end of a document, or makes it. */
  append(user: UserId, writing: Writing): Promise<Put>
  /** Replaces a text that occurs once. Throws not_found, or invalid_input when it does not occur exactly once. */
  edit(user: UserId, edit: Omit<Writing, 'content'> & { find: string; replace: string }): Promise<void>
  read(user: UserId, path: string): Promise<Document>
  /** Documents in a folder and below, in order of path, after one. */
  list(
    user: UserId,
    query: { folder?: string; after?: string; limit: number; beginnings?: boolean },
  ): Promise<readonly DocumentInfo[]>
  remove(user: UserId, path: string): Promise<void>
  search(user: UserId, query: { query: string; limit: number }): Promise<readonly SearchResult[]>
}

export type DocumentsParts = {
  readonly store: DocumentStore
  /** Told after something was written. */
  readonly written?: (user: UserId, paths: readonly string[]) => void
  /** Where an embedding model is configured. */
  readonly meaning?: Meaning | undefined
}

export function createDocuments({ store, written = () => {}, meaning }: DocumentsParts): Documents {
  const reader = createReader()

  async function ready({ path, content, author, threadId, untrusted = false }: Writing, pace = createPace()) {
    checkPath(path)
    const bytes = checkContent(content)
    const chunks: Chunk[] = []
    for (const chunk of chunksOf(reader, path, content)) {
      chunks.push(chunk)
      await pace()
    }
    return { path, bytes, author, ...(threadId && { threadId }), untrusted, chunks } satisfies NewDocument
  }

  async function put(user: UserId, documents: readonly NewDocument[]): Promise<readonly Put[]> {
    const outcomes = await store.put(user, documents)
    written(
      user,
      documents.map(({ path }) => path),
    )
    return outcomes
  }

  /** Makes new content of what stands there, again when somebody else was faster. */
  async function change(user: UserId, writing: Omit<Writing, 'content'>, make: (now: Document | undefined) => string) {
    checkPath(writing.path)
    for (let tries = 0; tries < maxTries; tries++) {
      const now = await store.get(user, writing.path)
      // What stays of words from outside are still words from outside.
      const untrusted = writing.untrusted === true || now?.untrusted === true
      const document = await ready({ ...writing, untrusted, content: make(now) })
      const [outcome] = await put(user, [{ ...document, expects: now?.revision ?? 0 }])
      if (outcome !== undefined && outcome !== 'changed') return outcome
    }
    throw new AppError('conversation_busy', `${writing.path} is being changed by others: try again`, { param: 'path' })
  }

  return {
    async write(user, documents) {
      const pace = createPace()
      const all: NewDocument[] = []
      for (const each of documents) all.push(await ready(each, pace))
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
      written(user, [path])
    },
    search: (user, query) => searchDocuments({ store, reader, meaning }, user, query),
  }
}

/** A text with one place replaced. Throws invalid_input unless what is to be replaced occurs exactly once. */
export function edited(content: string, edit: { path: string; find: string; replace: string }): string {
  const { path, find, replace } = edit
  if (find === '') throw new AppError('invalid_input', 'find is empty: give the text to replace', { param: 'find' })
  const parts = content.split(find)
  if (parts.length === 2) return parts.join(replace)
  const times = parts.length === 1 ? 'does not occur' : `occurs ${parts.length - 1} times`
  const way = parts.length === 1 ? 'read the document and copy the text exactly' : 'give more of the text around it'
  throw new AppError('invalid_input', `find ${times} in ${path}: ${way}`, { param: 'find' })
}

/** What is added begins on a line of its own. */
export function joined(before: string, added: string): string {
  return before === '' || before.endsWith('\n') ? before + added : `${before}\n${added}`
}

function missing(path: string): AppError {
  return new AppError('not_found', `there is no document ${path}`, { param: 'path' })
}
