// `atrium telegram` on the command line. Each command is loaded when it is used.
import type { Command } from 'commander'

export function addTelegram(program: Command): void {
  const telegram = program.command('telegram').description('chat with the agent through a Telegram bot')
  const load = () => import('./telegram-command.ts')
  telegram
    .command('connect')
    .description('connect a bot; its token comes from a prompt or standard input, and is tried')
    .action(async () => (await load()).connectTelegram())
  telegram
    .command('pair [user]')
    .description('print the line that binds a private chat to a user, for ten minutes; you by default')
    .option('--json', 'print JSON')
    .action(async (user, options) => (await load()).pairTelegram(user, options))
  telegram
    .command('unpair <user>')
    .description('forget the chat of a user; operator for your own')
    .action(async (user) => (await load()).unpairTelegram(user))
  telegram
    .command('disconnect')
    .description('forget the bot and all chats')
    .action(async () => (await load()).disconnectTelegram())
}
