// Identity documents: four documents at the root of memory that become part of the system prompt.
import { type DocumentStore, identityPaths } from '#core/document.ts'
import { operator, type UserId } from '#core/ids.ts'
import { evictOldest } from '#lib/evict.ts'

/** Maximum bytes of each document in the prompt. */
const maxBytes = 8 * 1024
/** Users in the cache; the least recently used is evicted first. */
const maxCached = 2_000

const opening = 'The files below are kept in memory by the people you serve: they say who you are and how to work.'

export interface Identity {
  /** The user's own parts of the system prompt, in order. */
  partsFor(user: UserId): Promise<readonly string[]>
  /** Drops a user's cached parts after a write; everybody's without a user. */
  forget(user?: UserId): void
}

export function createIdentity({ store }: { store: Pick<DocumentStore, 'get'> }): Identity {
  const known = new Map<UserId, Promise<readonly string[]>>()
  return {
    partsFor(user) {
      const parts = known.get(user) ?? readParts(store, user)
      known.delete(user)
      known.set(user, parts)
      evictOldest(known, maxCached)
      parts.catch(() => {
        if (known.get(user) === parts) known.delete(user)
      })
      return parts
    },
    forget(user) {
      // Other users fall back to the operator's documents.
      if (user === undefined || user === operator) known.clear()
      else known.delete(user)
    },
  }
}

async function readParts(store: Pick<DocumentStore, 'get'>, user: UserId): Promise<readonly string[]> {
  const parts = await Promise.all(
    identityPaths.map(async (path) => {
      const own = await trusted(store, user, path)
      const content = own ?? (path === 'USER.md' ? undefined : await trusted(store, operator, path))
      return content === undefined || content.trim() === '' ? '' : `## ${path}\n${cut(path, content)}`
    }),
  )
  const written = parts.filter((part) => part !== '')
  return written.length > 0 ? [opening, ...written] : []
}

/** The content of a document; undefined when it includes outside text, which must not enter the system prompt. */
async function trusted(store: Pick<DocumentStore, 'get'>, user: UserId, path: string): Promise<string | undefined> {
  const document = await store.get(user, path)
  return document?.untrusted ? undefined : document?.content
}

function cut(path: string, content: string): string {
  const bytes = Buffer.from(content)
  if (bytes.length <= maxBytes) return content.trimEnd()
  // `stream` drops an incomplete character at the end.
  const first = new TextDecoder('utf-8').decode(bytes.subarray(0, maxBytes), { stream: true })
  return `${first}\n[cut: ${path} has ${bytes.length} bytes, the first ${maxBytes} are shown]`
}
