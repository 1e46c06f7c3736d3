// The disposable process that validates and transpiles one component: bytes in on standard input, one frame out.
// Confined like a tool's process; a component that upsets the transpiler upsets nothing else. Started by install.ts.
import { registerHooks } from 'node:module'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { sendFrame } from '#sandbox/child/frames.ts'
import { maxComponentBytes } from '#sandbox/child/limits.ts'
import { giveUpRights } from '#sandbox/child/scrub.ts'
import { loadGenerator } from './generator.ts'
import { transpileComponent, wordsOf } from './transpile.ts'

// The transpiler's WASI in its browser form: it needs no thread and no native file access.
registerHooks({
  resolve(name, context, next) {
    const found = next(name, context)
    const node = '/preview2-shim/dist/nodejs/'
    return found.url.includes(node)
      ? { ...found, url: found.url.replace(node, node.replace('nodejs', 'browser')) }
      : found
  },
})

sendFrame(...(await answer()))

async function answer(): Promise<[head: object, body?: Buffer]> {
  try {
    const generate = await loadGenerator()
    // All code is loaded: nothing that handles the component's bytes needs a right any more.
    giveUpRights(Number(process.argv[2] ?? '') || undefined)
    const { outline, files } = await transpileComponent(await readAll(), generate)
    const list = [...files].map(([name, code]) => ({ name, size: code.length }))
    return [{ ok: true, outline, files: list }, Buffer.concat([...files.values()])]
  } catch (error) {
    const [code, message] =
      error instanceof ToolFault
        ? [error.code, error.message]
        : ['transpile_failed', `the transpiler failed: ${wordsOf(error)}`]
    return [{ ok: false, code, message }]
  }
}

async function readAll(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxComponentBytes + 1) break
  }
  return Buffer.concat(chunks)
}
