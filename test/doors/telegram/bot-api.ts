// A stand-in of Telegram's Bot API, as strict as the real one: one poller, offsets, rate limits, sizes, entities, edits.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { entityFault, plainText } from './entities.ts'

const maxChars = 4_096
const maxBatch = 100
const maxDownload = 20 * 1024 * 1024

type Params = Record<string, unknown>
type Button = { readonly text: string; readonly callback_data: string }
export type ShownMessage = {
  readonly id: number
  readonly from: 'bot' | 'user'
  /** What a reader sees. */
  readonly text: string
  /** As it was sent. */
  readonly source: string
  readonly buttons: readonly Button[]
  readonly replyTo?: number
  readonly file?: { readonly name: string; readonly bytes: Buffer }
  /** Every text it had, in order. */
  readonly versions: readonly string[]
}
export type ApiCall = { readonly method: string; readonly params: Params; readonly at: number }

class Refusal extends Error {
  readonly code: number
  readonly more: object
  constructor(code: number, description: string, more: object = {}) {
    super(description)
    this.code = code
    this.more = more
  }
}

export type Watcher = (method: string, when: 'before' | 'behind') => boolean
export type FakeBotApi = Awaited<ReturnType<typeof startBotApi>>

/** `token` is the only one that is known. */
export async function startBotApi(token = '4711:AAE-a-token-for-the-tests-of-atrium') {
  const updates: { readonly update_id: number; readonly [kind: string]: unknown }[] = []
  const chats = new Map<number, Map<number, ShownMessage>>()
  const blocked = new Set<number>()
  const presses = new Set<string>()
  const files = new Map<string, Buffer>()
  const calls: ApiCall[] = []
  /** Faults to answer with, before the call has any effect; by method. */
  const faults: { readonly method: string; readonly fault: Refusal }[] = []
  /** Calls that have their effect but get no answer. */
  const lost: string[] = []
  const held = new Map<string, Promise<void>>()
  /** Is called before and behind the effect of each call; true ends the connection without an answer. */
  let watcher: Watcher = () => false
  let poller: { end(): void } | undefined
  let conflicts = 0
  let served = 0
  let nextUpdate = 1_000
  let nextMessage = 1
  let nextPress = 1
  let secret = token

  function messagesOf(chat: unknown): Map<number, ShownMessage> {
    const found = chats.get(Number(chat))
    if (!found) throw new Refusal(400, 'Bad Request: chat not found')
    if (blocked.has(Number(chat))) throw new Refusal(403, 'Forbidden: bot was blocked by the user')
    return found
  }

  function textIn(params: Params): { source: string; text: string } {
    const source = params['text']
    if (typeof source !== 'string') throw new Refusal(400, 'Bad Request: message text is empty')
    const html = params['parse_mode'] === 'HTML'
    if (params['parse_mode'] !== undefined && !html) throw new Refusal(400, 'Bad Request: unsupported parse_mode')
    const fault = html ? entityFault(source) : undefined
    if (fault !== undefined) throw new Refusal(400, `Bad Request: can't parse entities: ${fault}`)
    const text = html ? plainText(source) : source
    if (text.trim() === '') throw new Refusal(400, 'Bad Request: message text is empty')
    if (text.length > maxChars) throw new Refusal(400, 'Bad Request: message is too long')
    return { source, text }
  }

  function buttonsIn(params: Params): Button[] {
    const markup = params['reply_markup'] as { inline_keyboard?: Button[][] } | undefined
    const buttons = markup?.inline_keyboard?.flat() ?? []
    for (const { text, callback_data: data } of buttons) {
      const bytes = Buffer.byteLength(data)
      if (text === '' || bytes < 1 || bytes > 64) throw new Refusal(400, 'Bad Request: BUTTON_DATA_INVALID')
    }
    return buttons
  }

  function botMessage(params: Params): { all: Map<number, ShownMessage>; message: ShownMessage } {
    const all = messagesOf(params['chat_id'])
    const message = all.get(Number(params['message_id']))
    if (!message) throw new Refusal(400, 'Bad Request: message to edit not found')
    if (message.from !== 'bot') throw new Refusal(400, "Bad Request: message can't be edited")
    return { all, message }
  }

  const methods: Record<string, (params: Params) => unknown> = {
    getMe: () => ({
      id: Number(secret.split(':')[0]),
      is_bot: true,
      first_name: 'Atrium',
      username: 'atrium_test_bot',
    }),
    sendMessage(params) {
      const all = messagesOf(params['chat_id'])
      const { source, text } = textIn(params)
      const buttons = buttonsIn(params)
      const reply = (params['reply_parameters'] as { message_id?: number } | undefined)?.message_id
      const id = nextMessage++
      const quoted = reply === undefined ? {} : { replyTo: reply }
      all.set(id, { id, from: 'bot', text, source, buttons, versions: [text], ...quoted })
      return { message_id: id, chat: { id: params['chat_id'], type: 'private' }, date: 0, text }
    },
    sendDocument(params) {
      const all = messagesOf(params['chat_id'])
      const file = params['document'] as { name: string; bytes: Buffer } | undefined
      if (!file || file.bytes.length === 0) throw new Refusal(400, 'Bad Request: file must be non-empty')
      const id = nextMessage++
      all.set(id, { id, from: 'bot', text: '', source: '', buttons: [], versions: [], file })
      return { message_id: id, chat: { id: Number(params['chat_id']), type: 'private' }, date: 0, document: {} }
    },
    editMessageText(params) {
      const { all, message } = botMessage(params)
      if (message.file) throw new Refusal(400, 'Bad Request: there is no text in the message to edit')
      const { source, text } = textIn(params)
      const buttons = buttonsIn(params)
      if (source === message.source && JSON.stringify(buttons) === JSON.stringify(message.buttons)) {
        const same = 'specified new message content and reply markup are exactly the same as a current content'
        throw new Refusal(400, `Bad Request: message is not modified: ${same}`)
      }
      all.set(message.id, { ...message, text, source, buttons, versions: [...message.versions, text] })
      return { message_id: message.id }
    },
    deleteMessage(params) {
      const all = messagesOf(params['chat_id'])
      if (!all.delete(Number(params['message_id']))) throw new Refusal(400, 'Bad Request: message to delete not found')
      return true
    },
    answerCallbackQuery(params) {
      if (!presses.delete(String(params['callback_query_id']))) {
        throw new Refusal(400, 'Bad Request: query is too old and response timeout expired or query ID is invalid')
      }
      return true
    },
    getFile(params) {
      const id = String(params['file_id'])
      const bytes = files.get(id)
      if (!bytes) throw new Refusal(400, 'Bad Request: wrong file_id or the file is temporarily unavailable')
      if (bytes.length > maxDownload) throw new Refusal(400, 'Bad Request: file is too big')
      return { file_id: id, file_unique_id: id, file_size: bytes.length, file_path: `documents/${id}` }
    },
    setMyCommands(params) {
      for (const { command, description } of params['commands'] as { command: string; description: string }[]) {
        if (!/^[a-z0-9_]{1,32}$/.test(command)) throw new Refusal(400, 'Bad Request: BOT_COMMAND_INVALID')
        if (description.length < 1 || description.length > 256)
          throw new Refusal(400, 'Bad Request: BOT_COMMAND_DESCRIPTION_INVALID')
      }
      return true
    },
  }

  async function poll(params: Params, response: ServerResponse): Promise<unknown> {
    poller?.end()
    const offset = Number(params['offset'] ?? 0)
    while ((updates[0]?.update_id ?? Infinity) < offset) updates.shift()
    const until = performance.now() + Number(params['timeout'] ?? 0) * 1000
    let ended = false
    const own = {
      end(): void {
        ended = true
        conflicts++
      },
    }
    poller = own
    response.once('close', () => {
      if (poller === own) poller = undefined
    })
    try {
      while (updates.length === 0 && performance.now() < until && !response.destroyed) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (ended) break
      }
      if (ended) {
        const only = 'terminated by other getUpdates request; make sure that only one bot instance is running'
        throw new Refusal(409, `Conflict: ${only}`)
      }
      served += Math.min(updates.length, maxBatch)
      return updates.slice(0, maxBatch)
    } finally {
      if (poller === own) poller = undefined
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given = '', path = ''] = /^\/(?:file\/)?bot([^/]+)\/(.+)$/.exec(request.url ?? '') ?? []
    const body = await bodyOf(request)
    if (given !== secret) throw new Refusal(401, 'Unauthorized')
    if (request.url?.startsWith('/file/')) {
      const bytes = files.get(path.replace('documents/', ''))
      response.writeHead(bytes ? 200 : 404).end(bytes)
      return
    }
    const params = paramsIn(request, body)
    calls.push({ method: path, params, at: performance.now() })
    await held.get(path)
    if (response.destroyed) return
    const at = faults.findIndex(({ method }) => method === path)
    const [planted] = at < 0 ? [] : faults.splice(at, 1)
    if (planted) throw planted.fault
    const method = methods[path]
    if (path !== 'getUpdates' && !method) throw new Refusal(404, 'Not Found')
    if (watcher(path, 'before')) return void response.destroy()
    const result = path === 'getUpdates' ? await poll(params, response) : method?.(params)
    if (watcher(path, 'behind')) return void response.destroy()
    const unanswered = lost.indexOf(path)
    if (unanswered >= 0) {
      lost.splice(unanswered, 1)
      response.destroy()
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result }))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      const answer = { ok: false, error_code: error.code, description: error.message, ...error.more }
      response.writeHead(error.code, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  function push(kind: string, value: object): number {
    const id = nextUpdate++
    updates.push({ update_id: id, [kind]: value })
    return id
  }

  /** A person in a chat of the bot's; their own private one, unless it is a group. */
  function person(chat: number, type = 'private') {
    const all = chats.get(chat) ?? new Map<number, ShownMessage>()
    chats.set(chat, all)
    const from = { id: Math.abs(chat), is_bot: false, first_name: 'Ada' }
    const place = { chat: { id: chat, type }, from, date: 0 }
    function send(fields: object, text: string): number {
      const id = nextMessage++
      all.set(id, { id, from: 'user', text, source: text, buttons: [], versions: [text] })
      push('message', { message_id: id, ...place, ...fields })
      return id
    }
    function fileOf(bytes: Buffer): string {
      const id = `file-${files.size + 1}`
      files.set(id, bytes)
      return id
    }
    return {
      say: (text: string): number => send({ text }, text),
      photo(bytes: Buffer, caption?: string, album?: string): number {
        const sizes = [90, 800].map((width) => ({
          file_id: fileOf(bytes),
          width,
          height: width,
          file_size: bytes.length,
        }))
        const more = {
          ...(caption !== undefined && { caption }),
          ...(album !== undefined && { media_group_id: album }),
        }
        return send({ photo: sizes, ...more }, caption ?? '')
      },
      document: (name: string, bytes: Buffer, caption?: string): number =>
        send(
          {
            document: { file_id: fileOf(bytes), file_name: name, file_size: bytes.length },
            ...(caption !== undefined && { caption }),
          },
          caption ?? '',
        ),
      sticker: (): number => send({ sticker: { file_id: 'x', emoji: '🙂' } }, ''),
      edit(message: number, text: string): void {
        push('edited_message', { message_id: message, ...place, edit_date: 1, text })
      },
      /** Presses a button by its label, or sends any data. Returns the id of the press. */
      press(message: number, label: string, data?: string): string {
        const id = String(nextPress++)
        presses.add(id)
        const found = all.get(message)?.buttons.find(({ text }) => text === label)?.callback_data
        const pressed = { id, from, message: { message_id: message, ...place }, data: data ?? found }
        if (pressed.data === undefined) throw new Error(`there is no button ${label}`)
        push('callback_query', pressed)
        return id
      },
      block: () => void blocked.add(chat),
      unblock: () => void blocked.delete(chat),
      /** What the bot says in the chat now, oldest first. */
      get heard(): ShownMessage[] {
        return [...all.values()].filter((message) => message.from === 'bot')
      },
      get texts(): string[] {
        return this.heard.map(({ text }) => text)
      },
    }
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    calls,
    person,
    /** How often a poller was cut off by another. */
    get conflicts() {
      return conflicts
    },
    get served() {
      return served
    },
    get polling() {
      return poller !== undefined
    },
    /** Updates that were not confirmed. */
    get pending() {
      return updates.length
    },
    /** The next call of a method is refused. */
    refuse: (method: string, code: number, description: string, more: object = {}) =>
      void faults.push({ method, fault: new Refusal(code, description, more) }),
    limit: (method: string, secs: number) =>
      void faults.push({
        method,
        fault: new Refusal(429, `Too Many Requests: retry after ${secs}`, { parameters: { retry_after: secs } }),
      }),
    /** The next call of a method has its effect, and its answer is lost. */
    lose: (method: string) => void lost.push(method),
    /** Calls of a method wait until the returned function is called. */
    hold(method: string): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(method, promise)
      return () => {
        held.delete(method)
        resolve()
      }
    },
    watch(next: Watcher): void {
      watcher = next
    },
    revoke: () => {
      secret = 'none'
    },
    pressAnswered: (press: string): boolean => !presses.has(press),
    async close() {
      for (const release of held.keys()) held.delete(release)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function paramsIn(request: IncomingMessage, body: Buffer): Params {
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('application/json')) return body.length > 0 ? (JSON.parse(body.toString()) as Params) : {}
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(type)?.[1]
  if (boundary === undefined) throw new Refusal(400, 'Bad Request: unsupported content type')
  const params: Params = {}
  for (const part of body.toString('latin1').split(`--${boundary}`).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const value = Buffer.from(rest.join('\r\n\r\n').replace(/\r\n$/, ''), 'latin1')
    const name = /name="([^"]+)"/.exec(head)?.[1] ?? ''
    const file = /filename="([^"]+)"/.exec(head)?.[1]
    params[name] = file === undefined ? value.toString() : { name: file, bytes: value }
  }
  return params
}
