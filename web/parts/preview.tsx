// What an approval is about, shown as a request, a diff or a command. It wraps, and is never cut.
import type { ComponentChildren } from 'preact'
import type { DiffLine, Preview as PreviewData } from '../lib/asking.ts'
import { numberText } from '../lib/words.ts'
import { Json } from './json.tsx'
import './preview.css'

/** Longer ones scroll inside; then their length is told. */
const longChars = 700

export function Preview({ preview }: { preview: PreviewData }) {
  switch (preview.type) {
    case 'request':
      return (
        <Frame head={<Head word={preview.method} text={preview.url} />} text={preview.rest}>
          <Json text={preview.rest} />
        </Frame>
      )
    case 'command':
      return (
        <Frame head={<Head word="RUN" text={preview.rest.replaceAll(/[()]/g, '')} />} text={preview.command}>
          <span class="preview-prompt" aria-hidden="true">
            ${' '}
          </span>
          {preview.command}
        </Frame>
      )
    case 'diff':
      return <Diff {...preview} />
    case 'text':
      return (
        <Frame head={<Head word="RUN" text={preview.head} />} text={preview.text}>
          <Json text={preview.text} />
        </Frame>
      )
    default:
      return preview satisfies never
  }
}

function Head({ word, text }: { word: string; text: string }) {
  return (
    <>
      <span class="preview-word">{word}</span>
      <span class="preview-what">{text}</span>
    </>
  )
}

type FrameProps = { readonly head: ComponentChildren; readonly text: string; readonly children: ComponentChildren }

function Frame({ head, text, children }: FrameProps) {
  return (
    <div class="preview">
      {head && <div class="preview-head">{head}</div>}
      {text !== '' && (
        // A long one scrolls, by the keyboard too.
        <pre class="preview-body" tabIndex={0} role="region" aria-label="What would run">
          {children}
        </pre>
      )}
      {text.length > longChars && <div class="preview-foot">{numberText(text.length)} characters</div>}
    </div>
  )
}

function Diff({ isNew, path, lines }: { isNew: boolean; path: string; lines: readonly DiffLine[] }) {
  const count = (wanted: string): number => lines.filter(({ sign }) => sign === wanted).length
  const chars = lines.reduce((sum, { text }) => sum + text.length, 0)
  return (
    <div class="preview">
      <div class="preview-head">
        <Head word={isNew ? 'NEW' : 'EDIT'} text={path} />
        <span class="preview-counts">
          <span class="good">+{count('+')}</span> <span class="bad">−{count('-')}</span>
        </span>
      </div>
      <div class="preview-body diff" tabIndex={0} role="region" aria-label="What would change">
        {lines.map(({ sign, at, text }, index) => (
          <div key={index} class={`diff-line ${names[sign]}`}>
            <span class="diff-sign">{sign === '-' ? '−' : sign === '@' ? '' : sign}</span>
            <span class="diff-at">{at ?? ''}</span>
            <span class="diff-text">{sign === '@' && text === '' ? '…' : text}</span>
          </div>
        ))}
      </div>
      {chars > longChars && <div class="preview-foot">{numberText(chars)} characters</div>}
    </div>
  )
}

const names = { '+': 'added', '-': 'removed', ' ': 'same', '@': 'gap' } as const
