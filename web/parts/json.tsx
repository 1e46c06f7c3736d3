// JSON with syntax colours. Text that is not JSON stays readable.
import { AllText } from './all-text.tsx'

const piece = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g
/** Longer texts stay plain. */
const maxLength = 20_000

export function Json({ text }: { text: string }) {
  if (text.length > maxLength) return <AllText text={text} />
  const parts = []
  let at = 0
  for (const found of text.matchAll(piece)) {
    const [whole, string, colon] = found
    parts.push(text.slice(at, found.index))
    const kind = string === undefined ? 'code-number' : colon === undefined ? 'code-string' : 'code-keyword'
    parts.push(<span class={kind}>{string ?? whole}</span>, colon ?? '')
    at = found.index + whole.length
  }
  parts.push(text.slice(at))
  return <>{parts}</>
}
