// The events of a streamed answer, read as a client does.
import assert from 'node:assert/strict'

/** The data of each event. Fails when the stream ends within an event. */
export async function* eventData({ body }: Response): AsyncGenerator<string> {
  let unread = ''
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (unread + text).split('\n\n')
    unread = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) yield data
    }
  }
  assert.equal(unread, '', 'a stream ends with a whole event')
}
