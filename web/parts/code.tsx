// A code block: its language, a copy button, and the code, in colours once they are loaded.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { CodePiece } from '../lib/highlight.ts'
import { Copy } from './copy.tsx'

type Props = {
  readonly text: string
  readonly language: string
  /** The code is still streaming in: it stays plain. */
  readonly growing: boolean
}

export function Code({ text, language, growing }: Props) {
  const [coloured, setColoured] = useState<{ readonly text: string; readonly pieces: readonly CodePiece[] }>()
  useEffect(() => {
    if (growing || language === '') return undefined
    let gone = false
    const colour = async (): Promise<void> => {
      const { highlight } = await import('../lib/highlight.ts')
      const pieces = gone ? undefined : highlight(text, language.toLowerCase())
      if (pieces) setColoured({ text, pieces })
    }
    // Without colours the code stays plain.
    colour().catch(() => {})
    return () => {
      gone = true
    }
  }, [text, language, growing])
  return (
    <div class="code-frame">
      <div class="code-bar">
        <span class="one-line">{language || 'text'}</span>
        <Copy words="quiet" text={() => text} />
      </div>
      <pre tabIndex={0} role="region" aria-label={`Code${language ? `, ${language}` : ''}`}>
        <code>{coloured?.text === text ? shown(coloured.pieces) : text}</code>
      </pre>
    </div>
  )
}

function shown(pieces: readonly CodePiece[]): ComponentChildren {
  return pieces.map((piece, at) =>
    typeof piece === 'string' ? (
      piece
    ) : (
      <span key={at} class={`code-${piece.scope}`}>
        {shown(piece.pieces)}
      </span>
    ),
  )
}
