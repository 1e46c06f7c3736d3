// Reads the body of a request: refused before it is read where that can be known, counted by a quota, then parsed.
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkAnnouncedSize, checkEncoding, checkType, isBlank, readBytes, sendContinue } from './body.ts'
import { createBodyQuota } from './body-quota.ts'
import { type Caller, requireStillAllowed } from './caller.ts'
import { readJson } from './json-reader.ts'
import { isSafe } from './routes.ts'

export type BodyReader = {
  /** Refuses a body that is too large, compressed or of a wrong type, waits for quota, then answers `Expect: 100-continue`. */
  readonly begin: (request: FastifyRequest, reply: FastifyReply) => Promise<undefined>
  /** An empty body becomes undefined; the route decides whether that is valid. */
  readonly read: (request: FastifyRequest) => Promise<unknown>
}

/** `addressOf` tells whose quota a request without a caller uses; `waitMs` is how long a request waits for quota. */
export function createBodyReader(addressOf: (request: IncomingMessage) => string, waitMs: number): BodyReader {
  const quota = createBodyQuota(waitMs)
  return {
    async begin({ raw, mounted, caller }, reply) {
      const { maxBodyBytes: limit } = mounted
      checkAnnouncedSize(raw.headers, limit)
      checkEncoding(raw.headers)
      if (isParsed(raw)) checkType(raw.headers, mounted.bodyType ?? 'application/json')
      const address = (): string => addressOf(raw)
      // Only routes that need no credential have no caller.
      const user = (caller as Caller | undefined)?.user
      await quota.take({ request: raw, answer: reply.raw, limit, user, address })
      sendContinue(raw, reply.raw)
    },
    async read(request) {
      const { raw, mounted, caller } = request
      const { bodyType, findExact, maxBodyBytes } = mounted
      let cameLate = false
      const turned = setImmediate(() => (cameLate = true))
      const body = await readBytes(raw, maxBodyBytes)
      clearImmediate(turned)
      // Most bodies come with the head. Another may take minutes: nothing of it is stored for a user who was removed meanwhile.
      if (cameLate && (caller as Caller | undefined)) await requireStillAllowed(request)
      if (bodyType === undefined && isBlank(body)) return undefined
      try {
        if (bodyType !== undefined) return body
        return await readJson(body, {
          reserve: (bytes) => quota.reserveParsed(raw, bytes),
          ...(findExact && { findExact }),
        })
      } finally {
        // The quota counts a body until it was read; the handler holds the bytes no longer than that.
        quota.bodyRead(raw)
      }
    },
  }
}

/** True if Fastify reads the body: a type alone is enough for it. */
function isParsed({ method, headers }: IncomingMessage): boolean {
  if (isSafe(method)) return false
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers
  return type !== undefined || coding !== undefined || length !== '0'
}
