// Threads as files: export as JSON or Markdown, import of an exported JSON.
import { Readable } from 'node:stream'
import * as z from 'zod/mini'
import { maxFileBodyBytes } from '#http/body.ts'
import { type Route, route } from '#http/routes.ts'
import { exportFileName, exportFormats, exportThread } from '#turns/thread-export.ts'
import { ExportedThread, importedItems } from '#turns/thread-import.ts'
import type { Threads } from '#turns/threads.ts'
import { ThreadWire } from '#doors/web/wire/thread.ts'
import { findThread } from './thread-routes.ts'
import { threadWire } from './wire.ts'

const ExportQuery = z.object({ format: z._default(z.enum(exportFormats, 'must be json or markdown'), 'json') })

export function threadFileRoutes({ threads }: { threads: Threads }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/threads/:id/export',
      who: 'user',
      summary: 'Export a thread as a JSON or Markdown file',
      query: ExportQuery,
      async handle({ params, query: { format }, caller: { user } }, reply) {
        const thread = await findThread(threads, user, params.id)
        const type = format === 'json' ? 'application/json' : 'text/markdown'
        return reply
          .type(`${type}; charset=utf-8`)
          .header('content-disposition', `attachment; filename="${exportFileName(thread, format)}"`)
          .send(Readable.from(exportThread({ threads, user, thread }, format)))
      },
    }),
    route({
      method: 'POST',
      path: '/api/threads/import',
      who: 'user',
      summary: 'Make a thread of an exported JSON',
      counted: true,
      maxBodyBytes: maxFileBodyBytes,
      body: ExportedThread,
      answers: { 201: ThreadWire },
      async handle({ body, caller: { user } }, reply) {
        const thread = await threads.create(user, {
          door: 'web',
          title: body.title,
          items: importedItems(body),
          metadata: {},
        })
        return reply.code(201).send(threadWire(thread) satisfies z.output<typeof ThreadWire>)
      },
    }),
  ]
}
