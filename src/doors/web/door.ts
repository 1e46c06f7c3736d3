// The web door: the gateway's JSON routes, joined. Each file beside this one holds one family of them.
import type { FastifyInstance } from 'fastify'
import { type ChatParts, chatPaths, registerChat } from './chat.ts'
import { jobPaths, registerJobs } from './jobs.ts'
import { healthPaths, type OpenApiPaths, registerOpenApi } from './openapi.ts'
import { registerStatus, type StatusParts, statusPaths } from './status.ts'
import { registerThreads, threadPaths } from './threads.ts'
import { registerUsers, type UsersParts, userPaths } from './users.ts'

export type WebParts = ChatParts &
  StatusParts &
  UsersParts & {
    /** The paths of other doors on the same gateway, for the OpenAPI document. */
    readonly openApi?: readonly (() => OpenApiPaths)[]
  }

/** Adds the web door's routes to a gateway that does not listen yet. */
export async function registerWeb(app: FastifyInstance, parts: WebParts): Promise<void> {
  await app.register((web, _options, done) => {
    registerStatus(web, parts)
    registerChat(web, parts)
    registerJobs(web, parts)
    registerThreads(web, parts)
    registerUsers(web, parts)
    registerOpenApi(web, {
      version: parts.about.version,
      paths: [healthPaths, statusPaths, chatPaths, jobPaths, threadPaths, userPaths, ...(parts.openApi ?? [])],
    })
    done()
  })
}
