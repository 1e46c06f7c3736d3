// The gate of a tool that needs a sign-in: one button that opens it. The turn goes on by itself afterwards.
import { useSignal } from '@preact/signals'
import type { Waiting } from '#doors/web/wire/gate.ts'
import { go } from '../router.ts'
import { signServerIn } from '../store/servers.ts'
import { readNeeds, signToolIn, toolAddress } from '../store/tools.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { FieldFault } from './field.tsx'

export function SignInGate({ gate }: { gate: Waiting }) {
  const tool = gate.credential?.tool ?? gate.name
  const { busy, fault, run } = useAct()
  const away = useSignal(false)
  const begin = async (): Promise<void> => {
    await run(async () => {
      away.value = gate.credential?.of === 'mcp' ? open(await signServerIn(tool)) : await openSignIn(tool)
    })
  }
  return (
    <div class="approval-foot">
      <Button kind="primary" busy={busy.value} onClick={() => void begin()}>
        {gate.question.brief}
      </Button>
      {away.value && <span class="label">Go on in the other window. This turn goes on by itself.</span>}
      {fault.value !== undefined && <FieldFault words={fault.value} />}
    </div>
  )
}

/** Opens OAuth in another window and returns true; for a token or set-up, goes to the tool's page and returns false. */
async function openSignIn(tool: string): Promise<boolean> {
  const { auth } = await readNeeds(tool)
  const begun = auth?.how === 'oauth' ? await signToolIn(tool, {}) : undefined
  if (begun?.url === undefined || !/^https?:/.test(begun.url)) {
    go(toolAddress(tool))
    return false
  }
  return open(begun.url)
}

function open(url: string): boolean {
  if (/^https?:/.test(url)) window.open(url, '_blank', 'noopener')
  return true
}
