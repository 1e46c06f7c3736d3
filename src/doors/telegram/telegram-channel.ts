// Telegram as a chat channel: long polls, messages, edits, and what its refusals mean.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '#lib/log.ts'
import { createOneAtATime } from '#lib/one-at-a-time.ts'
import type { Channel, Content, Incoming, Outcome, SendOutcome } from '#doors/channel/channel.ts'
import type { BotApi, Called } from './client.ts'
import { keyboardOf } from './buttons.ts'
import { htmlOf } from './html.ts'
import { albumStart, readUpdates, updateId } from './updates.ts'

/** Characters of a message after its markup is read. */
const maxChars = 4_096
const editGapMs = 1_000
const pollSecs = 25
/** Updates that are asked for at a time: as many as Telegram gives. */
const maxUpdates = 100
/** Pauses after a failure: the first, and the longest. */
const minRetryMs = 1_000
const maxRetryMs = 30_000
/** A token that is refused may be mended at Telegram; to be asked often helps nobody. */
const unauthorisedMs = 60_000
/** Downloads are tried so often; then the message is answered without. */
const maxDownloads = 3

/** Answers in a row that leave open whether a message was made. */
const maxUnclear = 2
/** The parts of an album may come in two answers: Telegram is asked again after this time, while more of them come. */
const albumMs = 500
const maxAlbumLooks = 2

type Persistence = { readonly chat: string; readonly signal: AbortSignal; readonly once?: true }
type Refused = Extract<Called<unknown>, { type: 'refused' }>

export function createTelegramChannel({ api, log }: { api: BotApi; log: Log }): Channel {
  /** Calls of one chat, one at a time. */
  const inChat = createOneAtATime()

  /** A chat is under one limit: what else is told in it waits behind. Any other fault holds up nothing but its own message. */
  async function withinLimit<T>(call: () => Promise<Called<T>>, signal: AbortSignal): Promise<Called<T>> {
    for (let waitMs = minRetryMs; ; waitMs = Math.min(waitMs * 2, maxRetryMs)) {
      signal.throwIfAborted()
      const called = await call()
      signal.throwIfAborted()
      if (called.type !== 'refused' || called.code !== 429) return called
      await pause(called.retryAfterMs ?? waitMs, undefined, { signal })
    }
  }

  /**
   * Calls until there is an answer that stands. Rate limits and outages are waited out. A call that makes a message
   * (`once`) may have made it where no answer came: it is tried once more when Telegram answers again, then it counts as
   * refused.
   */
  async function persist<T>(
    call: () => Promise<Called<T>>,
    { chat, signal, once }: Persistence,
  ): Promise<Exclude<Called<T>, { type: 'unreachable' }>> {
    let unclear = 0
    for (let waitMs = minRetryMs; ; waitMs = Math.min(waitMs * 2, maxRetryMs)) {
      const called = await inChat(chat, () => withinLimit(call, signal))
      const pauseMs = pauseAfter(called, waitMs)
      if (pauseMs === undefined && called.type !== 'unreachable') return called
      const isUnclear = once && called.type === 'unreachable' && called.sent
      if (isUnclear && ++unclear >= maxUnclear) {
        return { type: 'refused', code: 0, description: `it is not known whether it arrived: ${called.why}` }
      }
      await pause(pauseMs ?? waitMs, undefined, { signal })
      if (isUnclear) await persist(() => api.getMe(signal), { chat, signal })
    }
  }

  /** Sends or edits with markup; a text whose markup Telegram refuses goes as it is. */
  async function withMarkup<T>(
    content: Exclude<Content, { type: 'file' }>,
    call: (text: string, more: { parse_mode?: 'HTML' }) => Promise<Called<T>>,
    how: Persistence,
  ): Promise<Exclude<Called<T>, { type: 'unreachable' }>> {
    if (content.type === 'markdown') {
      const called = await persist(
        () => call(htmlOf(content.text, maxChars - content.text.length), { parse_mode: 'HTML' }),
        how,
      )
      if (!(called.type === 'refused' && isMarkupFault(called))) return called
      log.warn({ channel: 'telegram', why: called.description }, 'Telegram refused the markup of a message')
    }
    return persist(() => call(content.text, {}), how)
  }

  return {
    name: 'telegram',
    account: api.botId,
    maxChars,
    editGapMs,
    updates: (signal) => poll(api, log, signal),
    async send(chat, content, { replyTo, signal }): Promise<SendOutcome> {
      const called =
        content.type === 'file'
          ? await persist(() => api.sendDocument(chat, content, signal), { chat, signal, once: true })
          : await withMarkup(
              content,
              (text, more) => {
                const quoted = replyTo === undefined ? {} : { replyTo }
                return api.sendMessage(chat, text, { ...more, ...keyboardOf(content), ...quoted }, signal)
              },
              { chat, signal, once: true },
            )
      if (called.type === 'ok') return { type: 'sent', message: String(called.result.message_id) }
      const outcome = outcomeOf(called)
      return outcome.type === 'gone' ? { type: 'gone' } : { type: 'refused', why: called.description }
    },
    async edit(chat, message, content, signal) {
      if (content.type === 'file') return { type: 'refused', why: 'a message cannot become a file' }
      const called = await withMarkup(
        content,
        (text, more) => api.editMessage(chat, message, text, { ...more, ...keyboardOf(content) }, signal),
        { chat, signal },
      )
      return called.type === 'ok' ? { type: 'done' } : outcomeOf(called)
    },
    async remove(chat, message, signal) {
      const called = await persist(() => api.deleteMessage(chat, message, signal), { chat, signal })
      return called.type === 'ok' ? { type: 'done' } : outcomeOf(called)
    },
    async answerPress(press, text, signal) {
      // Once: a press that is too old to be answered stays unanswered.
      const called = await api.answerCallbackQuery(press, text, signal)
      if (called.type === 'unreachable') log.warn({ channel: 'telegram', why: called.why }, 'could not answer a press')
    },
    async fetchFile({ id }, maxBytes, signal) {
      for (let attempt = 1; ; attempt++) {
        const found = await api.getFile(id, signal)
        const path = found.type === 'ok' ? found.result.file_path : undefined
        if (found.type === 'ok' && path === undefined) return { fault: 'Telegram gives no address for it' }
        const called = path === undefined ? found : await api.download(path, maxBytes, signal)
        if (called.type === 'ok' && Buffer.isBuffer(called.result)) return called.result
        signal.throwIfAborted()
        const waitMs = pauseAfter(called, minRetryMs)
        if (waitMs === undefined || attempt >= maxDownloads) return { fault: faultOf(called) }
        await pause(waitMs, undefined, { signal })
      }
    },
  }
}

