// Who the agent is and whom it serves: four documents at the root of memory that stand in the system prompt.
import { type DocumentStore, identityPaths } from '#core/document.ts'
import { operator, type UserId } from '#core/ids.ts'
import { evictOldest } from '#lib/evict.ts'

/** Bytes of each document that reach the prompt. */
const maxBytes = 8 * 1024
/** Users whose identity is remembered; the longest unused is forgotten first. */
const maxKnown = 2_000

const opening = 'The files below are kept in memory by the people you serve: they say who you are and how to work.'

export interface Identity {
  /** The parts of the system prompt that are this user's, in their order. */
  partsFor(user: UserId): Promise<readonly string[]>
  /** Something of a user's was written; nobody named: of anybody's. */
  forget(user?: UserId): void
}

export function createIdentity({ store }: { store: Pick<DocumentStore, 'get'> }): Identity {
  const known = new Map<UserId, Promise<readonly string[]>>()
  return {
    partsFor(user) {
      const parts = known.get(user) ?? readParts(store, user)
      known.delete(user)
      known.set(user, parts)
      evictOldest(known, maxKnown)
      parts.catch(() => {
        if (known.get(user) === parts) known.delete(user)
      })
      return parts
    },
    forget(user) {
      // Others fall back to the operator's.
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

/** Words from outside never become part of who the agent is. */
async function trusted(store: Pick<DocumentStore, 'get'>, user: UserId, path: string): Promise<string | undefined> {
  const document = await store.get(user, path)
  return document?.untrusted ? undefined : document?.content
}

function cut(path: string, content: string): string {
  const bytes = Buffer.from(content)
  if (bytes.length <= maxBytes) return content.trimEnd()
  // Half a character at the end becomes nothing.
  const first = new TextDecoder('utf-8').decode(bytes.subarray(0, maxBytes), { stream: true })
  return `${first}\n[cut: ${path} has ${bytes.length} bytes, the first ${maxBytes} are shown]`
}
