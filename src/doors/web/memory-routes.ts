// Routes of memory: search, list, and documents by path. Callers reach only their own documents.
import type { FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import { type DocumentInfo, isIdentity } from '#core/document.ts'
import type { UserId } from '#core/ids.ts'
import { maxFileBodyBytes } from '#http/body.ts'
import { requireAllTools } from '#http/caller.ts'
import { checkBody, checkQuery } from '#http/validate.ts'
import { type Route, route } from '#http/routes.ts'
import type { Documents } from '#memory/documents.ts'
import type { Threads } from '#turns/threads.ts'
import { ContentWire, DocumentWire, HistoryAnswer, MemoryAnswer } from '#doors/web/wire/memory.ts'
import { isoTime } from '#core/time.ts'
import { limit } from './paging.ts'

const MemoryQuery = z.object({
  q: z.optional(z.string()),
  limit: limit({ defaultLimit: 10, maxLimit: 100 }),
  folder: z.optional(z.string()),
  cursor: z.optional(z.string()),
})
const DocumentBody = z.object({ content: z.string() })

const documentPath = '/api/memory/documents/*'
const historyPath = '/api/memory/history/*'
const revisionFault = 'must be the revision of a version'
const HistoryQuery = z.object({
  revision: z.optional(z.pipe(z.string().check(z.regex(/^\d{1,15}$/, revisionFault)), z.transform(Number))),
})
const RestoreBody = z.object({ revision: z.int(revisionFault) })

export type MemoryParts = { readonly documents: Documents; readonly threads: Pick<Threads, 'get'> }

export function memoryRoutes({ documents, threads }: MemoryParts): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/memory',
      who: 'user',
      searches: true,
      summary: 'Search memory; without q, list its documents',
      query: MemoryQuery,
      answers: { 200: MemoryAnswer },
      async handle({ caller: { user }, query: { q = '', limit, folder = '', cursor: after = '' } }) {
        if (q.trim() !== '') {
          const found = await documents.search(user, { query: q, limit })
          return {
            results: found.map(({ path, content, score, updatedAt }) => {
              return { path, content, score, updated_at: isoTime(updatedAt) }
            }),
          } satisfies z.output<typeof MemoryAnswer>
        }
        const page = await documents.list(user, { folder, after, limit: limit + 1, beginnings: true })
        const results = page.slice(0, limit)
        const next = page.length > limit ? (results.at(-1)?.path ?? null) : null
        return { results: results.map(listedWire), next_cursor: next } satisfies z.output<typeof MemoryAnswer>
      },
    }),
    {
      method: 'GET',
      path: documentPath,
      who: 'user',
      summary: 'Read a document',
      answers: { 200: ContentWire },
      async handle(request) {
        const { user } = request.caller
        const document = await documents.read(user, pathOf(request))
        const { content, threadId } = document
        const thread = threadId === undefined ? undefined : await threads.get(user, threadId)
        return {
          ...documentWire(document),
          content,
          ...(thread && { thread: { id: thread.id, title: thread.title } }),
        } satisfies z.output<typeof ContentWire>
      },
    },
    {
      method: 'PUT',
      path: documentPath,
      who: 'user',
      summary: 'Write or replace a document',
      maxBodyBytes: maxFileBodyBytes,
      body: DocumentBody,
      answers: { 200: DocumentWire, 201: DocumentWire },
      async handle(request, reply) {
        const { user, path } = changing(request)
        const { content } = checkBody(DocumentBody, request.body)
        const [outcome] = await documents.write(user, [{ path, content, author: 'user' }])
        const written = await documents.read(user, path)
        return reply
          .code(outcome === 'created' ? 201 : 200)
          .send(documentWire(written) satisfies z.output<typeof DocumentWire>)
      },
    },
    {
      method: 'GET',
      path: historyPath,
      who: 'user',
      summary: 'List the earlier versions of a document; with revision, read one',
      query: HistoryQuery,
      answers: { 200: HistoryAnswer },
      async handle(request) {
        const [user, path] = [request.caller.user, pathOf(request)]
        const { revision } = checkQuery(HistoryQuery, request.query)
        const found =
          revision === undefined
            ? await documents.versions(user, path)
            : [await documents.version(user, path, revision)]
        const versions = found.map(({ writtenAt, ...version }) => ({ ...version, written_at: isoTime(writtenAt) }))
        return { versions } satisfies z.output<typeof HistoryAnswer>
      },
    },
    {
      method: 'POST',
      path: historyPath,
      who: 'user',
      summary: 'Restore an earlier version of a document',
      body: RestoreBody,
      answers: { 200: DocumentWire },
      async handle(request) {
        const { user, path } = changing(request)
        const { revision } = checkBody(RestoreBody, request.body)
        await documents.restore(user, path, revision)
        return documentWire(await documents.read(user, path)) satisfies z.output<typeof DocumentWire>
      },
    },
    {
      method: 'DELETE',
      path: documentPath,
      who: 'user',
      summary: 'Delete a document',
      answers: { 204: null },
      async handle(request, reply) {
        const { user, path } = changing(request)
        await documents.remove(user, path)
        return reply.code(204).send()
      },
    },
  ]
}

/** The document that a request changes. Identity files are a part of every prompt, also of turns with more tools. */
function changing(request: FastifyRequest): { user: UserId; path: string } {
  const path = pathOf(request)
  if (isIdentity(path)) requireAllTools(request.caller, `change ${path}`)
  return { user: request.caller.user, path }
}

/** The document's path: the rest of the URL, decoded. */
function pathOf({ params }: FastifyRequest): string {
  return (params as Readonly<Record<string, string>>)['*'] ?? ''
}

function listedWire({ beginning = '', ...document }: DocumentInfo) {
  return { ...documentWire(document), beginning }
}

function documentWire({ path, bytes, author, untrusted, createdAt, updatedAt }: DocumentInfo) {
  return { path, bytes, author, untrusted, created_at: isoTime(createdAt), updated_at: isoTime(updatedAt) }
}
