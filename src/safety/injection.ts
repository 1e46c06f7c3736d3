// Text from outside is data. It goes to the model inside a fence whose closing mark it cannot write itself.

const mark = 'untrusted-content'

/** Wraps text that came from outside, naming where it came from. */
export function fence(text: string, origin: string): string {
  return `<${mark} from="${origin.replace(/["<>\n]/g, ' ')}">\n${withoutMark(text, mark)}\n</${mark}>`
}

/** The text without any closing (or opening) mark of a block, in whatever case or spacing, so it cannot end it. */
export function withoutMark(text: string, name: string): string {
  return text.replaceAll(new RegExp(`<(\\s*/?\\s*${name})`, 'gi'), '&lt;$1')
}
