// The preview of an approval: a request, a diff, a command, a document or arguments. Text wraps and is never truncated.
import type { ComponentChildren } from 'preact'
import { numberWords } from '#core/words.ts'
import type { Preview as PreviewData } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { diffLines, isNewFile, formatArgs, missionText, requestRest } from '../lib/preview.ts'
import { Json } from './json.tsx'
import './preview.css'

/** Longer previews scroll, so their length is shown below. */
const longChars = 700

/** `name` is the tool that would run. */
export function Preview({ preview, name }: { preview: PreviewData; name: string }) {
  switch (preview.type) {
    case 'request': {
      const rest = requestRest(preview)
      return (
        <Frame head={<Head word={preview.method} text={preview.url} />} text={rest}>
          <Json text={rest} />
        </Frame>
      )
    }
    case 'command': {
      const command = printable(preview.command, { lines: true })
      return (
        <Frame head={<Head word="RUN" text={whereWords(preview)} />} text={command}>
          <span class="preview-prompt" aria-hidden="true">
            ${' '}
          </span>
          {command}
        </Frame>
      )
    }
    case 'diff':
      return <Diff path={preview.path} diff={preview.diff} />
    case 'document': {
      if (preview.diff !== undefined) return <Diff path={preview.path} diff={preview.diff} />
      const content = printable(preview.content ?? '', { lines: true })
      return (
        <Frame head={<Head word="NEW" text={preview.path} />} text={content}>
          {content}
        </Frame>
      )
    }
    case 'mission': {
      const text = missionText(preview)
      return (
        <Frame head={<Head word="WHEN" text={preview.schedule} />} text={text}>
          {text}
        </Frame>
      )
    }
    case 'arguments': {
      const text = formatArgs(preview.fields)
      return (
        <Frame head={<Head word="RUN" text={name} />} text={text}>
          <Json text={text} />
        </Frame>
      )
    }
    default:
      return preview satisfies never
  }
}

function whereWords({ cwd, timeout_secs: secs }: PreviewData & { type: 'command' }): string {
  return [cwd && `in ${cwd}`, secs !== undefined && `for at most ${secs} seconds`].filter(Boolean).join(', ')
}

function Head({ word, text }: { word: string; text: string }) {
  return (
    <>
      <span class="preview-word">{printable(word)}</span>
      <span class="preview-what">{printable(text)}</span>
    </>
  )
}

type FrameProps = { readonly head: ComponentChildren; readonly text: string; readonly children: ComponentChildren }

function Frame({ head, text, children }: FrameProps) {
  return (
    <div class="preview">
      {head && <div class="preview-head">{head}</div>}
      {text !== '' && (
        // Focusable, so that the keyboard can scroll it.
        <pre class="preview-body" tabIndex={0} role="region" aria-label="What would run">
          {children}
        </pre>
      )}
      {text.length > longChars && <div class="preview-foot">{numberWords(text.length)} characters</div>}
    </div>
  )
}

function Diff({ path, diff }: { path: string; diff: string }) {
  if (diff === '') {
    const text = `${printable(path)} would stay as it is.`
    return (
      <Frame head={<Head word="EDIT" text={path} />} text={text}>
        {text}
      </Frame>
    )
  }
  const lines = diffLines(diff)
  const count = (counted: string): number => lines.filter(({ sign }) => sign === counted).length
  const chars = lines.reduce((sum, { text }) => sum + text.length, 0)
  return (
    <div class="preview">
      <div class="preview-head">
        <Head word={isNewFile(diff) ? 'NEW' : 'EDIT'} text={path} />
        <span class="preview-counts">
          <span class="good">+{count('+')}</span> <span class="bad">−{count('-')}</span>
        </span>
      </div>
      <div class="preview-body diff" tabIndex={0} role="region" aria-label="What would change">
        {lines.map(({ sign, at, text }, index) => (
          <div key={index} class={`diff-line ${names[sign]}`}>
            <span>{sign === '-' ? '−' : sign === '@' ? '' : sign}</span>
            <span class="diff-at">{at ?? ''}</span>
            <span class="diff-text">{sign === '@' && text === '' ? '…' : text}</span>
          </div>
        ))}
      </div>
      {chars > longChars && <div class="preview-foot">{numberWords(chars)} characters</div>}
    </div>
  )
}

const names = { '+': 'added', '-': 'removed', ' ': 'same', '@': 'gap' } as const
