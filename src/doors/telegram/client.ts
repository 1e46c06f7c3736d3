// A small client of Telegram's Bot API. The token is part of every address, so no address is ever in a message or a log.
import * as z from 'zod/mini'
import { readJson, smallJsonBytes } from '#http/json-reader.ts'
import { withoutEndSlashes } from '#lib/end-slashes.ts'

/** Sends one request; failures are returned. Passed in: doors do not open connections themselves. */
export type SendRequest = (
  request: {
    readonly url: string
    readonly headers?: ReadonlyMap<string, string>
    readonly body?: Buffer
    /** Asked right before the request is written: false ends it unsent. */
    readonly mayWrite?: () => boolean
  },
  bounds: { readonly maxBytes: number; readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<{ readonly status: number; readonly body: Buffer } | RequestFault>

/** `tooLarge`: there was an answer, too long to be read. */
type RequestFault = { readonly fault: string; readonly sent: boolean; readonly tooLarge?: true }

/**
 * `refused`: the server answered with an error. `unreachable`: no answer, or not one of the Bot API; `sent` if bytes may
 * have reached it.
 */
export type Called<T> =
  | { readonly type: 'ok'; readonly result: T }
  | { readonly type: 'refused'; readonly code: number; readonly description: string; readonly retryAfterMs?: number }
  | { readonly type: 'unreachable'; readonly why: string; readonly sent: boolean; readonly tooLarge?: true }

export type Keyboard = { readonly inline_keyboard: readonly (readonly { text: string; callback_data: string }[])[] }
type TextOptions = { readonly parse_mode?: 'HTML'; readonly reply_markup?: Keyboard }

export interface BotApi {
  /** The id of the bot: the part of its token that is no secret. */
  readonly botId: string
  getMe(signal: AbortSignal): Promise<Called<Me>>
  getUpdates(
    query: { readonly offset?: number; readonly limit: number; readonly timeoutSecs: number },
    signal: AbortSignal,
  ): Promise<Called<unknown[]>>
  sendMessage(
    chat: string,
    text: string,
    more: TextOptions & { replyTo?: string },
    signal: AbortSignal,
  ): Promise<Called<Sent>>
  editMessage(
    chat: string,
    message: string,
    text: string,
    more: TextOptions,
    signal: AbortSignal,
  ): Promise<Called<unknown>>
  sendDocument(chat: string, file: { name: string; text: string }, signal: AbortSignal): Promise<Called<Sent>>
  deleteMessage(chat: string, message: string, signal: AbortSignal): Promise<Called<unknown>>
  answerCallbackQuery(id: string, text: string, signal: AbortSignal): Promise<Called<unknown>>
  getFile(id: string, signal: AbortSignal): Promise<Called<{ file_path?: string | undefined }>>
  download(path: string, maxBytes: number, signal: AbortSignal): Promise<Called<Buffer>>
  setMyCommands(
    commands: readonly { command: string; description: string }[],
    signal: AbortSignal,
  ): Promise<Called<unknown>>
}

const callMs = 30_000
const downloadMs = 30_000
/** A long poll is answered after its own timeout; this comes on top. */
const pollGraceMs = 15_000
const maxAnswerBytes = 4 * 1024 * 1024
const maxDescriptionChars = 300
const maxRetryAfterSecs = 3_600
/** How a token looks: the bot's id and its secret. */
const tokenPattern = /^(\d{1,20}):([A-Za-z0-9_-]{20,100})$/

const Me = z.object({ id: z.number(), username: z.optional(z.string()), first_name: z.optional(z.string()) })
const Sent = z.object({ message_id: z.number() })
const File = z.object({ file_path: z.optional(z.string()) })
type Me = z.infer<typeof Me>
type Sent = z.infer<typeof Sent>
const Answer = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.optional(z.string()),
    parameters: z.optional(z.object({ retry_after: z.optional(z.number()) })),
  }),
])

/** True for a text that can be a token. */
export function isBotToken(text: string): boolean {
  return tokenPattern.test(text)
}

export type BotApiParts = {
  readonly api: string
  readonly token: string
  readonly send: SendRequest
  /** Asked right before each request is written: a process that stood still must not undo what another did meanwhile. */
  readonly mayWrite?: () => boolean
}

