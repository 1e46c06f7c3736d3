// Plain text of any length: its beginning, and a button that shows all of it.
import { useSignal } from '@preact/signals'
import { countWords } from '#core/words.ts'
import { lazy } from '../lazy.tsx'
import { Button } from './button.tsx'

const AllLongText = lazy(async () => (await import('./all-text.tsx')).AllLongText)
const AllText = lazy(async () => (await import('./all-text.tsx')).AllText)

/** Characters of a message that are shown at first. */
const defaultShown = 20_000

type Props = { readonly text: string; readonly shown?: number }

export function LongText({ text, shown = defaultShown }: Props) {
  const all = useSignal(false)
  if (all.value) return <AllLongText text={text} />
  if (text.length <= shown) return <div class="long-text">{text}</div>
  return (
    <>
      {shown > 0 && <div class="long-text">{text.slice(0, shown)}…</div>}
      <Button size="small" onClick={() => (all.value = true)}>
        Show {countWords(text.length - shown, 'more character')}
      </Button>
    </>
  )
}

/** A part of a text that is not formatted. */
export function PlainText({ text }: Pick<Props, 'text'>) {
  return <div class="plain">{text.length > defaultShown ? <AllText text={text} /> : text}</div>
}