function faultOf(called: Called<unknown>): string {
  if (called.type === 'refused') return called.description
  return called.type === 'unreachable' ? called.why : 'Telegram gives no address for it'
}

/** Long polls. An offset confirms every update before it, so it moves only when the next batch is asked for. */
async function* poll(api: BotApi, log: Log, signal: AbortSignal): AsyncGenerator<readonly Incoming[]> {
  let offset: number | undefined
  let limit = maxUpdates
  let waitMs = minRetryMs
  while (!signal.aborted) {
    const query = { ...(offset !== undefined && { offset }), limit, timeoutSecs: pollSecs }
    const called = await api.getUpdates(query, signal)
    if (signal.aborted) return
    if (called.type === 'unreachable' && called.tooLarge && limit > 1) {
      // The same answer would come again: it is asked for in smaller parts.
      limit = Math.floor(limit / 2)
      continue
    }
    if (called.type === 'ok') {
      const { updates, next } = await withWholeAlbum(called.result, { api, query, signal })
      if (signal.aborted) return
      limit = maxUpdates
      waitMs = minRetryMs
      if (updates.length > 0) yield readUpdates(updates)
      if (next !== undefined) offset = next
      continue
    }
    const why = called.type === 'refused' ? called.description : called.why
    log.warn({ channel: 'telegram', why }, pollFault(called))
    await pause(pauseAfter(called, waitMs) ?? waitMs, undefined, { signal }).catch(() => undefined)
    waitMs = Math.min(waitMs * 2, maxRetryMs)
  }
}

type Asked = {
  readonly api: Pick<BotApi, 'getUpdates'>
  readonly query: Parameters<BotApi['getUpdates']>[0]
  readonly signal: AbortSignal
}

/**
 * A batch in which albums are whole, and the offset after it. Nothing is confirmed meanwhile: the same updates are
 * asked for again. An album that may go on after a full batch is left for the next one.
 */
async function withWholeAlbum(
  first: readonly unknown[],
  { api, query, signal }: Asked,
): Promise<{ readonly updates: readonly unknown[]; readonly next?: number }> {
  let updates = first
  for (let looks = 0; looks < maxAlbumLooks && albumStart(updates) !== undefined; looks++) {
    if (updates.length >= query.limit) break
    await pause(albumMs, undefined, { signal }).catch(() => undefined)
    const again = await api.getUpdates({ ...query, timeoutSecs: 0 }, signal)
    if (again.type !== 'ok' || again.result.length <= updates.length) break
    updates = again.result
  }
  const start = updates.length >= query.limit ? albumStart(updates) : undefined
  const taken = start ? updates.slice(0, start) : updates
  const ids = taken.flatMap((update) => updateId(update) ?? [])
  return { updates: taken, ...(ids.length > 0 && { next: Math.max(...ids) + 1 }) }
}

function pollFault(called: Called<unknown>): string {
  if (called.type !== 'refused') return 'Telegram cannot be reached'
  if (called.code === 401 || called.code === 404) return 'Telegram refuses the token: connect again'
  if (called.code === 409) return 'another program reads the updates of this bot'
  return 'Telegram refused to give updates'
}

/** How long to wait before the same call is made again; undefined if its answer stands. */
function pauseAfter(called: Called<unknown>, waitMs: number): number | undefined {
  if (called.type === 'ok') return undefined
  if (called.type === 'unreachable') return waitMs
  if (called.code === 429) return called.retryAfterMs ?? waitMs
  if (called.code === 401) return unauthorisedMs
  return called.code >= 500 ? waitMs : undefined
}

/** The meaning of a refusal. Telegram tells refusals apart by words alone. */
function outcomeOf({ code, description }: Refused): Outcome {
  if (/message is not modified/i.test(description)) return { type: 'done' }
  if (/message to (edit|delete) not found|message can't be (edited|deleted)|MESSAGE_ID_INVALID/i.test(description)) {
    return { type: 'missing' }
  }
  if (code === 403 || /chat not found|user is deactivated/i.test(description)) return { type: 'gone' }
  return { type: 'refused', why: description }
}

function isMarkupFault({ code, description }: Refused): boolean {
  return code === 400 && /can't parse entities|entit|message text is empty/i.test(description)
}
