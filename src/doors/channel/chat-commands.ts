// Commands of a chat: what a message asks of the service itself. Every other message is for the agent.

export type ChatCommand =
  | { readonly type: 'start'; readonly code: string }
  | { readonly type: 'new'; readonly text: string }
  | { readonly type: 'stop' | 'status' | 'help' }
  /** Without a number it lists. */
  | { readonly type: 'threads'; readonly number?: number }

/** Their words, for `/help` and for the menu of the channel. */
export const commandWords = {
  new: 'start a new thread',
  stop: 'stop what is running or queued',
  status: 'what is going on',
  threads: 'list threads; /threads 2 goes on in the second',
  help: 'what this chat can do',
} as const

const maxThreadDigits = 3

/** The command of a message; undefined for a message to the agent. `/name@bot` is how some apps write a command. */
export function readCommand(text: string): ChatCommand | undefined {
  const [, name = '', rest = ''] = /^\/([A-Za-z]{1,20})(?:@[A-Za-z0-9_]{1,64})?(?:\s+([\s\S]*))?$/.exec(text) ?? []
  const words = rest.trim()
  switch (name.toLowerCase()) {
    case 'start':
      return { type: 'start', code: words }
    case 'new':
      return { type: 'new', text: words }
    case 'threads':
      return threadsCommand(words)
    case 'stop':
    case 'status':
    case 'help':
      return words === '' ? { type: name.toLowerCase() as 'stop' | 'status' | 'help' } : undefined
    default:
      return undefined
  }
}

function threadsCommand(words: string): ChatCommand | undefined {
  if (words === '') return { type: 'threads' }
  return /^\d+$/.test(words) && words.length <= maxThreadDigits ? { type: 'threads', number: Number(words) } : undefined
}
