// The author of a document, in words.
import type { Document } from '#doors/web/wire/memory.ts'

export const authorWords: Readonly<Record<Document['author'], string>> = {
  user: 'you',
  door: 'a program of yours',
  agent: 'the agent',
}
