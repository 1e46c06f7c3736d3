// Copy buttons, which show "Copied" for a moment.
import { useState } from 'preact/hooks'
import { copyText } from '../lib/copy.ts'
import { notify } from '../store/notices.ts'
import { Button, IconButton } from './button.tsx'

const copiedMs = 1_500

/** With `words`, a button with a label of that kind; without, only an icon. */
export function Copy({ text, words }: { text: () => string; words?: 'quiet' | 'plain' }) {
  const [done, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    await copyText(text())
    setDone(true)
    setTimeout(() => setDone(false), copiedMs)
  }
  const act = (): void => void copy().catch(() => notify('The browser refused to copy. Select the text instead.'))
  if (!words) return <IconButton icon={done ? 'check' : 'copy'} name={done ? 'Copied' : 'Copy'} onClick={act} />
  return (
    <Button kind={words} size="small" icon={done ? 'check' : 'copy'} onClick={act}>
      {done ? 'Copied' : 'Copy'}
    </Button>
  )
}
