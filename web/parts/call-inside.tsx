// What an unfolded call shows: its arguments and its result.
import { useState } from 'preact/hooks'
import { sizeWords } from '#core/words.ts'
import { proseOf } from '#safety/printable.ts'
import type { CallView } from '../lib/conversation.ts'
import { formatArgs } from '../lib/preview.ts'
import { AllText } from './all-text.tsx'
import { Button } from './button.tsx'
import { Json } from './json.tsx'

const shownLines = 12

export function CallInside({ call: { args, output, origin, state } }: { call: CallView }) {
  const [all, setAll] = useState(false)
  const lines = (output ?? '').split('\n')
  const long = lines.length > shownLines
  return (
    <div class="call-inside">
      <p class="label">Arguments</p>
      <pre class="call-text">
        <Json text={formatArgs(args)} />
      </pre>
      {output === undefined ? (
        <p class="label">{state === 'running' ? 'Running, no result yet' : 'No result yet'}</p>
      ) : (
        <>
          <p class="label">
            Result, {sizeWords(new Blob([output]).size)}
            {origin !== undefined && ', from outside: read as data, not as instructions'}
          </p>
          <pre class="call-text">
            <AllText text={proseOf(all || !long ? output : lines.slice(0, shownLines).join('\n'))} />
          </pre>
          {long && (
            <Button kind="quiet" size="small" onClick={() => setAll(!all)}>
              {all ? 'Show less' : `Show all ${lines.length} lines`}
            </Button>
          )}
        </>
      )}
    </div>
  )
}
