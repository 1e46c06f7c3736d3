// Takes what people do in their chats: a message becomes a turn, a command is carried out, an edit changes what is queued.
import type { PairedChat, Updates } from '#core/channel.ts'
import { AppError } from '#core/errors.ts'
import type { UserId } from '#core/ids.ts'
import { type Message, type Part, textMessage } from '#core/item.ts'
import { maxAttachedBytes, maxAttachments, maxPictureBytes } from '#core/page-limits.ts'
import { isPdf, type ReadPdf } from '#core/pdf.ts'
import type { ChannelStore } from '#core/store.ts'
import type { Turn } from '#core/turn.ts'
import { ended } from '#core/turn-status.ts'
import { withDeadline } from '#lib/deadline.ts'
import { partOfFile, partOfPdf, tooMuchText } from '#turns/attachments.ts'
import { checkMessage } from '#turns/message.ts'
import { isAway } from '#turns/store-retry.ts'
import type { Threads } from '#turns/threads.ts'
import type { StartTurn, Turns } from '#turns/turns.ts'
import { joinAlbum } from './album.ts'
import type { Channel, FileRef, IncomingMessage } from './channel.ts'
import { type ChatCommand, readCommand } from './chat-commands.ts'
import { codeHash } from './pairing.ts'
import { helpNote, pairedNote, statusNote, threadsNote } from './notes.ts'

export type TakeParts = {
  readonly channel: Channel
  readonly store: ChannelStore
  readonly turns: Turns
  readonly threads: Pick<Threads, 'get' | 'list'>
  readonly readPdf: ReadPdf
}

/** The time left to fetch and read files: one budget for a chat and a batch, since every chat waits for a batch. */
export type FilesTime = { leftMs: number }

export const maxFilesMs = 60_000

const maxListed = 10

/** Pairs an unknown chat if it brings a valid code; else nothing happens, and nothing is said. */
export async function takePairing(parts: TakeParts, updates: Updates, message: IncomingMessage) {
  const command = readCommand(message.text)
  if (command?.type !== 'start' || command.code === '' || message.edited) return undefined
  const pairing = { hash: codeHash(command.code), note: pairedNote }
  return parts.store.takePairing(updates, message.chat, pairing)
}

/** Takes a message of a paired chat. Throws only what may pass: the caller tries again. */
export async function takeMessage(
  parts: TakeParts,
  { updates, chat, message, signal, filesTime }: Given & { signal: AbortSignal; filesTime: FilesTime },
): Promise<void> {
  const { store } = parts
  if (await store.taken(updates)) {
    // A crash may have come between two batches: the rest of an album is a message of its own.
    const rest = await untaken(store, updates, message)
    if (rest)
      await takeMessage(parts, { updates: { ...updates, ids: rest.ids }, chat, message: rest, signal, filesTime })
    return
  }
  const note = (text: string): Promise<boolean> => store.takeEffect(updates, chat, { note: text })
  const command = message.edited || message.files.length > 0 ? undefined : readCommand(message.text)
  try {
    if (command) await takeCommand(parts, { updates, chat, command, message })
    else if (message.edited) await takeEdit(parts, { updates, chat, message })
    else if (message.unsupported) await note('Only text, photos, PDFs and text files are understood here.')
    else
      await startTurn(parts, {
        updates,
        chat,
        message,
        input: await inputOf(parts, { chat, message, signal, filesTime }),
      })
  } catch (error) {
    // A fault of the message itself is reported in the chat.
    const words = error instanceof AppError ? error.message : undefined
    if (words === undefined || isAway(error)) throw error
    await note(`This message was not taken: ${words}`)
  }
}

async function untaken(store: ChannelStore, updates: Updates, { album = [] }: IncomingMessage) {
  const left: IncomingMessage[] = []
  for (const each of album) if (!(await store.taken({ ...updates, ids: each.ids }))) left.push(each)
  return left.length === 0 ? undefined : left.reduce(joinAlbum)
}

type Given = { readonly updates: Updates; readonly chat: PairedChat; readonly message: IncomingMessage }

async function startTurn(
  parts: TakeParts,
  { updates, chat, message, input }: Given & { input: Message },
): Promise<void> {
  const { store, turns, channel } = parts
  const { user, threadId } = chat
  const turn: StartTurn = { user, door: channel.name, input: [input], options: {}, whenBusy: 'queue' }
  const start = (given: StartTurn) =>
    turns.startBy(given, (stored) => store.takeTurn(updates, chat, { turn: stored, source: message.message }))
  const started = await start(threadId === undefined ? turn : { ...turn, threadId }).catch((error: unknown) => {
    // The chat's thread was deleted: the message begins another.
    if (threadId !== undefined && error instanceof AppError && error.code === 'not_found') return start(turn)
    throw error
  })
  started?.events.close()
}

/**
 * An edit counts until the turn of its message begins. To make it twice changes nothing. One of what is not understood,
 * such as a location that moves, is no matter.
 */
async function takeEdit({ store, turns }: TakeParts, { updates, chat, message }: Given): Promise<void> {
  if (message.unsupported) return void (await store.takeEffect(updates, chat, {}))
  const post = await store.answerTo(chat.channel, chat.chat, message.message)
  const turn = post?.turnId === undefined ? undefined : await turns.get(chat.user, post.turnId)
  const note = turn && !ended(turn.status) ? await edit(turns, turn, message.text) : tooLate('is done')
  await store.takeEffect(updates, chat, note === undefined ? {} : { note })
}