export function createBotApi({ api, token, send, mayWrite }: BotApiParts): BotApi {
  const guard = mayWrite ? { mayWrite } : {}
  const base = withoutEndSlashes(api)
  const secret = token.slice(token.indexOf(':') + 1)
  /** A server may repeat the address in its errors. */
  const masked = (text: string): string => text.replaceAll(secret, '[masked]').slice(0, maxDescriptionChars)
  const unreachable = ({ fault, ...more }: RequestFault) =>
    ({ type: 'unreachable', why: masked(fault), ...more }) as const

  async function request<T>(
    method: string,
    schema: z.ZodMiniType<T>,
    { body, type, timeoutMs = callMs, signal }: { body: Buffer; type: string; timeoutMs?: number; signal: AbortSignal },
  ): Promise<Called<T>> {
    const answer = await send(
      { url: `${base}/bot${token}/${method}`, headers: new Map([['content-type', type]]), body, ...guard },
      { maxBytes: maxAnswerBytes, timeoutMs, signal },
    )
    if ('fault' in answer) return unreachable(answer)
    return readAnswer(answer, schema, masked)
  }

  const call = <T>(
    method: string,
    schema: z.ZodMiniType<T>,
    { params, ...how }: { params: object; timeoutMs?: number; signal: AbortSignal },
  ): Promise<Called<T>> =>
    request(method, schema, { ...how, body: Buffer.from(JSON.stringify(params)), type: 'application/json' })

  return {
    botId: token.slice(0, token.indexOf(':')),
    getMe: (signal) => call('getMe', Me, { params: {}, signal }),
    getUpdates: ({ offset, limit, timeoutSecs: timeout }, signal) =>
      call('getUpdates', z.array(z.unknown()).check(z.maxLength(limit)), {
        params: {
          timeout,
          limit,
          allowed_updates: ['message', 'edited_message', 'callback_query'],
          ...(offset !== undefined && { offset }),
        },
        timeoutMs: timeout * 1000 + pollGraceMs,
        signal,
      }),
    sendMessage: (chat, text, { replyTo, ...more }, signal) =>
      call('sendMessage', Sent, {
        params: { chat_id: Number(chat), ...shown(text), ...more, ...(replyTo !== undefined && replying(replyTo)) },
        signal,
      }),
    editMessage: (chat, message, text, more, signal) =>
      call('editMessageText', z.unknown(), {
        params: { chat_id: Number(chat), message_id: Number(message), ...shown(text), ...more },
        signal,
      }),
    sendDocument(chat, { name, text }, signal) {
      const boundary = `atrium-${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`
      const body = documentForm(boundary, chat, { name, text })
      return request('sendDocument', Sent, { body, type: `multipart/form-data; boundary=${boundary}`, signal })
    },
    deleteMessage: (chat, message, signal) =>
      call('deleteMessage', z.unknown(), { params: { chat_id: Number(chat), message_id: Number(message) }, signal }),
    answerCallbackQuery: (id, text, signal) =>
      call('answerCallbackQuery', z.unknown(), {
        params: { callback_query_id: id, ...(text !== '' && { text }) },
        signal,
      }),
    getFile: (id, signal) => call('getFile', File, { params: { file_id: id }, signal }),
    async download(path, maxBytes, signal) {
      const escaped = path.split('/').map(encodeURIComponent).join('/')
      const answer = await send(
        { url: `${base}/file/bot${token}/${escaped}` },
        { maxBytes, timeoutMs: downloadMs, signal },
      )
      if ('fault' in answer) return unreachable(answer)
      if (answer.status === 200) return { type: 'ok', result: answer.body }
      return { type: 'refused', code: answer.status, description: `HTTP ${answer.status}` }
    },
    setMyCommands: (commands, signal) => call('setMyCommands', z.unknown(), { params: { commands }, signal }),
  }
}

/**
 * A text as Telegram takes it: a reply that grows may end in half a character. Its servers fetch the addresses in a message
 * for a preview: that would send out whatever is in an address.
 */
function shown(text: string): object {
  return { text: text.toWellFormed(), link_preview_options: { is_disabled: true } }
}

function replying(message: string): object {
  return { reply_parameters: { message_id: Number(message), allow_sending_without_reply: true } }
}

async function readAnswer<T>(
  { status, body }: { status: number; body: Buffer },
  schema: z.ZodMiniType<T>,
  masked: (text: string) => string,
): Promise<Called<T>> {
  const unreadable = {
    type: 'unreachable',
    why: `the server answered with HTTP ${status}, and not as a Bot API does`,
    sent: true,
  } as const
  // A long text may have more values than are read: fewer updates may have less.
  const json = await readJson(body).catch(() => undefined)
  if (json === undefined && body.length > smallJsonBytes) return { ...unreadable, tooLarge: true }
  const answer = z.safeParse(Answer, json)
  if (!answer.success) return unreadable
  if (answer.data.ok) {
    const result = z.safeParse(schema, answer.data.result)
    return result.success ? { type: 'ok', result: result.data } : unreadable
  }
  const { error_code: code, description = '', parameters } = answer.data
  const secs = parameters?.retry_after
  const retry = secs === undefined ? {} : { retryAfterMs: Math.min(Math.max(secs, 1), maxRetryAfterSecs) * 1000 }
  return { type: 'refused', code, description: masked(description), ...retry }
}

function documentForm(boundary: string, chat: string, { name, text }: { name: string; text: string }): Buffer {
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="chat_id"\r\n\r\n${chat}\r\n--${boundary}\r\n`
  const file = `content-disposition: form-data; name="document"; filename="${name.replaceAll(/[^\w.-]/g, '_')}"\r\ncontent-type: text/plain; charset=utf-8\r\n\r\n`
  return Buffer.concat([Buffer.from(head + file), Buffer.from(text), Buffer.from(`\r\n--${boundary}--\r\n`)])
}
