// A bound on the arguments of all calls in a request. Prompts parse them.
import { wrongField } from '#core/errors.ts'
import { jsonBounds } from '#http/json-reader.ts'
import { boundWords, type Excess, JsonCount } from '#lib/json-bounds.ts'
import { pace } from '#lib/pace.ts'

/** Bytes that are counted between two pauses. */
const sliceBytes = 1024 * 1024

/** The arguments of a call, and where they are in the request. */
export type SentArguments = { readonly args: string; readonly path: string }

/** The arguments of all calls together are bounded as a body is. Throws invalid_input. */
export async function checkArguments(calls: Iterable<SentArguments>): Promise<void> {
  let { values, names } = jsonBounds
  for (const { args, path } of calls) {
    const json = Buffer.from(args)
    const count = new JsonCount(json, { values, names, levels: Number.POSITIVE_INFINITY })
    let excess: Excess | undefined
    while (!excess && !count.done) {
      excess = count.next(sliceBytes)
      await pace()
    }
    if (excess) {
      const most = boundWords(jsonBounds, excess.bound)
      throw wrongField(path, `brings the arguments of all calls to more than ${most}`)
    }
    values -= count.values
    names -= count.names
  }
}
