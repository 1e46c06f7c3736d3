// Entry of the process that runs the component builder. The builder evaluates the tool's code, which may never end: this
// process can be killed. Started by run-builder.ts.
import { once } from 'node:events'
import type { BuilderAnswer, BuilderParts } from './run-builder.ts'

type Componentize = (parts: BuilderParts & { sync: boolean; optSize: boolean }) => Promise<{ component: Uint8Array }>

// The builder works in another thread, which goes on after an ordinary exit.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
const [{ builder, parts }] = (await once(process, 'message')) as [{ builder: string; parts: BuilderParts }]
process.send?.(await answer())

async function answer(): Promise<BuilderAnswer> {
  let componentize: Componentize
  try {
    componentize = ((await import(builder)) as { componentize: Componentize }).componentize
  } catch (error) {
    return { type: 'no_builder', message: messageOf(error) }
  }
  try {
    const { component } = await componentize({ ...parts, sync: true, optSize: true })
    return { type: 'component', component }
  } catch (error) {
    return { type: 'fault', message: messageOf(error) }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
