// The gate of a tool that needs a sign-in: one button that opens it. The turn goes on by itself afterwards.
import { useSignal } from '@preact/signals'
import type { Waiting } from '#doors/web/wire/gate.ts'
import { printable } from '#safety/printable.ts'
import { go } from '../router.ts'
import { signServerIn } from '../store/servers.ts'
import { readNeeds, signToolIn, toolAddress } from '../store/tools.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { FieldFault } from './field.tsx'
import { OpenAgain, openOther } from './other-window.tsx'

export function SignInGate({ gate }: { gate: Waiting }) {
  const tool = gate.credential?.tool ?? gate.name
  const { busy, fault, run } = useAct()
  /** The sign-in page in the other window. */
  const away = useSignal<string | undefined>(undefined)
  const begin = async (): Promise<void> => {
    await run(async () => {
      away.value = gate.credential?.of === 'mcp' ? openOther(await signServerIn(tool)) : await openSignIn(tool)
    })
  }
  return (
    <div class="approval-foot">
      <Button kind="primary" busy={busy.value} onClick={() => void begin()}>
        {printable(gate.question.brief)}
      </Button>
      {away.value !== undefined && (
        <span class="label">
          Go on in the other window. This turn goes on by itself. <OpenAgain url={away.value} />
        </span>
      )}
      {fault.value !== undefined && <FieldFault words={fault.value} />}
    </div>
  )
}

/** Opens OAuth in another window and returns its address; for a token or set-up, goes to the tool's page. */
async function openSignIn(tool: string): Promise<string | undefined> {
  const { auth } = await readNeeds(tool)
  const begun = auth?.how === 'oauth' ? await signToolIn(tool, {}) : undefined
  const opened = begun?.url === undefined ? undefined : openOther(begun.url)
  if (opened === undefined) go(toolAddress(tool))
  return opened
}
