// Entry of the process that validates and transpiles one component: bytes in on standard input, one frame out.
// Confined like a tool's process, so a component that crashes the transpiler affects nothing else. Started by transpiler.ts.
import { registerHooks } from 'node:module'
import { ToolFault } from '#sandbox/sandbox-fault.ts'
import { sendFrame } from '#sandbox/child/frames.ts'
import { maxComponentBytes } from '#sandbox/child/limits.ts'
import { dropRights } from '#sandbox/child/scrub.ts'
import { loadGenerator } from './generator.ts'
import { transpileComponent, messageOf } from './transpile.ts'

// Uses the browser build of the transpiler's WASI, which needs no threads and no native file access.
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
    // All code is loaded. The rights are dropped before the component's bytes are read.
    dropRights(Number(process.argv[2] ?? '') || undefined)
    const files = await transpileComponent(await readAll(), generate)
    const list = [...files].map(([name, code]) => ({ name, size: code.length }))
    return [{ ok: true, files: list }, Buffer.concat([...files.values()])]
  } catch (error) {
    const [code, message] =
      error instanceof ToolFault
        ? [error.code, error.message]
        : ['transpile_failed', `the transpiler failed: ${messageOf(error)}`]
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
