// Chats of the stand-in of Telegram's Bot API: the methods by which the bot speaks in them, and the persons in them.
import { entityFault, plainText } from './entities.ts'

const maxChars = 4_096
const maxDownload = 20 * 1024 * 1024

export type Params = Record<string, unknown>
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
/** A call that is refused, as the Bot API says it. */
export class Refusal extends Error {
  readonly code: number
  readonly more: object
  constructor(code: number, description: string, more: object = {}) {
    super(description)
    this.code = code
    this.more = more
  }
}

/** `push` is called with each update: what a person did. */
export function createBotChats(botId: number, push: (kind: string, value: object) => void) {
  const chats = new Map<number, Map<number, ShownMessage>>()
  const blocked = new Set<number>()
  const presses = new Set<string>()
  const files = new Map<string, Buffer>()
  let nextMessage = 1
  let nextPress = 1

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
      id: botId,
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

  return { methods, files, person, pressAnswered: (press: string): boolean => !presses.has(press) }
}
