// The full-text index over threads: their titles, and the messages of users and of the model.
import type { Candidates, ChunkTerms, FoundChunk, WordIndex } from './document.ts'
import type { UserId } from './ids.ts'
import { type Message, textOf } from './item.ts'

/** Characters of a message that are indexed. */
const maxSaidChars = 100_000

/** The text of a message that can be found, without its attachments. The index has positions in it, so it must never change. */
export function saidIn({ content }: Pick<Message, 'content'>): string {
  const said = content.filter(({ type }) => type === 'text')
  return textOf({ type: 'message', role: 'user', content: said }).slice(0, maxSaidChars)
}

/** State of one search, shared by its queries: the texts read, by thread and seq, and the bytes that it may still read. */
export type SearchReading = { readonly texts: Map<string, string>; bytesLeft: number }

/** Ids of turns and threads: all up to them were put on the list of threads to index. */
export type IndexPosition = { readonly turns: string; readonly threads: string }

/** A thread on the list. `gone`: it was deleted, and its chunks are to be erased. */
export type ThreadToIndex =
  | { readonly type: 'gone'; readonly threadId: string }
  | {
      readonly type: 'behind'
      readonly threadId: string
      readonly owner: UserId
      readonly title: string
      /** The indexed title is another one, or there is none. */
      readonly titleChanged: boolean
      /** The seqs before and with the last item that is read here. */
      readonly after: number
      readonly through: number
      readonly messages: readonly { readonly seq: number; readonly text: string }[]
    }

/** A thread whose texts were read, with the chunks to save. */
export type ReadThread = {
  readonly thread: Extract<ThreadToIndex, { type: 'behind' }>
  readonly chunks: readonly ThreadChunk[]
}

/** A piece of a message; of the title with the seq 0. */
export type ThreadChunk = {
  readonly seq: number
  readonly start: number
  readonly chars: number
  readonly terms: ChunkTerms
}

/** A chunk of a thread, whose id is its `path`. */
export type FoundMessage = FoundChunk & { readonly seq: number }

/** Several processes may index at once: what one has saved, another does not save again. */
export interface ThreadIndexStore extends Pick<WordIndex, 'count'> {
  /** The best chunks. Those whose text `reading` leaves no room for have an empty text. */
  find(user: UserId, candidates: Candidates, reading: SearchReading): Promise<FoundMessage[]>
  position(): Promise<IndexPosition>
  /**
   * Puts some of the threads after a position on the list. Returns the position after them, and if there may be more.
   * The stored position stays before `until`: rows with earlier ids may yet be committed.
   */
  follow(from: IndexPosition, until: string): Promise<{ readonly position: IndexPosition; readonly more: boolean }>
  /** Forgets the position, and when threads of the list are looked at. All that changed is found again from the beginning. */
  rewind(): Promise<void>
  /** Puts threads at the head of the list. */
  add(threadIds: readonly string[]): Promise<void>
  /** The next threads of the list. */
  due(): Promise<string[]>
  /** A bounded part of what the index lacks of the first of these threads: of several if they are short. */
  read(threadIds: readonly string[]): Promise<ThreadToIndex[]>
  /** Lets a thread of the list wait. */
  putOff(threadId: string, ms: number): Promise<void>
  /** Saves the chunks of threads as they were read by `read`. Of a thread that has changed since, nothing is saved. */
  save(read: readonly ReadThread[]): Promise<void>
  /** Erases some chunks of up to 100 threads that are gone; they leave the list with the last of them. True if some are left. */
  erase(threadIds: readonly string[]): Promise<boolean>
}
