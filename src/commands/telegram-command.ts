// `atrium telegram`: connects a bot, and pairs private chats with users.
import { loadConfig } from '#config.ts'
import { AppError } from '#core/errors.ts'
import { operator, type UserId } from '#core/ids.ts'
import type { Store } from '#core/store.ts'
import { telegramSecret } from '#core/secret.ts'
import { telegramRequests } from '#app/telegram-requests.ts'
import { commandWords } from '#doors/channel/chat-commands.ts'
import { codeMs, newPairingCode } from '#doors/channel/pairing.ts'
import { type BotApi, createBotApi, isBotToken } from '#doors/telegram/client.ts'
import { printable } from '#safety/printable.ts'
import { findUser } from './find-user.ts'
import { readSecret } from './hidden-prompt.ts'
import { withStore } from './home-store.ts'
import { print, say } from './report.ts'
import { reloadService, runningService } from './running-service.ts'

const channel = 'telegram'

/** The token is tried before anything is stored. It is asked for if it is not given. */
export async function connectTelegram(given?: string): Promise<void> {
  const { home, telegramApi: api, proxy } = loadConfig()
  const token = (given ?? (await readSecret('Token of the bot, from @BotFather: '))).trim()
  if (!isBotToken(token)) {
    const looks = 'a token looks like 123456789:AAE… and comes from @BotFather: nothing was stored'
    throw new AppError('invalid_input', looks)
  }
  const bot = createBotApi({ api, token, send: telegramRequests(proxy) })
  say(`Asking ${new URL(api).host} about the token.`)
  const name = await nameOfBot(bot)
  say(`It is the token of ${name}.`)
  await withStore(async ({ secrets, channels }) => {
    const before = await channels.account(channel)
    await secrets.set(telegramSecret, token)
    await channels.connect({ channel, account: bot.botId, name })
    if (before && before.account !== bot.botId) say(`${before.name} was connected before: its chats are forgotten.`)
  })
  say('The token is stored, sealed.')
  // Only a menu in the app: the commands work without it.
  const menu = Object.entries(commandWords).map(([command, description]) => ({ command, description }))
  await bot.setMyCommands(menu, new AbortController().signal)
  await reloadService(home)
  const running = (await runningService(home)) !== undefined
  say(running ? 'The running service serves it now.' : 'It is served from the next start on: atrium serve')
  say('Next: atrium telegram pair')
}

/** Prints the line to send to the bot. */
export async function pairTelegram(name: string | undefined, options: { json?: boolean }): Promise<void> {
  await withStore(async (store) => {
    const account = await connected(store)
    const user = await userOf(store, name)
    const { code, stored } = newPairingCode(channel, user, Date.now())
    await store.channels.addCode(stored)
    const line = `/start ${code}`
    const link = account.name.startsWith('@') ? `https://t.me/${account.name.slice(1)}?start=${code}` : undefined
    const minutes = codeMs / 60_000
    const text = [
      `Send this line to ${account.name} in a private chat, within ${minutes} minutes:`,
      '',
      `  ${line}`,
      ...(link === undefined ? [] : ['', `Or open ${link}`]),
    ].join('\n')
    print(
      options,
      { user: name ?? operator, line, ...(link !== undefined && { link }), valid_secs: codeMs / 1000 },
      text,
    )
  })
}

export async function unpairTelegram(name: string): Promise<void> {
  await withStore(async (store) => {
    const user = await userOf(store, name)
    await store.notifications.removeWays(user, 'telegram')
    if ((await store.channels.unpair(channel, user)) !== undefined) return
    throw new AppError('not_found', `no chat is paired with ${name}`)
  })
  await reloadService()
  say(`The chat of ${printable(name)} is forgotten: what it sends gets no answer.`)
}

export async function disconnectTelegram(): Promise<void> {
  const name = await withStore(async (store) => {
    const account = await connected(store)
    for (const user of await store.notifications.usersWithWays()) await store.notifications.removeWays(user, 'telegram')
    await store.channels.disconnect(channel)
    await store.secrets.remove(telegramSecret)
    return account.name
  })
  await reloadService()
  say(`${name} is disconnected; its token and its chats are forgotten.`)
}

async function nameOfBot(bot: BotApi): Promise<string> {
  const me = await bot.getMe(new AbortController().signal)
  if (me.type === 'ok') {
    const { username, first_name: first } = me.result
    return printable(username === undefined ? (first ?? bot.botId) : `@${username}`)
  }
  if (me.type === 'unreachable') {
    throw new AppError('request_timeout', `the token could not be tried: ${me.why}. Nothing was stored`)
  }
  const wrong = me.code === 401 || me.code === 404
  const why = wrong ? 'the token is wrong: Telegram does not know it' : `Telegram refuses: ${printable(me.description)}`
  throw new AppError('unauthorized', `${why}. Nothing was stored`)
}

async function connected({ channels }: Store): Promise<{ readonly name: string }> {
  const account = await channels.account(channel)
  if (account) return account
  throw new AppError('not_found', 'no bot is connected: atrium telegram connect')
}

async function userOf(store: Store, name: string = operator): Promise<UserId> {
  return name === operator ? operator : (await findUser(store, name)).id
}
