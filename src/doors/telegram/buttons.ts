// Buttons as Telegram's inline keyboard.
import type { Content } from '#doors/channel/channel.ts'
import type { Keyboard } from './client.ts'

/** One row of buttons. An edit without a keyboard takes the buttons away. */
export function keyboardOf(content: Content): { readonly reply_markup?: Keyboard } {
  const buttons = content.type === 'plain' ? (content.buttons ?? []) : []
  if (buttons.length === 0) return {}
  return {
    reply_markup: { inline_keyboard: [buttons.map(({ label, data }) => ({ text: label, callback_data: data }))] },
  }
}