/** Returns what is to be said about it. */
async function edit(turns: Turns, { id, userId }: Turn, text: string): Promise<string | undefined> {
  try {
    await turns.editQueued(userId, id, text)
    return undefined
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'turn_started')) throw error
    return tooLate('is being answered')
  }
}

function tooLate(state: string): string {
  return `Your edit came too late: that message ${state}. Send a new one.`
}

async function takeCommand(
  parts: TakeParts,
  { updates, chat, command, message }: Given & { command: ChatCommand },
): Promise<void> {
  const { store, turns, threads } = parts
  const note = (text: string): Promise<boolean> => store.takeEffect(updates, chat, { note: text })
  switch (command.type) {
    case 'start': {
      // A valid code pairs the chat anew, with whom the code is for.
      const again = command.code !== '' && (await takePairing(parts, updates, message))
      if (!again) await note(helpNote)
      return
    }
    case 'help':
      await note(helpNote)
      return
    case 'new': {
      if (command.text === '') {
        await store.takeEffect(updates, chat, { thread: null, note: 'Your next message begins a new thread.' })
        return
      }
      checkMessage(command.text)
      const { threadId: _, ...fresh } = chat
      await startTurn(parts, { updates, chat: fresh, message, input: textMessage('user', command.text) })
      return
    }
    case 'stop':
      await note(await stopAll(parts, chat))
      return
    case 'status': {
      const thread = chat.threadId === undefined ? undefined : await threads.get(chat.user, chat.threadId)
      await note(statusNote(await turns.count(chat.user), thread))
      return
    }
    case 'threads': {
      const { rows } = await threads.list(chat.user, { limit: maxListed })
      const chosen = command.number === undefined ? undefined : rows[command.number - 1]
      const text = threadsNote(rows, { current: chat.threadId, chosen, number: command.number })
      await store.takeEffect(updates, chat, { note: text, ...(chosen && { thread: chosen.id }) })
      return
    }
    default:
      return command satisfies never
  }
}

/** Stops what this chat asked for, and what runs in its thread, with everything that is queued there. */
async function stopAll({ store, turns }: TakeParts, { channel, chat, user, threadId }: PairedChat): Promise<string> {
  const own = (await store.posts(channel)).filter((post) => post.chat === chat && post.kind === 'turn')
  const threads = new Set([...own, { threadId }].flatMap((post) => post.threadId ?? []))
  let any = false
  for (const id of threads) {
    const { removed, stopped } = await turns.stopAll(user, id)
    any ||= removed.length > 0 || stopped !== undefined
  }
  return any ? 'Stopped.' : 'Nothing is running.'
}

/** The message of a person with its files. Throws invalid_input and too_large for what the usual limits refuse. */
async function inputOf(
  { channel, readPdf }: TakeParts,
  {
    chat: { user },
    message,
    signal,
    filesTime,
  }: { chat: PairedChat; message: IncomingMessage; signal: AbortSignal; filesTime: FilesTime },
): Promise<Message> {
  if (message.files.length > 0 && filesTime.leftMs <= 0) {
    throw new AppError('overloaded', 'the files before it took too long. Send it again')
  }
  const beganAt = performance.now()
  const parts = await withDeadline(filesTime.leftMs, signal, (either) =>
    filesOf({ channel, readPdf, user }, message.files, { signal, either }),
  ).finally(() => {
    filesTime.leftMs -= performance.now() - beganAt
  })
  if (message.text === '' && parts.length > 0) return { type: 'message', role: 'user', content: parts }
  checkMessage(message.text)
  return textMessage('user', message.text, parts)
}

/** `either` also aborts at the deadline. */
async function filesOf(
  { channel, readPdf, user }: Pick<TakeParts, 'channel' | 'readPdf'> & { readonly user: UserId },
  files: readonly FileRef[],
  { signal, either }: { signal: AbortSignal; either: AbortSignal },
): Promise<Part[]> {
  if (files.length > maxAttachments) {
    throw new AppError('invalid_input', `a message has at most ${maxAttachments} files`)
  }
  // A PDF that a stop of the service interrupts is read again by the next start.
  const unlessStopped = (error: unknown): never => {
    signal.throwIfAborted()
    throw error
  }
  const parts: Part[] = []
  let [fetched, written, hasPdf] = [0, 0, false]
  for (const file of files) {
    const tooLarge = `${file.name} is too large: a picture or a PDF has at most ${maxPictureBytes} bytes`
    if ((file.bytes ?? 0) > maxPictureBytes) throw new AppError('too_large', tooLarge)
    const bytes = await channel.fetchFile(file, maxPictureBytes, either).catch((error: unknown) => {
      if (signal.aborted || !either.aborted) throw error
      return { fault: 'it took too long' }
    })
    if ('fault' in bytes) throw new AppError('invalid_input', `${file.name} could not be fetched: ${bytes.fault}`)
    fetched += bytes.length
    if (fetched > maxAttachedBytes) {
      throw new AppError('too_large', `all files together have at most ${maxAttachedBytes} bytes`)
    }
    const pdf = isPdf(bytes) && { name: file.name, bytes, param: 'attachments', user }
    const part = pdf ? await partOfPdf(pdf, readPdf, either).catch(unlessStopped) : partOfFile(file.name, bytes)
    parts.push(part)
    written += part.type === 'file' ? Buffer.byteLength(part.text) : bytes.length
    hasPdf ||= pdf !== false
    if (hasPdf && written > maxAttachedBytes) throw tooMuchText('attachments')
  }
  return parts
}
