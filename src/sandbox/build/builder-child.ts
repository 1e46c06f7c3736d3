// Entry of the process that runs the component builder. The builder evaluates the tool's code, which may never end: this
// process can be killed. Started by run-builder.ts.
import { once } from 'node:events'
import { errorMessage } from '#core/errors.ts'
import type { BuilderAnswer, BuilderMessage, BuilderParts } from './run-builder.ts'

type Componentize = (parts: BuilderParts & { sync: boolean; optSize: boolean }) => Promise<{ component: Uint8Array }>

// The builder works in another thread, which goes on after an ordinary exit.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
const [{ builder, parts }] = (await once(process, 'message')) as [{ builder: string; parts: BuilderParts }]
await say(await answer())

async function answer(): Promise<BuilderAnswer> {
  let componentize: Componentize
  try {
    componentize = ((await import(builder)) as { componentize: Componentize }).componentize
  } catch (error) {
    return { type: 'no_builder', message: errorMessage(error) }
  }
  await say({ type: 'started' })
  try {
    const { component } = await componentize({ ...parts, sync: true, optSize: true })
    return { type: 'component', component }
  } catch (error) {
    return { type: 'fault', message: errorMessage(error) }
  }
}

/** Ends when the message is on its way: what follows may never let go of the thread. */
function say(message: BuilderMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()))
}
