// The pictures of a long thread. The model gets the newest ones: each takes its bytes several times in memory and in every
// request, and providers refuse requests of more than some 50 MB.
import type { Item, Part } from '#core/item.ts'
import { pictureOrigin } from '#core/origins.ts'
import { sizeOf } from './item-size.ts'
import { tokensInItem } from './tokens.ts'

/** Letters of all picture URLs of a prompt. */
const maxPictureChars = 32 * 1024 * 1024
/** What is left once there are more: else every further picture would change the prompt. */
const keptPictureChars = 16 * 1024 * 1024
const note: Part = {
  type: 'text',
  text: '[An earlier picture, which is no longer shown. Ask for it again if it matters.]',
  origin: pictureOrigin,
}

/** The part of a history that pictures are in. */
type Pictured = { items: Item[]; prompt: Item[]; bytes: number; tokens: number; pictures: number }

/** Letters of the picture URLs of an item. Those of a result count with the message that shows them. */
export function pictureChars(item: Item): number {
  return item.type === 'message' ? urlsIn(item).reduce((sum, url) => sum + url.length, 0) : 0
}

/** Leaves the oldest pictures out of the prompt and of the log in memory. The prompt is then a new array. */
export function leaveOutOldPictures(history: Pictured): void {
  if (history.pictures <= maxPictureChars) return
  const newest = history.prompt.findLast((item) => pictureChars(item) > 0)
  const left = history.prompt.map((item) => {
    const chars = pictureChars(item)
    if (chars === 0 || item === newest || history.pictures <= keptPictureChars) return item
    history.pictures -= chars
    const without = withoutPictures(item)
    history.tokens += tokensInItem(without) - tokensInItem(item)
    return without
  })
  // Results have their pictures beside the message that shows them.
  const shown = new Set(left.flatMap((item) => (item.type === 'message' ? urlsIn(item) : [])))
  const isShown = (item: Item): boolean => urlsIn(item).every((url) => shown.has(url))
  history.prompt = left.map((item) => (isShown(item) ? item : withoutPictures(item)))
  history.items = history.items.map((item) => {
    if (isShown(item)) return item
    const without = withoutPictures(item)
    history.bytes += sizeOf(without) - sizeOf(item)
    return without
  })
}

function urlsIn(item: Item): readonly string[] {
  if (item.type === 'result' || item.type === 'answer') return item.images ?? []
  if (item.type !== 'message') return []
  return item.content.flatMap((part) => (part.type === 'image' ? [part.url] : []))
}

function withoutPictures(item: Item): Item {
  if (item.type === 'message') {
    return { ...item, content: item.content.map((part) => (part.type === 'image' ? note : part)) }
  }
  if (item.type !== 'result' && item.type !== 'answer') return item
  const { images: _, ...rest } = item
  return rest
}
