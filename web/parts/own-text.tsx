// The text of a person as it was typed, with its code blocks as code.
import { useMemo } from 'preact/hooks'
import { fencedParts } from '../lib/fenced-parts.ts'
import { Code } from './code.tsx'
import { LongText } from './long-text.tsx'

/** Longer texts stay plain. */
const maxChars = 20_000

export function OwnText({ text }: { text: string }) {
  const parts = useMemo(() => (text.length <= maxChars && text.includes('```') ? fencedParts(text) : []), [text])
  if (!parts.some(({ type }) => type === 'code')) return <LongText text={text} />
  return (
    <>
      {parts.map((part, at) =>
        part.type === 'code' ? (
          <Code key={at} text={part.text} language={part.language} growing={false} />
        ) : (
          <div key={at} class="long-text">
            {part.text}
          </div>
        ),
      )}
    </>
  )
}
