// The door of a channel over a channel and a store that the test plays.
import type { TestContext } from 'node:test'
import type { ChatEffect, PairedChat, Post } from '#core/channel.ts'
import { operator } from '#core/ids.ts'
import type { Channel, Content, Incoming, SendOutcome } from '#doors/channel/channel.ts'
import { type ChannelDoor, type ChannelDoorParts, openChannelDoor } from '#doors/channel/channel-door.ts'
import { silentLog } from '#lib/log.ts'
import { withFakeClock } from '../../fake-clock.ts'
import { fake } from '../../fake.ts'

export const chat: PairedChat = { channel: 'telegram', chat: '7', user: operator }
export const post: Post = {
  id: 'p',
  channel: 'telegram',
  chat: '7',
  user: operator,
  kind: 'note',
  text: 'hello',
  messages: [],
}
export const said = (id: number, text: string, from = '7'): Incoming => ({
  type: 'message',
  ids: [id],
  chat: from,
  message: String(id),
  text,
  files: [],
})
const secs = (): number => Date.now() / 1000
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

type Play = {
  readonly batches?: readonly (readonly Incoming[])[]
  readonly posts?: Post[]
  readonly paired?: PairedChat | undefined
  /** Called with each effect of an update; throws to fail. */
  readonly effect?: (ids: readonly number[], effect: ChatEffect) => void
  readonly send?: (content: Content) => SendOutcome
  readonly renew?: () => boolean
  readonly pressed?: boolean
}

/** Everything around a door. What happens is noted with its second. */
export function stage({ batches = [], posts = [], paired = chat, effect, send, renew = () => true, pressed }: Play) {
  const events: string[] = []
  const note = (what: string): void => void events.push(`${secs()} ${what}`)
  let held = false
  let messages = 0
  const channels = {
    chat: (_: string, from: string) => Promise.resolve(from === '7' ? paired : undefined),
    taken: () => Promise.resolve(pressed ?? false),
    async takeEffect({ ids }: { ids: readonly number[] }, _: PairedChat, given: ChatEffect) {
      note(`take ${ids.join()}`)
      await Promise.resolve(effect?.(ids, given))
      return true
    },
    takePairing: ({ ids }: { ids: readonly number[] }, from: string) => {
      note(`pair ${ids.join()}`)
      return Promise.resolve({ ...chat, chat: from })
    },
    button: () => Promise.resolve(undefined),
    posts: () => Promise.resolve([...posts]),
    post: (id: string) => Promise.resolve(posts.find((each) => each.id === id)),
    setMessages: () => Promise.resolve(),
    finish: (id: string) => {
      note(`finish ${id}`)
      posts.splice(0, posts.length, ...posts.filter((each) => each.id !== id))
      return Promise.resolve()
    },
    prune: (before: number, now: number) => Promise.resolve(note(`prune ${(now - before) / 3_600_000} h`)),
  }
  const ended = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
    })
  const channel = fake<Channel>({
    name: 'telegram',
    account: '1',
    maxChars: 10,
    editGapMs: 0,
    async *updates(signal: AbortSignal) {
      note('listen')
      for (const batch of batches) {
        if (signal.aborted) return
        yield batch
      }
      await ended(signal)
    },
    send: (_: string, content: Content) => {
      note(`send ${'text' in content ? content.text : ''}`)
      return Promise.resolve(send?.(content) ?? { type: 'sent', message: String(++messages) })
    },
    edit: (_: string, message: string, content: Content) => {
      note(`edit ${message} ${'text' in content ? content.text : ''}`)
      return Promise.resolve({ type: 'done' })
    },
    answerPress: (press: string, words: string) => Promise.resolve(note(`answer ${press} ${words}`)),
  })
  const hold = {
    renew: () => {
      held = renew()
      return Promise.resolve(held)
    },
    get held() {
      return held
    },
    leave: () => Promise.resolve(note('leave')),
  }
  const parts = fake<ChannelDoorParts>({
    channel,
    hold,
    store: { channels },
    turns: {},
    threads: {},
    gates: {},
    linkOf: () => 'https://a.example',
    onStart: ({ chat: from }: PairedChat) => Promise.resolve(note(`start ${from}`)),
    log: silentLog,
  })
  return { events, posts, parts, held: (now: boolean) => void (held = now), open: () => openChannelDoor(parts) }
}

/** Opens the door, lets so many seconds pass, and closes it. */
export async function during(
  t: TestContext,
  play: ReturnType<typeof stage>,
  forSecs: number,
  act?: (door: ChannelDoor) => Promise<unknown>,
): Promise<string[]> {
  return withFakeClock(t, async () => {
    const door = play.open()
    await act?.(door)
    await pause(forSecs * 1000 - Date.now())
    const events = play.events.filter((event) => !/listen|prune/.test(event))
    await door.close()
    return events
  })
}
